//! Each case is a text and its entities, as `kind value`.

use jiff::civil::date;

use crate::signals::{Lexicon, read};
use crate::types::event::Source;

fn check(text: &str, expected: &str) {
    let at = date(2026, 9, 16).at(10, 0, 0, 0).in_tz("Asia/Shanghai").expect("a time in the zone");
    let found: Vec<String> = read(text, &at, Source::Tool, Lexicon::builtin())
        .entities
        .iter()
        .map(|entity| {
            assert_eq!(text[entity.span.clone()], entity.text);
            format!("{} {}", format!("{:?}", entity.kind).to_lowercase(), entity.value)
        })
        .collect();
    assert_eq!(found.join("; "), expected, "in {text:?}");
}

#[test]
fn amounts_and_money() {
    check("增长3.2%", "number 3.2%");
    check("增长３．２％", "number 3.2%");
    check("12 个文件共5GB", "number 12个; number 5gb");
    check("3万用户，约1.2亿", "number 30000; number 120000000");
    check("3.25万元", "money ¥32500");
    check("¥1,200", "money ¥1200");
    check("1200元", "money ¥1200");
    check("$3.5k", "money $3500");
    check("USD 20", "money $20");
    check("20 dollars", "money $20");
    check("€1.5 million", "money €1500000");
    check("500字以内", "number 500字");
    check("50 ms", "number 50ms");
    check("3", "");
    check("第3章", "");
    check("2026年元旦", "date 2026-01-01");
}

#[test]
fn paths_addresses_and_ids() {
    check("/a/b.txt", "path /a/b.txt");
    check("C:\\x\\a.txt", "path C:\\x\\a.txt");
    check("./x", "path ./x");
    check("~/notes/Plan.md", "path ~/notes/Plan.md");
    check("见report_v2.xlsx。", "path report_v2.xlsx");
    check("周报_0912.docx", "path 周报_0912.docx");
    check("看 https://a.com/x?y=1。", "url https://a.com/x?y=1");
    check("订单SO-2024-0913", "task 订单; id so-2024-0913");
    check("JIRA PROJ-12", "id proj-12");
    check("commit 3f2a9bc", "id 3f2a9bc");
    check("v1.2.3", "id v1.2.3");
    check("550e8400-e29b-41d4-a716-446655440000", "id 550e8400-e29b-41d4-a716-446655440000");
    check("and/or", "");
    check("3/4", "");
    check("e.g. this", "");
    check("192.168.1.1", "");
    check("well-known", "");
    check("他/她", "");
    check("facade deadbeef", "");
}

#[test]
fn names() {
    check("王总和李经理", "name 王总; name 李经理");
    check("客户A来自华星科技", "name 客户a; name 华星科技");
    check("看《项目计划》和「启明」", "name 项目计划; name 启明");
    check("ask @bob about it", "name bob");
    check("we met Ana Lopez at Acme Corp yesterday", "name ana lopez; name acme corp; date 2026-09-15");
    check("Please call him", "");
    check("I think so. The end.", "");
    check("总结一下", "task 总结");
    check("公司规定", "");
    check("mail ana@example.org", "");
}

#[test]
fn tasks_and_formats() {
    check("把周报用PDF发我", "task 周报; format pdf");
    check("先写结论，用表格", "format 先写结论; format 表格");
    check(
        "the weekly report in Markdown with bullet points",
        "task weekly report; format markdown; format bullet points",
    );
    check("会议纪要", "task 会议纪要");
    check("a PDF", "format pdf");
}
