//! What is sought, unnamed or cut off is no value.

use super::check;

#[test]
fn what_is_sought_unnamed_or_cut_off() {
    let none = [
        "I'm currently considering seeing a doctor",
        "I'm also considering hiring a lawyer",
        "I'm considering seeing a doctor",
        "我已经在当前公司工作了几年",
        "我在目前这家公司工作",
        "I also enjoy the flowy parts where I",
    ];
    check(&none.map(|text| (text, "")));
    check(&[
        ("I'm a marketing manager", "job=marketing manager"),
        ("我在星海科技工作了几年", "上班=星海科技"),
        ("I also enjoy flowy music", "likes flowy music"),
    ]);
}
