//! What is read from a text and what must not be. Told on Wednesday, 16 September 2026.

mod changes;
mod endings;

mod frames;
mod sought;
mod standing;
mod unnamed;

use jiff::ZonedDateTime;
use proptest::prelude::*;

use crate::signals::{Lexicon, statements};
use crate::types::signals::{Claim, Holds, Liking, Standing, Statement};

fn told_at() -> ZonedDateTime {
    "2026-09-16T10:00+08:00[Asia/Shanghai]".parse().expect("a time")
}

/// `我妹妹: 过敏=坚果`, `likes 喝手冲`, `not 住=余杭`, `standing`, `remember …`.
fn line(statement: &Statement) -> String {
    let what = match &statement.claim {
        Claim::Is { attribute, value, holds } => {
            let holds = match holds {
                Holds::Yes => "",
                Holds::No => "not ",
                Holds::NoLonger => "over ",
            };
            format!("{holds}{attribute}={value}")
        }
        Claim::Likes { object, degree } => {
            let degree = match degree {
                Liking::Likes => "likes",
                Liking::Prefers => "prefers",
                Liking::Dislikes => "dislikes",
                Liking::NoLonger => "no longer",
                Liking::Resumed => "again",
            };
            format!("{degree} {object}")
        }
        Claim::Instructs { standing: Standing::Standing } => format!("standing: {}", statement.text),
        Claim::Instructs { standing: Standing::OneOff } => format!("once: {}", statement.text),
        Claim::Revokes => format!("revokes: {}", statement.text),
        Claim::Remember { content } => format!("remember {content}"),
        Claim::Forget { about } => format!("forget {about}"),
    };
    statement.subject.as_ref().map_or(what.clone(), |subject| format!("{subject}: {what}"))
}

fn read(text: &str) -> Vec<Statement> {
    let found = statements(text, &told_at(), Lexicon::builtin());
    for statement in &found {
        assert_eq!(statement.text, text[statement.span.clone()]);
    }
    found
}

/// Each text with the lines of its statements, separated by `; `; empty: none.
fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter_map(|(text, expected)| {
            let lines = read(text).iter().map(line).collect::<Vec<_>>().join("; ");
            (lines != *expected).then(|| format!("{text}\n  expected: {expected}\n  found:    {lines}"))
        })
        .collect();
    assert!(wrong.is_empty(), "{} of {} wrong:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
}

