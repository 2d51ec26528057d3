//! What changes in a user's life or wishes, from the first word of it to what is known in the end.

use holdfast::types::memory::MemoryStatus;

use super::{Source, world};

/// What is in force after all of it was said, a month apart each, however it was learned.
#[track_caller]
fn in_force(said: &[&str], expected: &[&str]) {
    for learns_between in [true, false] {
        let world = world();
        for (month, text) in said.iter().enumerate() {
            world.say(Source::User, text, &format!("2026-{:02}-02T09:00:00+08:00", month + 1));
            if learns_between {
                world.learned();
            }
        }
        let active = world.learned().into_iter().filter(|memory| memory.status == MemoryStatus::Active);
        let mut active: Vec<String> = active.map(|memory| memory.content).collect();
        active.sort();
        let mut expected = expected.to_vec();
        expected.sort_unstable();
        assert_eq!(active, expected, "{said:?} {learns_between}");
    }
}

#[test]
fn a_value_that_moved_takes_the_place_of_the_one_before() {
    in_force(&["我的月薪是两万二。", "月薪总算调到两万八了。"], &["月薪总算调到两万八了"]);
    in_force(&["月租4800。", "我的月租又加到5200了。"], &["我的月租又加到5200了"]);
    in_force(&["我的工资是9000元。", "我刚涨薪到9500元。", "工资调到一万了吗？"], &["我刚涨薪到9500元"]);
    in_force(&["My rent is $1500.", "My rent was raised to $1650."], &["My rent was raised to $1650"]);
    in_force(&["My salary is $90k.", "I got a raise to $98k."], &["I got a raise to $98k"]);
    in_force(&["My rent is $1500.", "My rent might go up to $1650."], &["My rent is $1500"]);
}

/// However often it moves, one is in force, and each of the others was so until the next.
#[test]
fn a_chain_of_moves_leaves_one_in_force() {
    for said in [
        ["年薪30万。", "年薪涨到了42万。", "因为升职，年薪调到了46万。"],
        ["我的年薪是30万。", "我的年薪从30万涨到42万了。", "我的年薪从42万调到46万了。"],
        ["My salary is $90k.", "My salary went up to $98k.", "Because of the promotion, my salary went up to $110k."],
        ["My rent is $1500.", "My rent was raised to $1650.", "My rent is down to $1600 now."],
    ] {
        for learns_between in [true, false] {
            let world = world();
            for (month, text) in said.iter().enumerate() {
                world.say(Source::User, text, &format!("2026-{:02}-02T09:00:00+08:00", month + 1));
                if learns_between {
                    world.learned();
                }
            }
            let known = world.learned();
            let [first, second, third] = &known[..] else { panic!("{said:?}: {known:?}") };
            let statuses = [first.status, second.status, third.status];
            assert_eq!(
                statuses,
                [MemoryStatus::Superseded, MemoryStatus::Superseded, MemoryStatus::Active],
                "{said:?}"
            );
            assert_eq!((first.superseded_by, second.superseded_by), (Some(second.id), Some(third.id)), "{said:?}");
            assert_eq!(first.valid_to.as_ref(), Some(&second.valid_from), "{said:?}");
        }
    }
    // Somebody else's moves nothing.
    in_force(&["年薪30万。", "因为他升职了，年薪调到了46万。"], &["年薪30万"]);
    in_force(&["My salary is $90k.", "Because he got promoted, his salary went up to $98k."], &["My salary is $90k"]);
}

#[test]
fn a_new_employer_ends_the_title_only_with_a_new_one() {
    in_force(&["我是产品经理。", "我在字节上班。", "我跳槽到了美团。"], &["我是产品经理", "我跳槽到了美团"]);
    in_force(&["我是产品经理。", "我现在在美团当数据分析师。"], &["我现在在美团", "我现在在美团当数据分析师"]);
    in_force(&["I work as a nurse.", "I work at Globex."], &["I work as a nurse", "I work at Globex"]);
    in_force(
        &["I work as a nurse.", "I joined Acme as a data analyst."],
        &["I joined Acme", "I joined Acme as a data analyst"],
    );
}

