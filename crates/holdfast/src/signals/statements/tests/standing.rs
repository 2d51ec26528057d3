//! What lasts by a word and is no order to whoever serves.

use super::check;

#[test]
fn loose_words_of_lasting_describe() {
    let none = [
        "Thanks! Always happy to help. You never know.",
        "Live strings always give me goosebumps! Every time you show it, I get the urge",
        "Always good to hear from you",
        "Always up for a walk",
        "Always worth a try",
        "Always better to catch things early",
        "Always thorough, even for family events",
        "Always an experiment in progress",
        "Always makes me think about how weather hits vulnerable communities hardest",
        "Always want axes to be consistent, or I lose my bearings",
        "I never get compliments on my R scripts",
        "I'm always looking for ways to save",
        "I don't always go, but whenever I do, it's guaranteed quality time with friends",
        "never say no",
        "Never say never",
        "Never mind the details",
        "You can always expand it later",
        "You will always be my strongest support",
        "You should always check the moisture readings",
        "Never underestimate the power of a good image",
        "never trust conference WiFi",
        "Never give up",
        "Never miss a chance for some birdwatching either",
        "Always have a backup",
        "Always put family first",
        "Always be yourself",
        "and never let short-term wins make you complacent",
        "Never forget that you are loved",
        "Visuals always make the science more accessible",
        "these conferences always start late anyway",
        "Test results always show it",
        "Reports never arrive on time",
        "My phone always reminds me",
        "Every time I ask, it breaks",
        "Each time we meet it rains",
        "In general, people like it",
        "In the future, you might see more of them",
        "生活永远给我惊喜",
        "你永远是最棒的",
        "爸爸妈妈永远爱你",
        "永远不要放弃",
        "永远不要把鸡蛋放在一个篮子里",
        "永远别低估一张好图的力量",
        "永远相信美好的事情即将发生",
        "总是给我惊喜",
        "他总是给我发消息",
        "火锅总是让我开心",
        "每次都给我惊喜",
        "每次听都要单曲循环",
        "我从不迟到",
        "她说完要给我发个图，一直没发",
        "脑中一直在想母校邀请的事情",
        "以后还要多向您请教",
        "以后你们要交水电费",
        "一直都要给自己留退路",
    ];
    check(&none.map(|text| (text, "")));
}

#[test]
fn loose_words_of_lasting_order() {
    let stands = [
        "Always cite sources",
        "never use tables in reports",
        "always format dates as ISO when I ask about schedules",
        "Always confirm salary figures when I ask about compensation details",
        "Always prioritize mentioning software trial periods when I ask about new tools",
        "Please always cite the source",
        "Never ever use tables",
        "Never delete the backups",
        "I want you to always answer in Spanish",
        "I'd like you to always be blunt",
        "I need you to never use emojis",
        "You must always reply in English",
        "Reports should always be PDF",
        "Every time you finish, run the tests",
        "Send me a summary every time",
        "Use metric units at all times",
        "In general, use short sentences",
        "In future, cc Ana",
        "Always keep answers short",
        "Never call me Bob",
        "Always in English",
        "永远不要删除备份",
        "回答总是用中文",
        "报告永远用PDF",
        "请始终用中文回复",
        "每次都要抄送李经理",
        "你要一直用PDF",
        "每次都先写结论",
    ];
    let expected = stands.map(|text| format!("standing: {text}"));
    let cases: Vec<(&str, &str)> = stands.iter().copied().zip(expected.iter().map(String::as_str)).collect();
    check(&cases);
}

#[test]
fn comfort_is_nothing_to_remember() {
    check(&[
        ("Remember, everyone's just human", ""),
        ("Remember that you are loved", ""),
        ("Remember, Mike, nobody knows your material like you do", ""),
        ("Remember, revolutionaries and creators both start by making a little mess", ""),
        ("Remember that we all make mistakes", ""),
        ("Remember, no matter what happens, Dad will always love you", ""),
        ("Please remember: everybody starts small", ""),
        ("记住，你是最棒的", ""),
        ("记住，每个人都是独一无二的", ""),
        ("记住，无论发生什么，爸爸妈妈都永远爱你", ""),
        ("请记住：失败是成功之母", ""),
        ("别忘了，谁都会犯错", ""),
        ("记住：人生是一场旅行", ""),
        ("Remember that I prefer tabs over spaces", "prefers tabs over spaces"),
        ("Remember, my fiscal year starts in April", "remember my fiscal year starts in April"),
        ("Remember that the gateway listens on port 8443", "remember the gateway listens on port 8443"),
        ("Remember that Ana is allergic to nuts", "remember Ana is allergic to nuts"),
        ("记住：网关的端口是8443", "remember 网关的端口是8443"),
        ("记住，我的生日是3月5日", "生日=3月5日"),
    ]);
}