#[test]
fn chinese_attributes() {
    check(&[
        ("我住在余杭", "住=余杭"),
        ("我住在余杭区良渚街道。", "住=余杭区良渚街道"),
        ("住在西湖区", "住=西湖区"),
        ("搬家了，从西湖区搬到了余杭区", "住=余杭区"),
        ("我上个月从西湖区搬到了余杭区", "住=余杭区"),
        ("我已经不住在余杭了", "over 住=余杭"),
        ("我不住在余杭了", "over 住=余杭"),
        ("我现在住在 Quito", "住=Quito"),
        ("你好，我叫张曼婷，很高兴认识你。", "叫=张曼婷"),
        ("你好，我是姚国栋。很高兴认识你。", "叫=姚国栋"),
        ("我的名字是李雷", "名字=李雷"),
        ("我在字节跳动工作", "上班=字节跳动"),
        ("我现在在阿里上班，每天通勤一小时", "上班=阿里"),
        ("我刚跳槽到了美团", "上班=美团"),
        ("我上周入职了星海科技", "上班=星海科技"),
        ("我不在字节了", "over 上班=字节"),
        ("我从腾讯离职了", "over 上班=腾讯"),
        ("我是一名高中老师", "职业=高中老师"),
        ("我是后端工程师，平时写Rust", "职业=后端工程师"),
        ("我做产品经理", "职业=产品经理"),
        ("我今年32岁", "年龄=32岁"),
        ("我对青霉素过敏", "过敏=青霉素"),
        ("我对花生和虾过敏", "过敏=花生和虾"),
        ("我对猫毛有点过敏", "过敏=猫毛"),
        ("我对牛奶不过敏", "not 过敏=牛奶"),
        ("我吃素", "饮食=吃素"),
        ("我是素食主义者", "饮食=素食主义者"),
        ("我不吃素了", "over 饮食=吃素"),
        ("我的年薪涨到了42万", "年薪=42万"),
        ("年薪涨到了42万", "年薪=42万"),
        ("年薪30万", "年薪=30万"),
        ("我月租3500元", "月租=3500元"),
        ("升职了！P6到P7，年薪涨到了42万", "年薪=42万"),
        ("搬家了，从西湖区搬到了余杭区，离公司近了，月租4200", "住=余杭区; 月租=4200"),
        ("老王升职了，年薪涨到了42万", ""),
        ("他搬家了，离公司近了，月租4200", ""),
        ("手机换成了小米14", "手机=小米14"),
        ("我的手机是iPhone 15", "手机=iPhone 15"),
        ("我的电脑用的是联想", "电脑=联想"),
        ("我的编辑器是Vim", "编辑器=Vim"),
        ("我编辑器从Vim换成了Helix", "编辑器=Helix"),
        ("我从Vim换到Helix了", "over 用=Vim; 用=Helix"),
        ("我的老板是王强", "老板=王强"),
        ("我的直属领导是李总", "直属领导=李总"),
        ("我的生日是3月5日", "生日=3月5日"),
        ("我1990年3月5日出生", "生日=1990年3月5日"),
        ("我的时区是UTC+8", "时区=UTC+8"),
        ("我的母语是粤语", "母语=粤语"),
        ("我升P7了", "职级=P7"),
        ("我搬到成都已经三年了", "住=成都"),
        ("我从字节跳槽到美团了", "上班=美团"),
        ("我把编辑器从Vim换成了Helix", "编辑器=Helix"),
        ("我从P6升到P7了", "职级=P7"),
        ("我评上了副教授", "职级=副教授"),
        ("我身高175", "身高=175"),
        ("我在支付组", "团队=支付组"),
        ("我在增长团队", "团队=增长团队"),
        ("我最喜欢的颜色是蓝色", "最喜欢的颜色=蓝色"),
        ("我叫李明，住在杭州，在阿里上班", "叫=李明; 住=杭州; 上班=阿里"),
        ("我對青黴素過敏", "过敏=青黴素"),
        ("我家住在余杭", "住=余杭"),
        ("我住在 Acme 楼上？", ""),
        ("I live in 杭州", "live=杭州"),
        ("我在 Acme 上班", "上班=Acme"),
        ("我在星海科技当前端工程师", "上班=星海科技; 职业=前端工程师"),
    ]);
}

#[test]
fn chinese_third_persons() {
    check(&[
        ("我妹妹对坚果过敏", "我妹妹: 过敏=坚果"),
        ("我妹妹在北京，对坚果过敏", "我妹妹: 过敏=坚果"),
        ("老公叫方明", "老公: 叫=方明"),
        ("我老婆喜欢喝手冲", "我老婆: likes 喝手冲"),
        ("我女儿今年5岁", "我女儿: 年龄=5岁"),
        ("我的猫叫年糕", "我的猫: 叫=年糕"),
        ("我家狗叫旺财", "我家狗: 叫=旺财"),
        ("我妹妹的生日是3月5日", "我妹妹: 生日=3月5日"),
        ("我爸住在苏州", "我爸: 住=苏州"),
        ("我老板不吃香菜", "我老板: dislikes 香菜"),
        ("我妈妈是小学老师", "我妈妈: 职业=小学老师"),
        ("我住在杭州，我妹妹住在上海", "住=杭州; 我妹妹: 住=上海"),
        // Whose it is can't be told.
        ("我昨天带女儿去看病，对青霉素过敏", ""),
        ("我和我妹妹都喜欢辣", ""),
        ("他喜欢喝咖啡", ""),
        ("小王住在余杭", ""),
        ("客户对花生过敏", ""),
        ("我们住在余杭", ""),
        ("我们公司在杭州", ""),
        ("我老婆和我住在余杭", ""),
        ("妈妈叫我起床", ""),
        ("我老板说他喜欢表格", ""),
    ]);
}