/// One thing for another moves the property that the old one was of, if it is one, and what was said of the old one is marked, however
/// often it was said.
#[test]
fn one_thing_for_another_is_marked_wherever_the_old_one_was_said() {
    for (said, switch) in [
        (["我的编辑器是Vim。", "我的编辑器是Vim，很顺手。"], "我从Vim换到Helix了。"),
        (["我的编辑器是Vim。", "我编辑器用的是Vim。"], "我把Vim换成了Helix。"),
        (["我的编辑器是Vim。", "我的编辑器是Vim，很顺手。"], "我编辑器从Vim换成了Helix。"),
        (["My editor is Vim.", "My editor is Vim, and it is fast."], "I switched from Vim to Helix."),
        (["My editor is Vim.", "My editor is Vim, and it is fast."], "I replaced Vim with Helix."),
    ] {
        for learns_between in [true, false] {
            let world = world();
            for (month, text) in [said[0], said[1], switch].iter().enumerate() {
                world.say(Source::User, text, &format!("2026-{:02}-02T09:00:00+08:00", month + 1));
                if learns_between {
                    world.learned();
                }
            }
            let known = world.learned();
            let editor = |status| known.iter().find(|memory| memory.attribute == "editor" && memory.status == status);
            assert_eq!(editor(MemoryStatus::Active).map(|memory| memory.value.as_str()), Some("helix"), "{switch}");
            let was = editor(MemoryStatus::Superseded).expect("what it was");
            assert_eq!((was.value.as_str(), was.sources.len()), ("vim", 2), "{switch}");
            for source in &was.sources {
                let event = source.event.expect("it was said");
                let stored = world.engine.event(world.owner(), event).expect("a store").expect("an event");
                assert_eq!(stored.overturned.len(), 1, "{switch}: {}", stored.event.content);
            }
        }
    }
    // Of two properties it can't be told, and of another thing nothing is moved.
    in_force(&["我的编辑器是Vim。", "我从Emacs换到Helix了。"], &["我的编辑器是Vim", "我从Emacs换到Helix了"]);
    in_force(&["My editor is Vim.", "He switched from Vim to Helix."], &["My editor is Vim"]);
}

#[test]
fn what_was_announced_is_what_the_rest_of_the_sentence_is_about() {
    in_force(
        &["我的手机是小米12。", "换手机了，从小米12换成了华为Mate 60。"],
        &["换手机了，从小米12换成了华为Mate 60"],
    );
    in_force(&["我在字节上班。", "换工作了，现在在星海科技做增长。"], &["换工作了，现在在星海科技"]);
    in_force(
        &["My phone is a Pixel 6.", "I got a new phone, switched from a Pixel 6 to a Galaxy S24."],
        &["I got a new phone, switched from a Pixel 6 to a Galaxy S24"],
    );
    in_force(&["I work at Initech.", "Changed jobs, now at Globex."], &["Changed jobs, now at Globex"]);
    in_force(&["我的手机是小米12。", "打算换手机，从小米12换成华为Mate 60。"], &["我的手机是小米12"]);
}

#[test]
fn the_opposite_ends_what_one_does_or_does_not() {
    in_force(&["我不喝咖啡。", "我现在喝拿铁。"], &[]);
    in_force(&["我不喝咖啡。", "我又开始喝咖啡了。"], &["我又开始喝咖啡了"]);
    in_force(&["我喜欢喝咖啡。", "我不喝咖啡了。"], &[]);
    in_force(&["我不喝拿铁。", "我现在喝美式。"], &["我不喝拿铁"]);
    in_force(&["我每天早上跑步。", "早就不跑了。"], &[]);
    in_force(&["我每天早上跑步。", "游泳我放弃了。"], &["我每天早上跑步"]);
    in_force(&["I don't eat meat.", "I eat meat again."], &["I eat meat again"]);
    in_force(&["I don't eat meat.", "I'm eating chicken again."], &["I'm eating chicken again"]);
    in_force(&["I swim every morning.", "I don't swim anymore."], &[]);
    in_force(&["我不吃香菜。", "之前说不吃香菜，那不算了。"], &[]);
    in_force(&["I don't eat cilantro.", "Forget what I said about not eating cilantro."], &[]);
    // Of nothing that is known it leaves nothing behind, whatever its state.
    for said in ["我不跑步了。", "我现在喝茶。", "I don't swim anymore.", "I drink tea now."] {
        super::check(said, &[]);
    }
}

