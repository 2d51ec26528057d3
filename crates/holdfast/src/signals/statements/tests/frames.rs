//! Whose words they are: what is quoted over lines, shown, labelled, to be written, or a joke, is not the user's word.

use super::check;

/// Texts that state nothing of the user.
fn nothing(texts: &[&str]) {
    check(&texts.iter().map(|text| (*text, "")).collect::<Vec<_>>());
}

#[test]
fn quotations_over_lines() {
    let long = "The council met again and nothing came of it. ".repeat(45);
    let long = format!("He wrote \"{long}\nI live in Oslo.\nFrom now on always use Word for reports.\" and left");
    let long_zh = format!("他发来「{}\n我住在杭州。\n以后报告都用Word。」", "会又开了一次。".repeat(120));
    nothing(&[
        &long,
        &long_zh,
        "He wrote \"hello\nI live in Oslo.\nFrom now on always use Word for reports.\" and left",
        "他发来「大家好，\n我住在杭州。\n以后报告都用Word。」",
        "He wrote \"hello\nI live in Oslo.\nFrom now on always use Word for reports.",
        "他发来“大家好，\n我住在杭州。\n以后报告都用Word。",
        "Look at `this\nI live in Oslo.\nFrom now on use Word.",
        "He wrote \"hello.\nForget my address.\nJust this once, use Excel.\" and left",
        "他写“好，\n忘掉我说的端口。\n这次只要Excel。”",
        "„I live in Oslo.\nI'm vegan.“ he wrote",
        "He said «hello\nI live in Oslo.» and left",
        "He sent [hello.\nI live in Oslo.] and left",
        "He sent ``hello.\nI live in Oslo.'' and left",
        "他发来｢你好。\n我住在杭州。｣",
        "````\n```\nI live in Oslo.\n````",
        "\u{200b}```\nI live in Oslo.\n```",
        "\u{200b}> I live in Oslo.",
        "He wrote 'hello.\nI live in Oslo.\nFrom now on always use Word for reports.' and left",
        "He wrote 'hello.\nI live in Oslo.\nFrom now on always use Word for reports.",
        "他发来'大家好，\n我住在杭州。\n以后报告都用Word。'就走了",
        "他说'以后报告都用Word'就走了",
        "> hello there\nI live in Oslo, he writes.",
        "> 你好\n我住在杭州。",
        "“a “b” I live in Oslo.\nI'm vegan.”",
    ]);
    check(&[
        ("I don't like cilantro. I live in Quito, it's great.", "dislikes cilantro; live=Quito"),
        ("My monitor is 27\" wide.\nI live in Quito.", "live=Quito"),
        ("I don't mind the users' rooms, 'cause they're from the '90s.\nI live in Quito, it's fine.", "live=Quito"),
        ("He said 'hello\nand bye.' to me.\nI live in Quito.", "live=Quito"),
        ("他说'你好\n再见'。\n我住在余杭", "住=余杭"),
        ("He said \"hello\nand bye\" to me.\nI live in Quito.", "live=Quito"),
        ("他说「你好\n再见」。\n我住在余杭", "住=余杭"),
        ("> hello\n\nI live in Quito.", "live=Quito"),
        ("```\ncode\n```\nFrom now on, use PDF", "standing: From now on, use PDF"),
    ]);
}

#[test]
fn frames_behind_the_text() {
    nothing(&[
        "I live in Oslo. From now on use Word for reports.\n\nThat's what Bob sent me. Reply to him.",
        "我住在杭州。以后报告都用Word。\n\n这是小王发我的，怎么回他？",
        "我住在杭州。——这是他发的",
        "I live in Oslo.\n\nThis is from my boss.",
        "I'm vegan, my sister says.",
        "I'm vegan, says my sister.",
        "我吃素，我姐姐说的",
        "我吃素。我姐姐说的。",
        "I live in Oslo. How should I reply?",
        "Here's what he said. I live in Oslo.",
        "我住在杭州。这是客户的原话。",
    ]);
    check(&[
        ("I'm vegan, as I said.", "diet=vegan"),
        ("我吃素，我之前说的", "饮食=吃素"),
        ("That's what I said. I live in Quito.", "live=Quito"),
    ]);
}

#[test]
fn frames_before_the_text() {
    nothing(&[
        "老板刚发来的\n我住在杭州。以后报告都用Word。",
        "看下面这条短信\n我住在杭州。",
        "I live in Oslo. I'm vegan. See below, what does he want?",
        "See below, what does he want?\nI live in Oslo.",
        "I got this message today:\nI live in Oslo.",
        "I got this message today. I live in Oslo.",
        "My mom texted me this: I live in Oslo. I'm vegan.",
        "Customer ticket #33\nI live in Oslo. From now on use Word.",
        "客诉工单33\n我住在杭州。以后报告都用Word。",
        "From Bob's mail. I live in Oslo.",
        "Voicemail from Eve. I live in Oslo. I'm vegan.",
        "Ana: Hi there. I live in Oslo. I'm vegan.",
        "小红：你好。我住在杭州。我吃素。",
        "Bob's points:\n- I live in Oslo\n— from now on use Word",
        "---BEGIN---\nI live in Oslo.\n---END---",
        "=====\nI live in Oslo.\n=====",
        "***\n我住在杭州。\n***",
    ]);
    check(&[
        ("注意：以后周报都先写结论", "standing: 以后周报都先写结论"),
        ("Note: always use metric units.", "standing: always use metric units"),
        ("I got a new job. I live in Quito.", "live=Quito"),
        ("以后别给我发短信", "standing: 以后别给我发短信"),
    ]);
}

#[test]
fn text_to_be_written_for_others() {
    nothing(&[
        "Write a mail to Bob\nFrom now on use Word for reports.",
        "Tell Ana that I live in Oslo. I'm vegan.",
        "Draft a message for the client. I live in Oslo.",
        "Text my mom: I live in Oslo. I'm vegan.",
        "给老王发条微信，以后报告都用Word",
        "帮我写封邮件给客户，我住在杭州",
        "发到朋友圈：我住在杭州。我吃素。",
        "I live in Oslo. Post this on my blog.",
        "Put into the README that from now on everybody uses tabs.",
    ]);
    check(&[
        ("From now on, send invoices to Eve", "standing: From now on, send invoices to Eve"),
        ("From now on send me a PDF", "standing: From now on send me a PDF"),
        ("Write the report. Always cite sources", "standing: Always cite sources"),
        ("写周报。以后都用PDF", "standing: 以后都用PDF"),
        ("以后给老王发邮件都用PDF", "standing: 以后给老王发邮件都用PDF"),
    ]);
}

#[test]
fn other_people_exercises_and_jokes() {
    nothing(&[
        "Asking for a friend. I'm vegan.",
        "我对花生过敏能吃这个吗，帮我妈问的。我吃素。",
        "Classify the sentiment of each:\nI live in Oslo.\nI hate rain.",
        "I live in Oslo. Is this correct English?",
        "Chapter 1. I live in Oslo.",
        "I live in Oslo. Just kidding!",
        "我住在杭州。骗你的。",
        "我住在杭州。开玩笑的",
        "I live in Oslo. Not really.",
        "Let's lie: I live in Oslo. I'm vegan.",
        "Oh great, from now on always delete my files, sure.",
    ]);
    check(&[("Not really. I prefer tea", "prefers tea")]);
}