#[test]
fn chinese_likings() {
    check(&[
        ("我喜欢喝手冲", "likes 喝手冲"),
        ("我很喜欢绘画、弹钢琴和品茶，你觉得有什么好的书可以推荐给我吗？", "likes 绘画、弹钢琴和品茶"),
        ("我爱吃辣的", "likes 辣"),
        ("我平时喜欢跑步", "likes 跑步"),
        ("我更喜欢简洁的回答", "prefers 简洁的回答"),
        ("比起咖啡，我更喜欢茶", "prefers 比起咖啡，我更喜欢茶"),
        ("我比起咖啡更喜欢茶", "prefers 比起咖啡更喜欢茶"),
        ("我讨厌开会", "dislikes 开会"),
        ("我不喜欢香菜", "dislikes 香菜"),
        ("我不太喜欢甜食", "dislikes 甜食"),
        ("我不吃香菜", "dislikes 香菜"),
        ("我不喝酒，有什么推荐的饮料？", "dislikes 酒"),
        ("我不再喜欢喝咖啡了", "no longer 喝咖啡"),
        ("我戒了咖啡", "no longer 咖啡"),
        ("我习惯用深色模式", "likes 深色模式"),
        ("我非常喜欢户外活动，尤其是去探险。", "likes 户外活动"),
        ("我喜欢《红楼梦》", "likes 《红楼梦》"),
        ("我喜欢弹吉他", "likes 弹吉他"),
        ("我最喜欢夏天", "likes 夏天"),
        ("我不喜欢香菜了", "no longer 香菜"),
        // Not of what is liked as such.
        ("我喜欢这个", ""),
        ("我喜欢你的方案", ""),
        ("我很喜欢", ""),
        ("我喜欢它", ""),
        ("我想吃火锅", ""),
        ("我想喝茶", ""),
        ("今天我喜欢喝茶", ""),
        ("这次我喜欢简单点的", ""),
        ("我可太喜欢加班了", ""),
        ("以前我喜欢喝可乐", ""),
        ("我以前喜欢喝可乐", ""),
        ("我小时候爱吃糖", ""),
        ("你喜欢喝什么？", ""),
        ("我喜欢什么？", ""),
        ("如果我喜欢喝茶，你会推荐什么", ""),
        ("他说我喜欢喝茶", ""),
        ("小李说：我喜欢喝茶", ""),
        ("我不吃早饭", ""),
        ("我不吃这一套", ""),
        ("我喜欢茶还是咖啡来着", ""),
        ("我可能喜欢安静的地方", ""),
        ("我喜欢过他", ""),
        ("例如我喜欢喝茶", ""),
        ("孩子们很喜欢", ""),
        ("我喜欢怎么做？", ""),
        ("我喜欢第二版", ""),
        ("我看了觉醒年代，很喜欢里面的演员和剧情", ""),
        ("我 prefer dark mode", "prefers dark mode"),
    ]);
}