#[test]
fn a_rule_that_is_taken_back_is_over_and_nothing_stands_in_its_place() {
    in_force(&["以后周报都用Word。", "周报不用Word了。"], &[]);
    in_force(&["以后周报都用Word。", "周报别再用Word了。"], &[]);
    in_force(&["以后都先列数据。", "不用再先列数据了。"], &[]);
    in_force(&["From now on, always use tables.", "Don't use tables anymore."], &[]);
    in_force(&["From now on, always use PDF for reports.", "No more PDFs for the reports."], &[]);
    in_force(&["From now on, always put the summary first.", "Stop sending me the summary first."], &[]);
    // Another rule of the slot, another kind of work, or for once: it stands.
    in_force(&["以后周报都用Word。", "周报不用PDF了。"], &["以后周报都用Word"]);
    in_force(&["以后周报都用Word。", "月报不用Word了。"], &["以后周报都用Word"]);
    in_force(&["以后周报都用Word。", "这次周报不用Word了。"], &["以后周报都用Word"]);
    in_force(&["From now on, never use tables.", "Don't use tables anymore."], &["From now on, never use tables"]);
    // What was taken back can be ordered again.
    in_force(&["以后周报都用Word。", "周报不用Word了。", "以后周报都用Word。"], &["以后周报都用Word"]);
    // Of nothing that is known it leaves nothing behind; but an order to stop is an order.
    for said in ["周报不用Word了。", "Don't use tables anymore.", "No more PDFs for the reports."] {
        super::check(said, &[]);
    }
    super::check("别再用表格了。", &["rule active: 别再用表格了"]);
}

/// A revocation that names no kind of work takes back the one rule that orders what it names.
#[test]
fn a_revocation_for_all_work_reaches_the_rule_for_one_kind() {
    in_force(&["以后周报都用Word。", "别再用Word了。"], &["别再用Word了"]);
    in_force(&["Always send reports as Excel from now on.", "Don't use Excel anymore."], &[]);
    // Of two it can't be told, and of none nothing is taken back.
    in_force(&["以后周报都用Word。", "以后合同都用Word。", "不用Word了。"], &["以后周报都用Word", "以后合同都用Word"]);
    in_force(&["以后周报都用Word。", "不用Excel了。"], &["以后周报都用Word"]);
    in_force(&["以后周报都用Word。", "这次不用Word。"], &["以后周报都用Word"]);
    in_force(
        &["Always send reports as Excel from now on.", "Don't use Excel anymore?"],
        &["Always send reports as Excel from now on"],
    );
    // Taken back before it was said, it stands.
    in_force(
        &["Don't use Excel anymore.", "Always send reports as Excel from now on."],
        &["Always send reports as Excel from now on"],
    );
}

