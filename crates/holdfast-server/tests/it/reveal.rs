//! A redaction key: given in the environment or a file, used to show what was taken out, and never shown itself.

use insta::assert_snapshot;

use crate::{Place, Ran};

const KEY: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";

fn told(ran: &Ran) -> String {
    format!("exit {}\n{}\n--- stdout\n{}", ran.code, ran.stderr.trim_end(), ran.stdout.trim_end())
}

fn with_key(place: &Place, key: &str, arguments: &[&str]) -> Ran {
    let mut command = place.command(arguments);
    command.env("HOLDFAST_REDACTION_KEY", key).env("USER", "li").env("HOLDFAST_EMBEDDING", "none");
    Ran::of(arguments, command.output().unwrap())
}

#[test]
fn a_secret_is_shown_to_whoever_has_the_key_and_says_why() {
    let place = Place::new();
    let text = with_key(&place, KEY, &["--json", "observe", "后台密码是hunter2"]).ok();
    assert!(!text.stdout.contains("hunter2") && !text.stderr.contains("hunter2"));
    let recalled = with_key(&place, KEY, &["--json", "recall", "密码"]).ok().stdout;
    let start = recalled.find("«").unwrap();
    let placeholder = &recalled[start..start + recalled[start..].find('»').unwrap() + '»'.len_utf8()];
    place.file("key", format!("{KEY}\n"));
    let wrong = KEY.replace("00", "ff");
    let runs = [
        with_key(&place, KEY, &["reveal", placeholder, "--why", "客户要求核对"]),
        place.run(&["--redaction-key-file", "key", "reveal", placeholder, "--why", "check", "--by", "ops", "--json"]),
        place.run(&["reveal", placeholder, "--why", "check"]),
        with_key(&place, &wrong, &["reveal", placeholder, "--why", "check"]),
        with_key(&place, KEY, &["reveal", "«card:0123456789ab»", "--why", "check"]),
        with_key(&place, &KEY[..60], &["status"]),
        with_key(&place, "我的密钥", &["status"]),
        place.run(&["--redaction-key-file", "not-there", "status"]),
    ];
    let said: Vec<String> = runs.iter().map(told).collect();
    let said = said.join("\n").replace(placeholder.trim_matches(['«', '»']), "password:…");
    assert!(!said.contains(&KEY[..8]) && !said.contains("我的密钥"), "{said}");
    assert_snapshot!(said, @r#"
    exit 0

    --- stdout
    hunter2
    exit 0

    --- stdout
    {
      "placeholder": "«password:…»",
      "secret": "hunter2"
    }
    exit 4
    holdfast: no redaction key is set, so no secret is kept and none can be shown (HOLDFAST_REDACTION_KEY, or --redaction-key-file)
    --- stdout

    exit 4
    holdfast: what is kept under «password:…» was sealed with another redaction key: give the one that was set when it was recorded
    --- stdout

    exit 4
    holdfast: «card:0123456789ab» is no placeholder that a secret is kept under here: was it recorded with a redaction key, by this owner?
    --- stdout

    exit 2
    holdfast: HOLDFAST_REDACTION_KEY: the redaction key is 30 bytes long: it is 32, written as 64 hex digits or as base64
    --- stdout

    exit 2
    holdfast: HOLDFAST_REDACTION_KEY: the redaction key is neither hex nor base64: make one with `openssl rand -hex 32`
    --- stdout

    exit 1
    holdfast: can't read not-there: No such file or directory (os error 2)
    --- stdout
    "#);
    let missing = with_key(&place, KEY, &["reveal", placeholder]).code(2);
    assert!(missing.stderr.contains("--why"), "{}", missing.stderr);
    let journal = place.run(&["journal", "--verb", "reveal", "--json"]).ok();
    let entries = journal.json();
    let who = |n: usize| entries[n]["actor"].as_str().unwrap().to_owned();
    assert_eq!((who(0), who(1)), ("ops".to_owned(), "li".to_owned()), "{entries}");
    assert!(!journal.stdout.contains("hunter2"));
    for file in ["hunter2", KEY] {
        assert!(!place.store_contains(file));
    }
    assert!(!place.run(&["export"]).ok().stdout.contains("hunter2"));
}