#[test]
fn what_chinese_doesnt_state() {
    check(&[
        ("我打算搬到杭州", ""),
        ("我下个月搬到杭州", ""),
        ("我想住在海边", ""),
        ("要是我住在杭州就好了", ""),
        ("我住在哪里？", ""),
        ("我住在余杭吗？", ""),
        ("我住院了", ""),
        ("我住在酒店", ""),
        ("我住了三年", ""),
        ("我把桌子搬到了客厅", ""),
        ("我搬到了二楼", ""),
        ("我在家上班", ""),
        ("我在北京工作", ""),
        ("我在公司上班", ""),
        ("我不在公司了", ""),
        ("我叫了外卖", ""),
        ("我叫他过来", ""),
        ("我叫滴滴", ""),
        ("我是说这个不对", ""),
        ("我是江苏人", ""),
        ("你好，我是江苏人", ""),
        ("你好，我是程序员", "职业=程序员"),
        ("我30岁那年去了北京", ""),
        ("我对你的态度过敏", ""),
        ("我是不是对花生过敏？", ""),
        ("我好像对花生过敏", ""),
        ("我的手机是坏的", ""),
        ("我的车是红色的", ""),
        ("我的手机没电了", ""),
        ("我的老板是个好人", ""),
        ("我的年薪太低了", ""),
        ("我的生日是什么时候？", ""),
        ("我的团队是最棒的", ""),
        ("假设我是医生，住在上海", ""),
        ("请扮演一个住在火星的人。我住在火星。", ""),
        ("翻译成英文：我住在余杭，我喜欢喝茶。", ""),
        ("帮我润色下面这段话：\n我住在余杭。\n我对花生过敏。", ""),
        ("“我住在余杭”", ""),
        ("他写道：“我对花生过敏。”", ""),
        ("> 我住在余杭", ""),
        ("user: 我住在余杭\nassistant: 好的", ""),
        ("发件人: 王强\n我住在余杭", ""),
        ("{\"text\": \"我住在余杭\"}", ""),
        ("<holdfast-context>\n## 记忆\n- [m3] 我住在余杭\n我喜欢喝茶\n</holdfast-context>", ""),
        ("## 约束\n- [c3] 我不吃香菜", ""),
        ("- [c3] 我不吃香菜", ""),
        ("我住在余杭，对吗？", ""),
        ("我暂时住在余杭", ""),
        ("我在杭州住过", ""),
        ("我想换成小米14", ""),
        ("数据库从MySQL换成了Postgres", ""),
        ("服务搬到了云上", ""),
        ("我们加入了一个读书会", ""),
        ("我加入了一个读书会", ""),
        ("我当时是学生", ""),
        ("我是你的老师", ""),
        ("我不是医生", ""),
        ("我住在公司附近", ""),
        ("我对花生不太过敏", ""),
        ("请帮我写一段自我介绍：我叫李雷，住在杭州", ""),
        ("我把手机换成了静音", ""),
        ("帮我翻译一下\n我住在余杭\n我喜欢喝茶", ""),
        ("年薪30万的工作很多", ""),
        ("房租3000以内", ""),
        ("我的年薪要是42万就好了", ""),
        ("我今天在静海区医院做了体检", ""),
        ("我刚才做了第二次驾考模拟测试", ""),
        ("住姐姐家……我也想过", ""),
        ("最近我听了一首歌，叫做《后来》", ""),
        ("我目前在一家公司工作", ""),
        ("我叫李雷去开门", ""),
        ("我对这个方案过敏", ""),
    ]);
}

#[test]
fn english_attributes() {
    check(&[
        ("I live in Quito.", "live=Quito"),
        ("I live in Lima, Peru", "live=Lima, Peru"),
        ("I'm based in Berlin", "live=Berlin"),
        ("I moved to Quito last month", "live=Quito"),
        ("I just moved from Lima to Quito", "live=Quito"),
        ("I don't live in Lima any more", "over live=Lima"),
        ("I no longer live in Lima.", "over live=Lima"),
        ("I work at Acme", "work=Acme"),
        ("I now work at Globex as a data analyst", "work=Globex; job=data analyst"),
        ("I no longer work at Acme", "over work=Acme"),
        ("I joined Acme Corp last week", "work=Acme Corp"),
        ("I'm a software engineer at Acme", "job=software engineer"),
        ("I work as a nurse", "job=nurse"),
        ("I'm a vegetarian", "diet=vegetarian"),
        ("I'm vegan", "diet=vegan"),
        ("I'm no longer vegan", "over diet=vegan"),
        ("I'm allergic to shellfish and peanuts", "allergic=shellfish and peanuts"),
        ("I am severely allergic to penicillin, can you check this menu?", "allergic=penicillin"),
        ("I'm not allergic to nuts", "not allergic=nuts"),
        ("I have a peanut allergy", "allergic=peanut"),
        ("I'm 34 years old", "age=34"),
        ("My name is Ana Ruiz", "name=Ana Ruiz"),
        ("my manager is Ana", "manager=Ana"),
        ("My birthday is March 5", "birthday=March 5"),
        ("My salary is $85,000", "salary=$85,000"),
        ("My rent is $1200 a month", "rent=$1200 a month"),
        ("My phone is a Pixel 8", "phone=Pixel 8"),
        ("My editor is Vim", "editor=Vim"),
        ("I switched from Vim to Helix", "over use=Vim; use=Helix"),
        ("My favourite colour is green", "favourite colour=green"),
        ("my timezone is UTC-5", "timezone=UTC-5"),
        ("I speak Spanish and English", "speak=Spanish and English"),
        ("I live in Quito and work at Acme", "live=Quito; work=Acme"),
        ("I'm on the payments team", "team=payments"),
        ("My sister is allergic to nuts", "My sister: allergic=nuts"),
        ("my sister's name is Ana", "my sister: name=Ana"),
        ("My sister Ana lives in Quito", "My sister Ana: live=Quito"),
        ("My wife loves sushi and hates cilantro", "My wife: likes sushi; My wife: dislikes cilantro"),
        ("My dog's name is Rex", "My dog: name=Rex"),
        ("My son is 5", "My son: age=5"),
        ("By the way, I live in Quito now", "live=Quito"),
        ("I weigh 70 kg", "weight=70 kg"),
    ]);
}