/// What was so has its end, and what never was is taken back.
#[test]
fn what_is_over_was_so_and_what_was_never_said_was_not() {
    for (said, over, status) in [
        ("I'm a vegetarian.", "I'm not a vegetarian any more.", MemoryStatus::Superseded),
        ("I'm a vegetarian.", "I'm no longer a vegetarian.", MemoryStatus::Superseded),
        ("I prefer aisle seats.", "I don't prefer aisle seats anymore.", MemoryStatus::Superseded),
        ("I like coffee.", "I no longer drink coffee.", MemoryStatus::Superseded),
        ("I hate mornings.", "I don't hate mornings anymore.", MemoryStatus::Superseded),
        ("I work at Acme.", "I don't work at Acme anymore.", MemoryStatus::Superseded),
        ("我吃素。", "我现在不吃素了。", MemoryStatus::Superseded),
        ("我喜欢喝美式。", "我现在不喜欢喝美式了。", MemoryStatus::Superseded),
        ("我讨厌开会。", "我不讨厌开会了。", MemoryStatus::Superseded),
        ("我每天跑步。", "我不跑步了。", MemoryStatus::Superseded),
        ("以后周报都用Word。", "周报不用Word了。", MemoryStatus::Superseded),
        // In the other language, where the thing has one name.
        ("我喜欢Notion。", "I don't like Notion anymore.", MemoryStatus::Superseded),
        ("I like Notion.", "我不喜欢Notion了。", MemoryStatus::Superseded),
        ("I'm a vegetarian.", "I'm not a vegetarian.", MemoryStatus::Retracted),
        ("我吃素。", "我不吃素。", MemoryStatus::Retracted),
        ("I'm allergic to nuts.", "I'm not allergic to nuts.", MemoryStatus::Retracted),
        ("I like jazz.", "I never said I liked jazz.", MemoryStatus::Retracted),
        ("我喜欢喝手冲。", "我没说过喜欢手冲。", MemoryStatus::Retracted),
        ("我住在余杭。", "我没说过我住在余杭。", MemoryStatus::Retracted),
    ] {
        let world = world();
        world.say(Source::User, said, "2026-01-02T09:00:00+08:00");
        world.say(Source::User, over, "2026-03-02T09:00:00+08:00");
        let known = world.learned();
        let [was] = &known[..] else { panic!("{over}: {known:?}") };
        assert_eq!(was.status, status, "{over}: {was:?}");
        let until = was.valid_to.as_ref().map(|at| at.date().to_string());
        assert_eq!(until.as_deref(), Some("2026-03-02"), "{over}");
    }
    // Another thing, its opposite, or only part of it: it stands.
    in_force(&["I like coffee.", "I no longer drink tea."], &["I like coffee"]);
    in_force(&["I like tea ceremonies.", "I never said I like tea."], &["I like tea ceremonies"]);
    in_force(&["I don't like jazz.", "I never said I liked jazz."], &["I don't like jazz"]);
    in_force(&["我不喜欢香菜。", "我没说过喜欢香菜。"], &["我不喜欢香菜"]);
    in_force(&["我喜欢喝茶。", "我没说过喜欢咖啡。"], &["我喜欢喝茶"]);
    in_force(&["我喜欢喝茶。", "他现在不喜欢喝茶了。"], &["我喜欢喝茶"]);
    in_force(&["我妹妹吃素。", "我不吃素了。"], &["我妹妹吃素"]);
    // It can begin again.
    in_force(&["我吃素。", "我不吃素了。", "我吃素。"], &["我吃素"]);
    in_force(&["I'm a vegetarian.", "I'm not a vegetarian anymore.", "I'm a vegetarian."], &["I'm a vegetarian"]);
    for said in ["I'm not a vegetarian anymore.", "我不吃素了。", "I never said I liked jazz.", "我没说过喜欢爵士乐。"]
    {
        super::check(said, &[]);
    }
}

/// What arrives late of what has ended is marked as well.
#[test]
fn what_comes_late_of_the_old_one_is_marked_too() {
    for (old, new) in [
        ("以后周报都用PDF。", "以后周报都用Word。"),
        ("From now on, always use PDF for reports.", "From now on, always use Word for reports."),
    ] {
        let world = world();
        world.say(Source::User, old, "2026-01-02T09:00:00+08:00");
        world.say(Source::User, new, "2026-03-02T09:00:00+08:00");
        world.learned();
        world.say(Source::User, old, "2026-02-02T09:00:00+08:00");
        let known = world.learned();
        let was = known.iter().find(|memory| memory.status == MemoryStatus::Superseded).expect("what it was");
        assert_eq!(was.sources.len(), 2, "{old}");
        for source in &was.sources {
            let event = source.event.expect("it was said");
            let stored = world.engine.event(world.owner(), event).expect("a store").expect("an event");
            assert_eq!(stored.overturned.len(), 1, "{}", stored.event.content);
        }
    }
}