#[test]
fn english_likings() {
    check(&[
        ("I like hiking", "likes hiking"),
        ("I really enjoy cooking Thai food", "likes cooking Thai food"),
        ("I prefer tabs over spaces", "prefers tabs over spaces"),
        ("I prefer rooms with a quiet, modern look, do you have any?", "prefers rooms with a quiet, modern look"),
        ("I prefer to pay by card", ""),
        ("I prefer its layout", ""),
        ("I prefer trains within that window", ""),
        (
            "I prefer lightweight, dependency-free solutions over heavy frameworks, can you help me pick one?",
            "prefers lightweight, dependency-free solutions over heavy frameworks",
        ),
        (
            "I'm trying to write an essay, and I prefer short sentences, so can you review it?",
            "prefers short sentences",
        ),
        (
            "I'm kinda struggling with my essay, and I prefer using Microsoft Word over Google Docs due to better formatting control, can you help me with that?",
            "prefers using Microsoft Word over Google Docs",
        ),
        ("I like apples, oranges, and pears", "likes apples, oranges, and pears"),
        ("I like tea, it calms me", "likes tea"),
        ("I hate long meetings", "dislikes long meetings"),
        ("I can't stand cilantro", "dislikes cilantro"),
        ("I don't like cilantro", "dislikes cilantro"),
        ("I don't like coffee any more", "no longer coffee"),
        ("I no longer like horror movies", "no longer horror movies"),
        ("I don't eat pork", "dislikes eat pork"),
        ("I like coffee when I'm tired", "likes coffee when I'm tired"),
        ("I quit smoking", "no longer smoking"),
        ("I live in Quito but I hate the cold", "live=Quito"),
        (
            "I prefer using lightweight, dependency-free solutions over heavy frameworks, so help me",
            "prefers using lightweight, dependency-free solutions over heavy frameworks",
        ),
        // Not of what is liked as such.
        ("I like this", ""),
        ("I like your idea", ""),
        ("I like the second option", ""),
        ("I love it!", ""),
        ("I like that", ""),
        ("I like how you wrote it", ""),
        ("I'd like a refund", ""),
        ("I would like to book a flight", ""),
        ("I'd love to visit Lima", ""),
        ("I'd prefer a window seat", ""),
        ("I like to think so", ""),
        ("I feel like a fraud", ""),
        ("Do you like tea?", ""),
        ("What do I like?", ""),
        ("I used to like coffee", ""),
        ("If I like the result, I'll keep it", ""),
        ("He said I like tea", ""),
        ("She said: I like tea", ""),
        ("Oh great, I love waiting", ""),
        ("I just love meetings", ""),
        ("I love you", ""),
        ("Today I like tea", ""),
        ("I hate to bother you", ""),
        ("I think I like tea", ""),
        ("They like tea", ""),
        ("We prefer tea", ""),
        ("I like Ana's suggestion", ""),
        ("For example, I like tea", ""),
        ("I don't eat breakfast", ""),
        ("I like option B", ""),
        ("I prefer a refund to my card", ""),
        ("I prefer to cancel the flight", ""),
        ("I prefer a direct flight on May 20", ""),
        ("I can't stand people who are late", ""),
        ("I like clean, simple, modern design", "likes clean, simple, modern design"),
        ("I always prefer aisle seats", "prefers aisle seats"),
        ("I didn't like the movie", ""),
        ("I liked the movie", ""),
        ("I prefer tea or coffee?", ""),
    ]);
}

#[test]
fn what_english_doesnt_state() {
    check(&[
        ("I plan to move to Quito", ""),
        ("I want to live in Quito", ""),
        ("I might move to Quito", ""),
        ("I moved to the next step", ""),
        ("I moved to Postgres", ""),
        ("I moved to the Platform team", ""),
        ("I live in fear", ""),
        ("I lived in Lima", ""),
        ("Where do I live?", ""),
        ("I live in Quito, right?", ""),
        ("Suppose I live in Quito", ""),
        ("If I lived in Quito, what would I need?", ""),
        ("Pretend I'm a doctor. I live in Mars.", ""),
        ("Write a story where I live in Mars. I work at Acme.", ""),
        ("Translate: I live in Lima. I like tea.", ""),
        ("Here's my cover letter:\nI live in Lima.\nI work at Acme.", ""),
        ("From: Ana\nSubject: hi\n\nI live in Lima", ""),
        ("\"I live in Lima\"", ""),
        ("> I live in Lima", ""),
        ("```\nI live in Lima\n```", ""),
        ("She thinks I live in Lima", ""),
        ("My friend said I work at Acme", ""),
        ("I work at night", ""),
        ("I work for hours", ""),
        ("I joined the meeting late", ""),
        ("I joined Zoom", ""),
        ("I'm a bit tired", ""),
        ("I'm not a doctor", ""),
        ("I'm 30 minutes late", ""),
        ("I'm 5 in", ""),
        ("I'm allergic to your code", ""),
        ("Am I allergic to nuts?", ""),
        ("my manager is great", ""),
        ("my boss is German", ""),
        ("my phone is broken", ""),
        ("my car is in the shop", ""),
        ("my name is mud", ""),
        ("My rent is too high", ""),
        ("My favourite part is the ending", ""),
        ("I switched from Monday to Tuesday", ""),
        ("I switched from coffee to tea", ""),
        ("Someone allergic to nuts can't eat this", ""),
        ("The server lives in Frankfurt", ""),
        ("I'm going to live in Quito", ""),
        ("I'm moving to Quito", ""),
        ("I have an allergy test", ""),
        ("I was allergic to nuts", ""),
        ("I wish I live in Quito", ""),
        ("I'm staying in Lima for the moment", ""),
        ("my late sister Ana lived in Quito", ""),
        ("He works at Acme", ""),
        ("Say I work at Acme, what should I do", ""),
        ("I turned 180 degrees", ""),
        ("My team is great", ""),
        ("I moved to Google", ""),
        ("I'm vegetarian-friendly", ""),
        ("In the story, I live in Rome", ""),
        ("My birthday is on May 5th", "birthday=May 5th"),
        ("I joined Toastmasters", ""),
        ("I joined the gym", ""),
    ]);
}

#[test]
fn orders_to_remember_and_to_forget() {
    check(&[
        ("记住：网关的端口是8443", "remember 网关的端口是8443"),
        ("请记住网关的端口是8443，别弄错。", "remember 网关的端口是8443，别弄错"),
        ("帮我记一下：王总的分机是 8021", "remember 王总的分机是 8021"),
        ("请记住我对花生过敏", "过敏=花生"),
        ("请你记得：客户A只接受月结", "remember 客户A只接受月结"),
        ("remember that the gateway listens on port 8443", "remember the gateway listens on port 8443"),
        ("Please remember: the demo account is read-only.", "remember the demo account is read-only"),
        ("Keep in mind that our fiscal year starts in April", "remember our fiscal year starts in April"),
        ("For future reference, the staging server is in Frankfurt", "remember the staging server is in Frankfurt"),
        ("Remember that I prefer tabs over spaces", "prefers tabs over spaces"),
        ("忘掉我说的端口", "forget 端口"),
        ("这个不用记", "forget 这个"),
        ("别记这个", "forget 这个"),
        ("不要记住我的地址", "forget 我的地址"),
        ("把我的地址忘掉吧", "forget 我的地址"),
        ("forget what I said about the port", "forget the port"),
        ("Please don't remember this", "forget this"),
        ("forget my address", "forget my address"),
        ("", ""),
        ("我记住了", ""),
        ("记得明天发邮件", ""),
        ("请记得带伞", ""),
        ("你还记得吗", ""),
        ("我记得网关的端口是8443", ""),
        ("记住了吗？", ""),
        ("帮我记一下会议", ""),
        ("记住", ""),
        ("请记住我的要求", ""),
        ("keep in mind that this is a draft", ""),
        ("For the record, I never said that", ""),
        ("I remember that the port is 8443", ""),
        ("remember when we went to Lima", ""),
        ("do you remember that the port is 8443?", ""),
        ("remember to send the mail", ""),
        ("Remember the milk", ""),
        ("别忘了带护照", ""),
        ("忘了带护照", ""),
        ("忘了吧", ""),
        ("我忘了我的密码", ""),
        ("忘掉过去，重新开始", ""),
        ("不用记录这些", ""),
        ("don't forget the tickets", ""),
        ("I forgot my address", ""),
        ("forget it", ""),
        ("forget about it", ""),
        ("Never forget my birthday", "standing: Never forget my birthday"),
        ("I don't remember this", ""),
    ]);
}

#[test]
fn instructions_that_stand_or_hold_once() {
    check(&[
        ("以后周报都先写结论", "standing: 以后周报都先写结论"),
        ("这次先列明细", "once: 这次先列明细"),
        ("Use Excel, just for this one", "once: Use Excel, just for this one"),
        (
            "From now on, unless I say otherwise, reply in Spanish",
            "standing: From now on, unless I say otherwise, reply in Spanish",
        ),
        (
            "From now on reply in Spanish unless I say otherwise",
            "standing: From now on reply in Spanish unless I say otherwise",
        ),
        ("用Excel吧，下不为例", "once: 用Excel吧，下不为例"),
        (
            "Always include error status codes in responses when I ask about API error handling.",
            "standing: Always include error status codes in responses when I ask about API error handling",
        ),
        ("Never ever use tables", "standing: Never ever use tables"),
        ("别再用表格了", "standing: 别再用表格了"),
        ("不用再抄送王总了", "standing: 不用再抄送王总了"),
        ("Stop sending me summaries", "standing: Stop sending me summaries"),
        ("You no longer need to cc Tom", "standing: You no longer need to cc Tom"),
        ("恢复原来的格式", "standing: 恢复原来的格式"),
        ("还是按老样子来", "standing: 还是按老样子来"),
        ("Go back to the old format", "standing: Go back to the old format"),
        ("比如以后都用PDF", ""),
        ("he always wants PDF", ""),
        ("> 以后都用PDF", ""),
        ("should I always use PDF?", ""),
        ("别再说了", ""),
        ("我不用再上班了", ""),
        ("stop it", ""),
        ("I no longer need to cc Tom", ""),
        ("他让我别再用表格了", ""),
        ("以后都用PDF，这次只要Excel", "standing: 以后都用PDF; once: 这次只要Excel"),
        ("以后别用表情符号", "standing: 以后别用表情符号"),
        ("每次都要抄送李经理", "standing: 每次都要抄送李经理"),
        ("永远不要删除备份", "standing: 永远不要删除备份"),
        ("记住，报告要附数据来源", "standing: 记住，报告要附数据来源"),
        ("以后都叫我老王", "standing: 以后都叫我老王"),
        ("这一回先不发邮件", "once: 这一回先不发邮件"),
        // Said to oneself, or told.
        ("以后要把这些好点子都用上", ""),
        ("我这次用了长短针交替", ""),
        ("这次订单量大，我得注意点", ""),
        ("以后我可以请你帮我找找菜谱", ""),
        ("以后每个月要固定存500块给大儿子当备用金", ""),
        ("今天先按原计划做打卤面", ""),
        ("以后得多用用", ""),
        ("但每次做完一个订单，就感觉特别有意义", ""),
    ]);
}

#[test]
fn of_a_long_text_the_first_and_the_last_paragraph_are_own_words() {
    let body = "I live in Lima. The council met again and nothing came of it.\n".repeat(80);
    let long = format!("I live in Quito.\n\n{body}\nI prefer short summaries.");
    check(&[(&long, "live=Quito; prefers short summaries"), (&body.repeat(2).replace('\n', " "), "")]);
    // Who writes so many clauses writes a list.
    check(&[(&"我喜欢喝茶，".repeat(60), "")]);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(600) })]

    #[test]
    fn any_text_is_read_with_spans_that_hold(text in any_text()) {
        for statement in read(&text) {
            prop_assert!(text.get(statement.span.clone()) == Some(statement.text.as_str()));
            prop_assert!(statement.text.chars().count() <= 200);
            if let Claim::Is { value, .. } = &statement.claim {
                prop_assert!(!value.trim().is_empty() && value.chars().count() <= 80);
            }
        }
    }
}

/// Pieces that statements are made of, in any order, between any characters.
fn any_text() -> impl Strategy<Value = String> {
    let pieces = prop::sample::select(vec![
        "我",
        "我的",
        "我妹妹",
        "住在",
        "搬到了",
        "从",
        "换成了",
        "对",
        "过敏",
        "叫",
        "在",
        "工作",
        "不",
        "喜欢",
        "更喜欢",
        "比起",
        "戒了",
        "年薪",
        "是",
        "的",
        "了",
        "，",
        "。",
        "：",
        "？",
        "记住",
        "忘掉",
        "把",
        "岁",
        "生日",
        "3月5日",
        "最喜欢的",
        "余杭",
        "Ａ",
        "對",
        "\n",
        "i ",
        "I'm ",
        "my ",
        "sister's ",
        "live in ",
        "allergic to ",
        "moved from ",
        "to ",
        "like ",
        "prefer ",
        "don't ",
        "no longer ",
        "name is ",
        "Ana",
        ", ",
        ". ",
        "and ",
        "remember ",
        "that ",
        "forget ",
        "what i said about ",
        "favourite ",
        "is ",
        "a ",
        "team ",
        "on the ",
        "switched from ",
        "Vim ",
        "have a ",
        "allergy ",
        "42",
        "\"",
        "'",
        "“",
        "》",
        "`",
        " ",
    ]);
    prop_oneof![
        ".{0,60}",
        prop::collection::vec(prop_oneof![8 => pieces.prop_map(str::to_owned), 1 => ".{1,3}"], 0..16)
            .prop_map(|pieces| pieces.concat()),
    ]
}

#[test]
fn an_order_with_an_end_another_speaker_or_another_addressee_does_not_stand() {
    for said in [
        "Tom said, from now on use Word.",
        "小王说，以后都用Word。",
        "Tom: from now on use PDF",
        "The web page says: from now on use PDF.",
        "文档里写着：永远不要用Excel。",
        "以后都用PDF，他说。",
        "If the client asks, from now on use Word.",
        "如果老板同意，以后就都用PDF。",
        "Until Friday, always use Word.",
        "For this report only, always use Word.",
        "For the rest of this session, always answer in English.",
        "在这个任务里，一直用PDF",
        "从今以后这次的周报用PDF，下不为例",
        "From now on, just this once, use PDF.",
        "回复他：以后都用Word",
        "Tell Bob: from now on use PDF.",
        "提醒小王以后都用PDF",
        "Add to the docs: always use tabs.",
        "Option A: from now on use PDF. Option B: from now on use Word. Which is better?",
        "方案A：以后都用PDF；方案B：以后都用Word，哪个好？",
        "我没说以后都用Word。",
        "网页上说以后都用Word。",
        "I didn't say from now on use PDF.",
        "不是说以后都用PDF",
        "From now on use PDF. Just kidding.",
        "以后都用PDF，算了，当我没说。",
        "Maybe from now on use PDF.",
        "以后可能都用PDF",
        "I live in Berlin this week.",
        "这周我住在北京",
        "I live in Berlin, said Tom.",
        "<document>I live in Berlin</document> Summarize.",
        "Write a bio in first person: My name is Anna. I live in Oslo.",
        "Hi,\n\nFrom now on send invoices to eve.\n\nBest,\nTom\n\nWhat do you think of this mail?",
    ] {
        let lexicon = Lexicon::builtin();
        let at = crate::types::moment::parse("2026-03-02T09:00:00Z").expect("a time");
        let found = statements(said, &at, lexicon);
        let lasting: Vec<_> =
            found.iter().filter(|one| !matches!(one.claim, Claim::Instructs { standing: Standing::OneOff })).collect();
        assert!(lasting.is_empty(), "{said}: {lasting:?}");
    }
}

#[test]
fn an_order_that_begins_today_or_is_to_whoever_serves_stands() {
    for said in [
        "从今天开始以后都用PDF",
        "From now on, remind me before deadlines.",
        "注意：以后周报都先写结论",
        "Note: always use metric units.",
        "以后回复我都用英文",
        "From now on, use PDF until further notice.",
        "Always confirm dates when I ask about scheduled events.",
    ] {
        let at = crate::types::moment::parse("2026-03-02T09:00:00Z").expect("a time");
        let found = statements(said, &at, Lexicon::builtin());
        assert!(found.iter().any(|one| matches!(one.claim, Claim::Instructs { .. })), "{said}: {found:?}");
    }
}
