//! Each case is a text and what is left of it: the secret goes, and what looks like it stays.

use std::str::FromStr;

use jiff::Timestamp;
use proptest::prelude::*;
use serde_json::json;
use uuid::Uuid;

use super::*;
use crate::text::fold;
use crate::types::scope::{Owner, ScopeId};

fn clean(text: &str) -> String {
    redact_text(text, &Rules::default())
}

/// The cases of a table that come out wrong, all at once.
#[track_caller]
fn check(cases: &[(&str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .filter(|(text, expected)| clean(text) != *expected)
        .map(|(text, expected)| format!("{text:?}\n    became   {:?}\n    expected {expected:?}", clean(text)))
        .collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[track_caller]
fn check_survives(texts: &[&str]) {
    let cases: Vec<(&str, &str)> = texts.iter().map(|text| (*text, *text)).collect();
    check(&cases);
}

#[test]
fn passwords_told_in_other_places_are_taken_out() {
    check(&[
        ("changed the password from Old1007pw to New1007pw", "changed the password from «password:1» to «password:2»"),
        ("the password from 'it is old' to hunter2x.", "the password from '«password:1»' to «password:2»."),
        ("密码从 Old1006pw 改成 New1006pw", "密码从 «password:1» 改成 «password:2»"),
        ("密码从Old1006pw改成了New1006pw，记一下", "密码从«password:1»改成了«password:2»，记一下"),
        ("密码是\nLn3split9", "密码是\n«password:1»"),
        ("The password is\n  Ln3split9", "The password is\n  «password:1»"),
        ("password: |\n  YamlPw994", "password: |\n  «password:1»"),
        ("password: >-\n  YamlPw994", "password: >-\n  «password:1»"),
        ("| password | TblPw995 |", "| password | «password:1» |"),
        ("密码｜TblPw996｜", "密码｜«password:1»｜"),
        ("Rp1010pw is the password", "«password:1» is the password"),
        ("Rp1010pw is the new admin password for the box", "«password:1» is the new admin password for the box"),
        ("root/Rp1009pw 是密码", "root/«password:1» 是密码"),
        ("Rp1009pw就是管理员的密码。", "«password:1»就是管理员的密码。"),
        ("password is: 'it's-Pw1002'", "password is: '«password:1»'"),
        ("密码：阿里巴巴Aa1122", "密码：«password:1»"),
        ("٤١١١١١١١١١١١١١١١ card", "«card:1» card"),
        ("邮箱bob2@例子.中国，谢谢", "邮箱«email:1»，谢谢"),
    ]);
    check_survives(&[
        "Change the password from time to time",
        "move the password from the wiki to the vault",
        "密码从今天起改成每月更换",
        "| password | role |\n|---|---|",
        "v2.10.1 is the password manager we use",
        "This is the password",
        "sha256 is the password hash",
        "密码是\n重置过的",
        "The password is\nrequired",
        "第3章2节讲的是密码",
        "发给 a@张三 看",
    ]);
}

#[test]
fn passwords_are_taken_out() {
    check(&[
        ("我的密码是hunter2，别告诉别人", "我的密码是«password:1»，别告诉别人"),
        ("密码：Abc@1234。", "密码：«password:1»。"),
        ("服务器口令为 s3cr3t!x 谢谢", "服务器口令为 «password:1» 谢谢"),
        ("把密码改成了 NewPass#9", "把密码改成了 «password:1»"),
        ("数据库密码现在是qwerty", "数据库密码现在是«password:1»"),
        ("密码是「芝麻开门」", "密码是「«password:1»」"),
        ("口令是芝麻开门，记住", "口令是«password:1»，记住"),
        ("用户名admin 密码Passw0rd", "用户名admin 密码«password:1»"),
        ("用户名/密码：admin/Passw0rd", "用户名/密码：admin/«password:1»"),
        ("My password is swordfish.", "My password is «password:1»."),
        ("the password for the staging db is Tr0ub4dor&3", "the password for the staging db is «password:1»"),
        ("I changed my password to Winter2026!", "I changed my password to «password:1»!"),
        ("password: hunter2", "password: «password:1»"),
        ("passwd=letmein other=1", "passwd=«password:1» other=1"),
        ("PWD = 'top secret phrase'", "PWD = '«password:1»'"),
        ("DB_PASSWORD=abc123def", "DB_PASSWORD=«password:1»"),
        (
            "{\"user\": \"ana\", \"password\": \"p\\\"q r\", \"n\": 1}",
            "{\"user\": \"ana\", \"password\": \"«password:1»\", \"n\": 1}",
        ),
        ("\"{\\\"password\\\":\\\"hunter2\\\"}\"", "\"{\\\"password\\\":\\\"«password:1»\\\"}\""),
        ("**Password:** hunter2", "**Password:** «password:1»"),
        ("Password:\n  hunter2\n", "Password:\n  «password:1»\n"),
        ("mysql -u root --password hunter2 db", "mysql -u root --password «password:1» db"),
        ("mysql -uroot -phunter2 db", "mysql -uroot -p«password:1» db"),
        ("curl -u ana:hunter2 https://x.org", "curl -u ana:«password:1» https://x.org"),
        ("postgres://app:p@ss/w0rd@db.internal:5432/x", "postgres://app:«password:1»@db.internal:5432/x"),
        ("redis://:hunter2@10.0.0.1:6379", "redis://:«password:1»@10.0.0.1:6379"),
        ("https://ana:hunter2@example.com/a", "https://ana:«password:1»@example.com/a"),
        ("Server=db;User Id=sa;Password=P@ss1;Database=x", "Server=db;User Id=sa;Password=«password:1»;Database=x"),
        (
            "https://x.org/login?user=a&password=abc123&next=/",
            "https://x.org/login?user=a&password=«password:1»&next=/",
        ),
        ("ｐａｓｓｗｏｒｄ：ｈｕｎｔｅｒ２", "ｐａｓｓｗｏｒｄ：«password:1»"),
        ("密码是hunter2，the rest is open", "密码是«password:1»，the rest is open"),
        ("口令：hunter2！Then go on", "口令：«password:1»！Then go on"),
        ("password: password: hunter2", "password: «password:1»: «password:2»"),
        ("密码：密码是hunter2", "密码：密码是«password:1»"),
        ("password is: hunter2", "password is: «password:1»"),
        ("Password - hunter2", "Password - «password:1»"),
        ("支付密码是 123456", "支付密码是 «password:1»"),
        ("新密码hunter2，旧密码12345678", "新密码«password:1»，旧密码«password:2»"),
        ("{\"password\":12345678}", "{\"password\":«password:1»}"),
        ("<password>hunter2</password>", "<password>«password:1»</password>"),
        ("<add key=\"Password\" value=\"hunter2\"/>", "<add key=\"Password\" value=\"«password:1»\"/>"),
        ("密码：hunter2(abc", "密码：«password:1»"),
        ("passphrase: correct horse battery staple.", "passphrase: «password:1»."),
        ("助记词：apple banana cherry dog", "助记词：«password:1»"),
        ("pin is 4821", "pin is «password:1»"),
        ("PIN: 4821", "PIN: «password:1»"),
        ("验证码是 482913，五分钟内有效", "验证码是 «code:1»，五分钟内有效"),
        ("Your verification code is 482913.", "Your verification code is «code:1»."),
    ]);
}

/// SPEC 1.2: what a person tells to be remembered, in whatever place of the sentence.
#[test]
fn passwords_further_from_their_word_are_taken_out() {
    check(&[
        ("My wifi password at home is hunter2!x", "My wifi password at home is «password:1»"),
        ("from now on the password will be hunter2!x", "from now on the password will be «password:1»"),
        ("the password changes to hunter2!x", "the password changes to «password:1»"),
        ("the password has been changed to hunter2!x.", "the password has been changed to «password:1»."),
        ("The password for prod will now be hunter2!x, ok?", "The password for prod will now be «password:1», ok?"),
        ("the password will be 482913", "the password will be «password:1»"),
        ("my password's hunter2!x", "my password's «password:1»"),
        ("以后密码就用hunter2!x", "以后密码就用«password:1»"),
        ("以后密码就用ｈｕｎｔｅｒ２！ｘ", "以后密码就用«password:1»"),
        ("密码以后都用「芝麻开门」", "密码以后都用「«password:1»」"),
        ("密码以后是hunter2!x", "密码以后是«password:1»"),
        ("密码改用 hunter2!x 吧", "密码改用 «password:1» 吧"),
        ("以后密码改成hunter2!x", "以后密码改成«password:1»"),
        ("我的密码不是foo，是hunter2!x", "我的密码不是foo，是«password:1»"),
        ("密码不是foo而是hunter2!x", "密码不是foo而是«password:1»"),
        ("Always use passphrase hunter2!x", "Always use passphrase «password:1»"),
        ("I prefer hunter2!x as password", "I prefer «password:1» as password"),
        ("From now on use hunter2!x as the password", "From now on use «password:1» as the password"),
        ("use \"open sesame\" as my new wifi password", "use \"«password:1»\" as my new wifi password"),
        ("hunter2!x will be my password", "«password:1» will be my password"),
        ("use 482913 as the PIN", "use «password:1» as the PIN"),
        ("我喜欢用hunter2!x当密码", "我喜欢用«password:1»当密码"),
        ("我喜欢用ｈｕｎｔｅｒ２！ｘ当密码", "我喜欢用«password:1»当密码"),
        ("把hunter2!x设为我的WiFi密码", "把«password:1»设为我的WiFi密码"),
        ("用 hunter2!x 作为密码。", "用 «password:1» 作为密码。"),
        ("hunter2!x以后就是我的密码", "«password:1»以后就是我的密码"),
        ("My password isn't foo, it is hunter2!x", "My password isn't foo, it is «password:1»"),
        ("My password is not foo but it's hunter2!x", "My password is not foo but it's «password:1»"),
        ("Passwort ist hunter2!x ab jetzt", "Passwort ist «password:1» ab jetzt"),
        ("mi contraseña es hunter2!x", "mi contraseña es «password:1»"),
        ("パスワードはhunter2!xです", "パスワードは«password:1»です"),
        ("pw: S3cret!x9", "pw: «password:1»"),
        ("pw = S3cret!x9", "pw = «password:1»"),
        ("pw is S3cret!x9", "pw is «password:1»"),
        ("ｐｗ：Ｓ３ｃｒｅｔ！ｘ９", "ｐｗ：«password:1»"),
        ("PIN 码 4321", "PIN 码 «password:1»"),
        ("PIN码是4321。", "PIN码是«password:1»。"),
        ("alarm PIN 0099", "alarm PIN «password:1»"),
        ("my pin 0099, don't tell", "my pin «password:1», don't tell"),
        ("门禁码是 4471#", "门禁码是 «password:1»"),
        ("门禁码４４７１＃", "门禁码«password:1»"),
        ("the door code is 4471#", "the door code is «password:1»"),
        ("Gate code: B-4471", "Gate code: «password:1»"),
        ("login root/Tiger77", "login root/«password:1»"),
        ("新密码：Tiger 77", "新密码：«password:1»"),
        ("新密码：Ｔｉｇｅｒ　７７", "新密码：«password:1»"),
        ("password: Blue-Horse 42", "password: «password:1»"),
        ("My password is Blue Horse 42.", "My password is «password:1»."),
        ("I changed my password to Tiger 77", "I changed my password to «password:1»"),
        ("Set the router password: use hunter2!x", "Set the router password: use «password:1»"),
        ("I use hunter2!x for my password", "I use «password:1» for my password"),
        ("hunter2!x, that's my password", "«password:1», that's my password"),
        ("My password isn't foo. It's hunter2!x", "My password isn't foo. It's «password:1»"),
        ("My password used to be foo and is now hunter2!x", "My password used to be foo and is now «password:1»"),
        ("My passphrase is correct horse battery staple", "My passphrase is «password:1»"),
        ("密码我一般用hunter2!x", "密码我一般用«password:1»"),
        ("密码就设hunter2!x吧", "密码就设«password:1»吧"),
        ("密码还是用老的hunter2!x", "密码还是用老的«password:1»"),
        ("家里wifi密码在家是hunter2!x", "家里wifi密码在家是«password:1»"),
        ("hunter2!x，这是我的密码", "«password:1»，这是我的密码"),
        ("hunter2!x这个密码以后用", "«password:1»这个密码以后用"),
        ("单元门密码 4471", "单元门密码 «password:1»"),
        ("我家门禁密码4471#", "我家门禁密码«password:1»"),
        ("password: Blue Horse", "password: «password:1»"),
        ("pw hunter2!x", "pw «password:1»"),
        ("密码（新）：hunter2!x", "密码（新）：«password:1»"),
        ("password (new): hunter2!x", "password (new): «password:1»"),
    ]);
    check_survives(&[
        "the password policy will change to 90 days",
        "the password will change every 90 days",
        "the password will be auto-generated",
        "the password will be 12 characters long",
        "the password at work is broken",
        "the password to log in to server01",
        "密码就用老办法重置",
        "密码用bcrypt2b加密",
        "用argon2id作为密码哈希",
        "用bcrypt2b作为密码哈希",
        "以后密码改成每月更换",
        "密码不是必填项，是可选的",
        "use SSO as the password replacement",
        "use bcrypt2b as the password hasher",
        "use it as the password",
        "as I said, the password is required",
        "PIN the message",
        "pin 2024 roadmap to the top",
        "please pin 3456",
        "connect PIN 12 to ground",
        "the door code is broken",
        "access code review 2024 is done",
        "门禁码忘了",
        "spw: 1, pwm = 3000",
        "密码 Abc 3天后过期",
        "password reset 42",
        "ask server01 for the password",
        "I prefer SSO as password",
        "用Excel2019作为密码表格",
        "我喜欢用指纹当密码",
        "密码在系统设置里是可见的",
        "更新密码 2026",
        "password: use the vault",
        "Password: see the wiki",
        "if password(user) == stored",
        "v2beta这个密码很弱",
        "The passphrase is required for every user",
        "The password form is on page2b",
        "the password isn't known. It's in the vault2b",
    ]);
}

#[test]
fn keys_and_tokens_are_taken_out() {
    check(&[
        ("aws AKIAIOSFODNN7EXAMPLE / wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws «api_key:1» / «api_key:2»"),
        ("AKIAIOSFODNN7EXAMPLE/wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "«api_key:1»/«api_key:2»"),
        ("用 sk-proj-abcDEF1234567890abcdef 调用", "用 «api_key:1» 调用"),
        ("AKIAIOSFODNN7EXAMPLE", "«api_key:1»"),
        ("aws_secret_access_key = wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "aws_secret_access_key = «api_key:1»"),
        ("ghp_16C7e42F292c6912E7710c838347Ae178B4a pushed", "«api_key:1» pushed"),
        ("token github_pat_11ABCDEFG0123456789_abcdefghijk", "token «api_key:1»"),
        ("glpat-AbCdEf1234567890abcd", "«api_key:1»"),
        ("xoxb-123456789012-abcdefABCDEF", "«api_key:1»"),
        ("AIzaSyA1234567890abcdefghijklmnopqrstuv", "«api_key:1»"),
        ("sk_live_4eC39HqLyjWDarjtT1zdp7dc", "«api_key:1»"),
        ("hf_abcdefghijklmnopqrstuvwxyzABCD", "«api_key:1»"),
        ("密钥：a8f5f167f44f4964e6c998dee827110c", "密钥：«api_key:1»"),
        ("api_key=\"abcdefgh12345678\"", "api_key=\"«api_key:1»\""),
        ("export API_KEY=abc123def456", "export API_KEY=«api_key:1»"),
        ("client secret is 8Q~xYz12345abcdef", "client secret is «api_key:1»"),
        ("Authorization: Bearer abc.def-123456", "Authorization: Bearer «token:1»"),
        ("-H 'Authorization: Basic dXNlcjpwYXNz'", "-H 'Authorization: Basic «token:1»'"),
        ("use Bearer 0a1b2c3d4e5f", "use Bearer «token:1»"),
        ("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.SflKxwRJSMeKKF2QT4", "«token:1»"),
        ("token: a1b2c3d4e5f6", "token: «token:1»"),
        ("Cookie: sid=abc123; theme=dark", "Cookie: «cookie:1»"),
        ("Set-Cookie: session=xyz; HttpOnly", "Set-Cookie: «cookie:1»"),
        (
            "https://hooks.slack.com/services/T000/B000/XXXXXXXXXXXXXXXXabcd1234",
            "https://hooks.slack.com/services/«token:1»",
        ),
    ]);
}

const PEM: &str = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn/ygWyF8PbnGy5AoGz\nuS3bSQ8Gk2f9hj0Xy3Lm1a2b3c4d5e6f7g8h9i0jKLMNOPQRS\nAbc1==\n-----END RSA PRIVATE KEY-----";

#[test]
fn private_keys_are_taken_out_whole_or_cut_off() {
    let line = |from: usize| PEM.lines().skip(from).collect::<Vec<_>>().join("\n");
    let body = "MIIEpAIBAAKCAQEA0Z3VS5JJcds3xfn";
    check(&[(&format!("key:\n{PEM}\nthanks"), "key:\n«private_key:1»\nthanks")]);
    let cut = PEM.split("-----END").next().unwrap().to_owned();
    check(&[(&format!("key:\n{cut}Then we deployed it."), "key:\n«private_key:1»\nThen we deployed it.")]);
    check(&[(&format!("the end of it: {}", line(3)), "the end of it: «private_key:1»")]);
    let escaped = format!("{{\"private_key\": \"{}\"}}", PEM.replace('\n', "\\n"));
    assert!(!clean(&escaped).contains(body), "{}", clean(&escaped));
    let spaced = PEM.replace('\n', " ");
    assert!(!clean(&spaced).contains(body));
    check_survives(&[
        "-----BEGIN PUBLIC KEY-----\nMIIBIjANBgkqhkiG9w0B\n-----END PUBLIC KEY-----",
        "-----BEGIN CERTIFICATE-----\nMIIBIjANBgkqhkiG\n-----END CERTIFICATE-----",
    ]);
}

/// SPEC 1.2: bank cards, also where a chat or a form has broken them.
#[test]
fn cards_broken_by_lines_and_marks_are_taken_out() {
    check(&[
        ("4111.1111.1111.1111", "«card:1»"),
        ("卡号：4111.1111.1111.1111。", "卡号：«card:1»。"),
        ("4111\n1111\n1111\n1111", "«card:1»"),
        ("my card:\r\n4111\r\n1111\r\n1111\r\n1111\r\n12/28", "my card:\r\n«card:1»\r\n12/28"),
        ("4111 1111\n1111 1111\n123", "«card:1»\n123"),
        ("银行卡\n6222\n0212\n3456\n7890\n128", "银行卡\n«card:1»"),
        ("3782.822463.10005", "«card:1»"),
        ("3782\n822463\n10005", "«card:1»"),
        ("4111/1111/1111/1111", "«card:1»"),
        ("4111  1111  1111  1111", "«card:1»"),
        (r"4111\n1111\n1111\n1111", "«card:1»"),
        ("５５５５．５５５５．５５５５．４４４４", "«card:1»"),
    ]);
    check_survives(&[
        "4111.1111.1111.1112",
        "4111\n1111\n1111\n1112",
        "4111\n1111\n1111\n1111\n2222",
        "4120\n3980\n4410\n4205",
        "2023\n2024\n2025\n2026",
        "4.111.111.111.111.111",
        "$4,111.11\n$1,111.11",
        "192.168.100.254\n10.0.0.1",
        "v4.11.11.1111",
        "411111\n1111111111",
        "订单号 4111.1111.1111.1111",
        "4111.1111-1111.1111",
    ]);
}

/// SPEC 1.2: a name and its password, with nothing between them but a slash.
#[test]
fn passwords_beside_a_name_are_taken_out() {
    check(&[
        ("Login: bob / hunter2!x", "Login: bob / «password:1»"),
        ("login info - bob / hunter2!x", "login info - bob / «password:1»"),
        ("login: bob/hunter2!x", "login: bob/«password:1»"),
        ("**Login:** bob@example.com / hunter2!x", "**Login:** «email:1» / «password:1»"),
        ("creds: bob:hunter2", "creds: bob:«password:1»"),
        ("Account: bob | Hunter2!x", "Account: bob | «password:1»"),
        ("账号：bob / hunter2x", "账号：bob / «password:1»"),
        ("账号 bob / Hunter2!，别外传", "账号 bob / «password:1»!，别外传"),
        ("登录：张三 / hunter2x", "登录：张三 / «password:1»"),
        ("账号/密码：bob / hunter2", "账号/密码：bob / «password:1»"),
        ("账号/密码：bob / swordfish", "账号/密码：bob / «password:1»"),
        ("账号密码：bob，hunter2", "账号密码：bob，«password:1»"),
        ("用户名和密码分别是 bob 和 hunter2", "用户名和密码分别是 bob 和 «password:1»"),
        ("账号密码 bob hunter2", "账号密码 bob «password:1»"),
        ("username/password: bob / swordfish", "username/password: bob / «password:1»"),
        ("The username and password are bob and hunter2.", "The username and password are bob and «password:1»."),
        ("user & pass: bob / hunter2", "user & pass: bob / «password:1»"),
        ("账号/密码：bob / ******", "账号/密码：bob / ******"),
    ]);
    check_survives(&[
        "login: see wiki",
        "Login: see wiki / ask Bob",
        "login: GET /api/v2/login2fa",
        "Login: Chrome / Windows11",
        "Login: Google / Facebook",
        "login: https://example.com/a1b2c3",
        "login: root@10.0.0.1:2222",
        "User: ana / A-1024",
        "account: ACME / INV-2024-001",
        "user story: a / b2",
        "User: alice, Order2024",
        "user: bob, role=admin2",
        "user: bob / @bob2023",
        "login: bob, ticket#4521",
        "account: acme / Q3Report2024",
        "账号 bob / 密码同上",
        "账号/密码：见附件",
        "账号/密码：找管理员 / 问运维",
        "登录：首页 / 账号2",
        "the username and password are required / needed",
        "usernames and passwords are hashed with bcrypt",
        "用户名和密码是必填的，长度8位",
    ]);
}

/// SPEC 1.2: the header says once what each row tells.
#[test]
fn columns_of_passwords_are_taken_out() {
    check(&[
        ("user,password\nbob,hunter2\nana,swordfish", "user,password\nbob,«password:1»\nana,«password:2»"),
        (
            "id,user,password,note\r\n1,bob,\"pass, word\",ok\r\n2,ana,12345678,\"a, b\"",
            "id,user,password,note\r\n1,bob,\"«password:1»\",ok\r\n2,ana,«password:2»,\"a, b\"",
        ),
        (
            "| 用户名 | 密码 |\n| --- | --- |\n| bob | hunter2 |\n| 张三 | 芝麻开门 |\n\n以上",
            "| 用户名 | 密码 |\n| --- | --- |\n| bob | «password:1» |\n| 张三 | «password:2» |\n\n以上",
        ),
        (
            "| **User** | **Password** | Role |\n|:--|--:|---|\n| bob | `swordfish` | admin |",
            "| **User** | **Password** | Role |\n|:--|--:|---|\n| bob | `«password:1»` | admin |",
        ),
        (
            " user | password \n------+----------\n bob  | letmein\n(1 row)",
            " user | password \n------+----------\n bob  | «password:1»\n(1 row)",
        ),
        ("\"user\",\"password\"\n\"bob\",\"let,mein\"", "\"user\",\"password\"\n\"bob\",\"«password:1»\""),
        ("name\tpasswd\nbob\tletmein", "name\tpasswd\nbob\t«password:1»"),
        ("用户;口令\nbob;letmein", "用户;口令\nbob;«password:1»"),
        ("USER    PASSWORD\nbob     letmein", "USER    PASSWORD\nbob     «password:1»"),
        ("账号 密码\nbob hunter2x\nana Tr0ub4dor", "账号 密码\nbob «password:1»\nana «password:2»"),
        ("服务,API密钥\n地图,a8f5f167f44f4964", "服务,API密钥\n地图,«api_key:1»"),
    ]);
    check_survives(&[
        "user,password\nbob,\nana,******",
        "| 字段 | 密码 |\n|---|---|\n| 是否必填 | 是 |\n| 长度 | 至少8位 |",
        "| method | password | oauth |\n|---|---|---|\n| supported | yes | no |",
        "| column | password |\n|---|---|\n| type | varchar(64) |\n| rule | at least 8 characters |",
        "Please check the user, password\nthanks, bob",
        "cat x | grep password\nls -l | sort2abc",
        "model,token\ngpt,128\nclaude,4096",
        "user password\nnot found",
        "page,url,change password\nhome,/x,clicked",
        "user,forgot_password\nbob,often",
        "用户,是否修改密码\nbob,已修改",
        "用户 密码\n登录 失败",
    ]);
}

/// SPEC 1.2: asked for in one line and told in the next.
#[test]
fn passwords_that_are_asked_for_are_taken_out_of_the_answer() {
    check(&[
        ("A: what's the password?\nB: hunter2!x", "A: what's the password?\nB: «password:1»"),
        ("What's the password?\nswordfish", "What's the password?\n«password:1»"),
        ("What's the wifi password?\n\nBob: it's swordfish.", "What's the wifi password?\n\nBob: it's «password:1»."),
        (
            "what is the password for prod?\n[10:32] Bob: Sure, try hunter2x",
            "what is the password for prod?\n[10:32] Bob: Sure, try «password:1»",
        ),
        ("Do you remember the password? hunter2x", "Do you remember the password? «password:1»"),
        ("password?\n> 48213", "password?\n> «password:1»"),
        ("密码是多少？\nhunter2", "密码是多少？\n«password:1»"),
        ("甲：密码是多少？\n乙：hunter2!x", "甲：密码是多少？\n乙：«password:1»"),
        ("甲：后台密码多少来着\n乙：是 swordfish", "甲：后台密码多少来着\n乙：是 «password:1»"),
        ("密码是什么？\n好的，是「芝麻开门」", "密码是什么？\n好的，是「«password:1»」"),
        ("密码呢？ 123456", "密码呢？ «password:1»"),
        ("你记得密码吗？\n记得，是hunter2", "你记得密码吗？\n记得，是«password:1»"),
        ("把密码发我一下\nhunter2!x", "把密码发我一下\n«password:1»"),
        ("Send me the password please.\nhunter2!x", "Send me the password please.\n«password:1»"),
    ]);
    check_survives(&[
        "A: what's the password?\nB: ask Bob",
        "What's the password?\nno idea",
        "What's the password?\nsorry",
        "Which version fixed the password bug?\nv2.10.1",
        "Did you change the password?\nyes",
        "is the password hashed?\nsha256",
        "the password is wrong",
        "the password is expired",
        "Is the password expired?\nexpired",
        "密码忘了",
        "密码是多少？\n不知道",
        "密码是多少？\n稍等，我问问",
        "密码是什么？密码是必填项",
        "密码怎么改？\nsettings2",
        "wifi密码？\n20号楼2单元",
        "What's your password?\nI won't tell you",
        "把密码发我一下\n好的，稍等",
        "Send me the password\nPlease do it today",
        "All of us share the password.\nimportant",
    ]);
}

#[test]
fn cards_and_identity_numbers_are_taken_out() {
    check(&[
        ("卡号4111111111111111，有效期12/28", "卡号«card:1»，有效期12/28"),
        ("卡号：6222 0212 3456 7890 128", "卡号：«card:1»"),
        ("pay with 4111-1111-1111-1111 please", "pay with «card:1» please"),
        ("amex 3782 822463 10005", "amex «card:1»"),
        ("５５５５　５５５５　５５５５　４４４４", "«card:1»"),
        ("用5555555555554444付款", "用«card:1»付款"),
        ("身份证：110105194912310021", "身份证：«national_id:1»"),
        ("身份证号11010519491231002X", "身份证号«national_id:1»"),
        ("110105 19491231 002x", "«national_id:1»"),
        ("１１０１０５１９４９１２３１００２Ｘ", "«national_id:1»"),
        ("SSN 123-45-6789", "SSN «ssn:1»"),
        ("social security number: 123456789", "social security number: «ssn:1»"),
    ]);
}

#[test]
fn telephones_and_addresses_are_taken_out() {
    check(&[
        ("打13800138000找我", "打«phone:1»找我"),
        ("手机：138 0013 8000", "手机：«phone:1»"),
        ("手机：138-0013-8000。", "手机：«phone:1»。"),
        ("+86 13800138000", "«phone:1»"),
        ("+86-138-0013-8000", "«phone:1»"),
        ("(+86) 138 0013 8000", "«phone:1»"),
        ("１３８００１３８０００", "«phone:1»"),
        ("张三/13800138000", "张三/«phone:1»"),
        ("座机010-62345678转801", "座机«phone:1»转801"),
        ("(021) 6234 5678", "«phone:1»"),
        ("13800138000,13900139000、8613700137000", "«phone:1»,«phone:2»、«phone:3»"),
        ("138.0013.8000", "«phone:1»"),
        ("+33 6 12 34 56 78", "«phone:1»"),
        ("+1-415-555-2671x12", "«phone:1»x12"),
        ("电话：62345678", "电话：«phone:1»"),
        ("call (415) 555-2671 now", "call «phone:1» now"),
        ("415-555-2671", "«phone:1»"),
        ("+1 415 555 2671", "«phone:1»"),
        ("+44 20 7946 0958", "«phone:1»"),
        ("my phone is 4155552671", "my phone is «phone:1»"),
        ("写信到zhang.san+a@corp.example.com。", "写信到«email:1»。"),
        ("bob＠example．com", "«email:1»"),
        ("bob at example dot com", "«email:1»"),
        ("bob [at] example [dot] com", "«email:1»"),
        ("a@b.co, A@B.CO and c@d.io", "«email:1», «email:1» and «email:2»"),
        ("13800138000 或 +86 138-0013-8000", "«phone:1» 或 «phone:1»"),
    ]);
}

/// SPEC 1.2: who has forgotten a password often says what it may be.
#[test]
fn a_password_that_is_guessed_at_is_one() {
    check(&[
        ("密码忘了，应该是hunter2吧", "密码忘了，应该是«password:1»吧"),
        ("密码我记不清了，好像是 hunter2", "密码我记不清了，好像是 «password:1»"),
        ("后台密码想不起来了。可能是Abc@1234？", "后台密码想不起来了。可能是«password:1»？"),
        ("密码不记得了，大概是swordfish吧", "密码不记得了，大概是«password:1»吧"),
        ("密码忘了，试试hunter2", "密码忘了，试试«password:1»"),
        ("密码忘了，是不是「芝麻开门」", "密码忘了，是不是「«password:1»」"),
        ("密码是不是hunter2？", "密码是不是«password:1»？"),
        ("密码好像是hunter2", "密码好像是«password:1»"),
        ("密码我记得是hunter2", "密码我记得是«password:1»"),
        ("密码一直是qwerty", "密码一直是«password:1»"),
        ("I forget the password, probably hunter2", "I forget the password, probably «password:1»"),
        ("I forgot the password - maybe it's hunter2?", "I forgot the password - maybe it's «password:1»?"),
        ("The password? I think it is hunter2.", "The password? I think it is «password:1»."),
        (
            "can't recall the wifi password. It might be 'open sesame'",
            "can't recall the wifi password. It might be '«password:1»'",
        ),
        ("the password is probably hunter2", "the password is probably «password:1»"),
        ("the password should be hunter2", "the password should be «password:1»"),
        ("the password could be Tr0ub4dor&3, or not", "the password could be «password:1», or not"),
        ("the password is, I guess, hunter2", "the password is, I guess, «password:1»"),
        ("the password for prod is maybe hunter2", "the password for prod is maybe «password:1»"),
    ]);
    check_survives(&[
        "密码忘了，应该是上周改过",
        "密码忘了，可能是2026年改的，联系管理员重置",
        "密码忘了，大概是sha256加密的",
        "密码记不清了，是不是过期了？",
        "密码忘了，应该是3天前改的吧",
        "密码忘了怎么办，试试找回",
        "I forgot the password, probably yesterday",
        "I forgot the password, maybe ask Bob",
        "I forgot my password; it might be time to reset it",
        "the password is probably compromised",
        "the password should be changed every 90 days",
        "the password must be stored with argon2id",
        "the password might be in the vault",
    ]);
}

/// Seven or eight digits are a telephone only by what stands beside them: alone, they may be an order, a range, a part.
#[test]
fn local_telephones_are_told_by_their_neighbours() {
    check(&[
        ("电话 8888 1234", "电话 «phone:1»"),
        ("电话是8888-1234，别打手机", "电话是«phone:1»，别打手机"),
        ("打 8888 1234 找我", "打 «phone:1» 找我"),
        ("有事拨88881234", "有事拨«phone:1»"),
        ("订单到了就打 6234-5678", "订单到了就打 «phone:1»"),
        ("打我座机 62345678", "打我座机 «phone:1»"),
        ("联系人王芳 电话：8888 1234", "联系人王芳 电话：«phone:1»"),
        ("8888 1234 是我电话", "«phone:1» 是我电话"),
        ("6234-5678（座机）", "«phone:1»（座机）"),
        ("call 555-0123", "call «phone:1»"),
        ("Call me at 555-0123.", "Call me at «phone:1»."),
        ("call Ana on 555 0123 tonight", "call Ana on «phone:1» tonight"),
        ("dial 555.0123", "dial «phone:1»"),
        ("you can reach us at 5550123", "you can reach us at «phone:1»"),
        ("my number is 555-0123", "my number is «phone:1»"),
        ("phone 555-0123", "phone «phone:1»"),
        ("555-0123 is my cell", "«phone:1» is my cell"),
        ("555-0123 (mobile)", "«phone:1» (mobile)"),
        ("When the order is there, call 555-0123", "When the order is there, call «phone:1»"),
    ]);
    check_survives(&[
        "8888 1234",
        "555-0123",
        "订单 8888 1234 已发货，打电话确认",
        "订单号8888-1234",
        "打印 8888 1234 两页",
        "打包 88881234",
        "打了12345678次",
        "这批货共 8888 1234 两箱",
        "order 555-0123 shipped; call when it arrives",
        "call order 555-0123",
        "recall 555-0123 parts",
        "call 1234567 functions",
        "see lines 120-1340",
        "pages 100-2000 are missing",
        "part 555-0123",
        "my order number is 555-0123",
        "the build at 2026-1130",
        "reach 1000000 users",
        "call the 2026-1130 build",
    ]);
}

#[test]
fn task_content_survives() {
    check_survives(&[
        "订单号20261130123456789，金额¥1,299.50",
        "订单号13800138000x 已发货",
        "订单13800138000已发货",
        "order 4111111111111111 shipped",
        "运单号 4111111111111111",
        "version 1.2.3, v10.0.19045.3693",
        "2026-11-30T10:00:00+08:00",
        "2026-11-30 10:00:00 to 2026-12-01 18:30:00",
        "timestamp 1732950000000",
        "1732950000000",
        "1764496800123",
        "commit 59c8272f86cfd3a1b2c3d4e5f60718293a4b5c6d",
        "commit 4111111111111111aaaa",
        "0193a7c2-7b1e-7c3a-9f44-138001380001",
        "41111111-1111-4111-8111-111111111111",
        "SN-138-0013-8000",
        "192.168.100.254 and 10.0.0.1:8080",
        "ISBN 978-7-111-54742-6",
        "ISBN 9787111547426",
        "¥13800138000 和 $4,111,111,111.00",
        "总额13800138000元",
        "SF1234567890123 和 1Z999AA10123456784",
        "物流单号 773012345678901",
        "growth of +100000000 rows",
        "3.14159265358979 and 0.4111111111111111",
        "QQ群 123456789",
        "增长3.2%，共1,234,567,890次",
        "issue #13800138000",
        "2026-2027 学年 2026 11 30",
        "第三季度收入为1,240万元，手机卖出12000000台",
        "手机 2026-11-30 到货",
        "123-45-678 and 000-12-3456",
        "icon@2x.png, pkg@1.2.3, @scope/pkg, user@localhost",
        "git@github.com:acme/repo.git",
        "http://localhost:8080/img@2x.png",
        "https://example.com:8443/a?b=c",
        "the password is required and must not be empty",
        "password reset is broken; the password was wrong",
        "忘记密码怎么办？密码是什么？密码是必填项",
        "密码错误，密码强度不够，密码长度为8位以上的字符",
        "let password: String = get_password();",
        "password = os.environ[\"DB_PASSWORD\"]",
        "password: ${DB_PASSWORD} token: <your token>",
        "password: ******",
        "max_tokens: 4096, token_count=128, total tokens: 12345",
        "the secret to success is patience",
        "a token of appreciation; bearer of bad news; basic understanding",
        "primary_key: 12345678901, idempotency_key: 8f14e45f",
        "task-force-meeting-notes-2026 and risk-assessment-draft",
        "compass: north, bypass: true, passing: 12",
        "cookies: chocolate and oatmeal",
        "登录用的是口令牌设备",
        "sk-learn",
        "密码：至少8位。密码：无。密码 2026年更新",
        "sessionId=0193a7c2-7b1e-7c3a-9f44-1a2b3c4d5e6f",
        "{\"token\": 128, \"completion_tokens\": 12345678}",
        "change password to something stronger; the password must be changed every 90 days",
        "pin is on the board, otp is enabled, api key: see vault",
        "sha256:4111111111111111111111111111111111111111111111111111111111111111",
        "坐标 31.230416,121.473701 和 37.7749, -122.4194",
    ]);
}

#[test]
fn metadata_is_searched_by_key_and_value() {
    let mut raw = raw("ok");
    raw.metadata = serde_json::from_value(json!({
        "password": "a b c", "phone": 13800138000u64, "max_tokens": 4096, "note": "call 13800138000",
        "nested": {"auth": [{"apiKey": "x1"}], "13800138000": true}, "credentials": {"user": "ana", "value": "zzz"},
        "order": "A-1024", "token": null, "retries": 3
    }))
    .unwrap();
    let event = redact(raw, &Rules::default()).unwrap().stamped(EventId(Uuid::nil()), Timestamp::UNIX_EPOCH);
    assert_eq!(
        Value::Object(event.metadata),
        json!({
            "password": "«password:1»", "phone": "«phone:1»", "max_tokens": 4096, "note": "call «phone:1»",
            "nested": {"auth": [{"apiKey": "«api_key:1»"}], "«phone:1»": true},
            "credentials": {"user": "«api_key:2»", "value": "«api_key:3»"},
            "order": "A-1024", "token": null, "retries": 3
        })
    );
    let counts: Vec<(&str, u32)> = event.redactions.iter().map(|r| (r.label.as_str(), r.count)).collect();
    assert_eq!(counts, [("api_key", 3), ("password", 1), ("phone", 3)]);
}

fn raw(content: &str) -> RawEvent {
    RawEvent::new(Scope::default(), Source::User, Kind::Note, content)
}

#[test]
fn limits_are_refused_by_name() {
    let rules = Rules::default();
    let refused = |change: &dyn Fn(&mut RawEvent)| {
        let mut event = raw("ok");
        change(&mut event);
        redact(event, &rules).unwrap_err()
    };
    assert_eq!(refused(&|e| e.content = " \n\u{3000}".into()), Refused::EmptyContent);
    assert_eq!(refused(&|e| e.content = "a\0b".into()), Refused::NulInContent);
    assert_eq!(refused(&|e| e.content = "a".repeat(1 << 20) + "b"), Refused::ContentTooLong { bytes: (1 << 20) + 1 });
    assert_eq!(refused(&|e| drop(e.metadata.insert("a\0".into(), json!(1)))), Refused::NulInMetadata);
    assert_eq!(refused(&|e| drop(e.metadata.insert("a".into(), json!({"b": ["\0"]})))), Refused::NulInMetadata);
    assert!(matches!(
        refused(&|e| drop(e.metadata.insert("a".into(), json!("b".repeat(70_000))))),
        Refused::MetadataTooLong { .. }
    ));
    let deep = (0..500).fold(json!(1), |value, _| json!([value]));
    assert_eq!(refused(&|e| drop(e.metadata.insert("a".into(), deep.clone()))), Refused::MetadataTooDeep);
    assert_eq!(refused(&|e| e.idempotency_key = Some(String::new())), Refused::EmptyKey);
    assert_eq!(refused(&|e| e.idempotency_key = Some("k".repeat(513))), Refused::KeyTooLong { bytes: 513 });
    assert_eq!(refused(&|e| e.idempotency_key = Some("a\nb".into())), Refused::ControlInKey);
    let secret = "sk-proj-abcDEF1234567890abcdef";
    let error = refused(&|e| e.idempotency_key = Some(secret.into()));
    assert!(matches!(error, Refused::SecretInKey { .. }) && !error.to_string().contains("sk-proj"));
    let error = refused(&|e| e.scope.owner.user = ScopeId::from_str(secret).unwrap());
    assert!(matches!(error, Refused::SecretInScope { field: "user", .. }) && !error.to_string().contains("sk-proj"));
}

#[test]
fn ids_that_are_common_are_taken_as_they_are() {
    for id in [
        "13800138000",
        "bob@example.com",
        "a:b",
        "a%",
        "*",
        "110105194912310021",
        "user-password",
        "0193a7c2-7b1e-7c3a-9f44-1a2b3c4d5e6f",
    ] {
        let mut event = raw("ok");
        event.scope.owner.user = ScopeId::from_str(id).unwrap();
        assert_eq!(
            redact(event, &Rules::default())
                .unwrap()
                .stamped(EventId(Uuid::nil()), Timestamp::UNIX_EPOCH)
                .scope
                .owner
                .user
                .as_str(),
            id
        );
    }
}

#[test]
fn trust_and_time_have_defaults() {
    let now: Timestamp = "2026-11-30T10:00:00Z".parse().unwrap();
    let stamp = |raw: RawEvent| redact(raw, &Rules::default()).unwrap().stamped(EventId(Uuid::nil()), now);
    let event = stamp(raw("ok"));
    assert_eq!((event.trust, event.recorded_at, event.occurred_at.timestamp()), (Trust::Trusted, now, now));
    let tool = RawEvent { source: Source::Tool, ..raw("ok") };
    assert_eq!(stamp(tool.clone()).trust, Trust::Untrusted);
    assert_eq!(stamp(RawEvent { trust: Some(Trust::Trusted), ..tool }).trust, Trust::Trusted);
    assert_eq!(stamp(RawEvent { kind: Kind::Imported, ..raw("ok") }).trust, Trust::Untrusted);
}

#[test]
fn a_key_gives_one_placeholder_to_one_secret_in_all_events() {
    let rules = Rules::default().with_key(Key::new([7; 32]));
    let one = redact_text("a@b.io 13800138000", &rules);
    let other = redact_text("c@d.io then A@b.io, +86 138 0013 8000", &rules);
    let (email, phone) = one.split_once(' ').unwrap();
    assert!(email.starts_with("«email:") && email.len() == "«email:0123456789ab»".len(), "{email}");
    assert!(other.contains(email) && other.contains(phone), "{one} / {other}");
    assert_ne!(one, redact_text("a@b.io 13800138000", &Rules::default().with_key(Key::new([8; 32]))));
    assert_eq!(redact_text(&one, &rules), one);
    let mut event = raw("ok");
    event.idempotency_key = Some("mail from bob@example.com".into());
    let key = redact(event.clone(), &rules).unwrap().idempotency_key;
    assert_eq!(key, redact(event, &rules).unwrap().idempotency_key);
    assert!(!key.unwrap().contains("bob"));
    assert!(!format!("{rules:?}").contains('7'), "{rules:?}");
}

#[test]
fn owners_have_placeholders_of_their_own() {
    let rules = Rules::default().with_key(Key::new([7; 32]));
    let of = |user: &str| {
        let owner = Owner { user: ScopeId::new(user).unwrap(), ..Owner::default() };
        redact_text("打13800138000", &rules.for_owner(&owner))
    };
    assert_eq!(of("ana"), of("ana"));
    assert_ne!(of("ana"), of("bob"));
    // Numbers are not keyed: nothing tells «phone:1» of one event from that of another.
    assert_eq!(redact_text("打13800138000", &Rules::default().for_owner(&Owner::default())), "打«phone:1»");
}

#[test]
fn a_key_is_read_as_hex_or_base64() {
    const HEX: &str = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
    let same = [
        HEX.to_owned(),
        format!(" {}\n", HEX.to_uppercase()),
        "ABEiM0RVZneImaq7zN3u/wARIjNEVWZ3iJmqu8zd7v8=".to_owned(),
        "ABEiM0RVZneImaq7zN3u_wARIjNEVWZ3iJmqu8zd7v8".to_owned(),
    ];
    let named = |text: &str| redact_text("打13800138000", &Rules::default().with_key(Key::from_text(text).unwrap()));
    for text in &same {
        assert_eq!(named(text), named(HEX), "{text}");
    }
    for (text, error) in [
        ("", KeyError::Length { bytes: 0 }),
        (&HEX[..62], KeyError::Length { bytes: 31 }),
        ("c2hvcnQ=", KeyError::Length { bytes: 5 }),
        ("我的密钥", KeyError::Form),
        ("not a key!", KeyError::Form),
    ] {
        assert_eq!(Key::from_text(text).map(|_| ()), Err(error), "{text}");
    }
}

#[test]
fn what_is_sealed_opens_only_where_it_was_put() {
    let rules = Rules::default().with_key(Key::new([7; 32]));
    let mut event = raw("密码是hunter2。The card is 4111111111111111 and again 4111 1111 1111 1111");
    event.metadata.insert("phone".into(), "13800138000".into());
    let mut redacted = redact(event.clone(), &rules).unwrap();
    let taken = redacted.secrets();
    let secrets: Vec<&str> = taken.iter().map(|taken| taken.secret.as_str()).collect();
    assert_eq!(secrets, ["hunter2", "4111111111111111", "13800138000"]);
    assert!(!format!("{taken:?} {redacted:?}").contains("hunter2"));
    assert_eq!(redact(event, &Rules::default()).unwrap().secrets(), [], "without a key nothing is kept");
    let (ana, bob) = (Owner::default(), Owner { user: ScopeId::new("bob").unwrap(), ..Owner::default() });
    let (key, other) = (Key::new([1; 32]), Key::new([2; 32]));
    let sealed = taken[0].sealed(&key, &ana, [9; 24]);
    let opened = |key: &Key, owner: &Owner, placeholder: &str, sealed: &[u8]| {
        open(key, owner, placeholder, sealed).map(|secret| secret.to_string()).ok()
    };
    assert_eq!(opened(&key, &ana, &sealed.placeholder, &sealed.sealed), Some("hunter2".to_owned()));
    assert_eq!(opened(&other, &ana, &sealed.placeholder, &sealed.sealed), None);
    assert_eq!(opened(&key, &bob, &sealed.placeholder, &sealed.sealed), None);
    assert_eq!(opened(&key, &ana, "password:0123456789ab", &sealed.sealed), None);
    assert_eq!(opened(&key, &ana, &sealed.placeholder, &sealed.sealed[..30]), None);
    assert_ne!(taken[0].sealed(&key, &ana, [8; 24]).sealed[24..], sealed.sealed[24..]);
}

#[test]
fn placeholders_stand_and_are_not_given_twice() {
    check(&[
        ("«card:1» and 4111111111111111", "«card:1» and «card:2»"),
        ("password: «password:3»", "password: «password:3»"),
        ("my password is «password:1».", "my password is «password:1»."),
        ("«card:4111111111111111»", "«card:«card:1»»"),
        ("«unknown:1» «Phone:1»", "«unknown:1» «Phone:1»"),
    ]);
}

#[test]
fn rules_are_read_and_checked() {
    let rules = Rules::from_toml("off = [\"phone\"]\n[[rule]]\nlabel = \"badge\"\npattern = 'badge (\\d+)'\n").unwrap();
    assert_eq!(redact_text("badge 77 at 13800138000 a@b.io", &rules), "badge «badge:1» at 13800138000 «email:1»");
    for (text, hint) in [
        ("off = [\"phones\"]", "phones"),
        ("on = []", "unknown field"),
        ("[[rule]]\nlabel = \"Bad Label\"\npattern = 'x'", "Bad Label"),
        ("[[rule]]\nlabel = \"bad\"\npattern = '('", "unclosed group"),
        ("[[rule]]\nlabel = \"all\"\npattern = 'x*'", "empty text"),
        ("[[rule]]\nlabel = \"big\"\npattern = '(\\w{1000}){1000}'", "size"),
    ] {
        let error = Rules::from_toml(text).unwrap_err().to_string();
        assert!(error.contains(hint), "{error}");
    }
}

#[test]
fn a_long_text_takes_linear_time() {
    for unit in [
        "1",
        "1 ",
        "1-",
        "12 ",
        "@",
        "a@",
        "a.",
        "a@b.c ",
        "password ",
        "密码是",
        "-----BEGIN PRIVATE KEY-----",
        "-----END PRIVATE KEY----- ",
        "eyJ",
        "://a:",
        "«card:",
        "sk-",
        "bearer ",
        "cookie:",
        "token=",
        "\"",
        "curl -u ",
        "0 (",
        "密码",
        "4111\n",
        "login: a / ",
        "账号/密码：",
        "密码？\n",
        "the password?\n",
        "user,password\n",
        "| 用户 | 密码 |\n",
        "user password ",
        "用a当密码",
        "x as the password is ",
        "password: Tiger ",
        "密码不是",
        "AKIAIOSFODNN7EXAMPLE ",
    ] {
        let text = unit.repeat(100_000 / unit.len());
        clean(&text);
    }
}

fn secret() -> impl Strategy<Value = (&'static str, String)> {
    let digits = |n: usize| {
        prop::collection::vec(0u8..10, n).prop_map(|d| d.iter().map(|d| char::from(b'0' + d)).collect::<String>())
    };
    let card = (prop::sample::select(vec!["4", "51", "55", "62", "6011", "3530"]), digits(16), 0..3usize).prop_map(
        |(prefix, rest, style)| {
            let body = format!("{prefix}{}", &rest[..15 - prefix.len()]);
            let last = (0..10).find(|d| luhn_sum(&format!("{body}{d}")).is_multiple_of(10)).unwrap();
            let card = format!("{body}{last}");
            let groups: Vec<&str> = (0..4).map(|g| &card[g * 4..g * 4 + 4]).collect();
            ("card", [card.clone(), groups.join(" "), groups.join("-")][style].clone())
        },
    );
    let id = (
        prop::sample::select(vec!["110105", "440304", "510107", "310115"]),
        1940i32..2015,
        1u32..13,
        1u32..29,
        0u32..1000,
        0..2usize,
    )
        .prop_map(|(region, year, month, day, serial, style)| {
            let body = format!("{region}{year}{month:02}{day:02}{serial:03}");
            let weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2];
            let sum: u32 = body.bytes().zip(weights).map(|(b, w)| u32::from(b - b'0') * w).sum();
            let id = format!("{body}{}", "10X98765432".as_bytes()[(sum % 11) as usize] as char);
            ("national_id", if style == 0 { id } else { format!("{} {} {}", &id[..6], &id[6..14], &id[14..]) })
        });
    let phone = (3u8..10, digits(9), 0..6usize).prop_map(|(second, rest, style)| {
        let phone = format!("1{second}{rest}");
        let (a, b, c) = (&phone[..3], &phone[3..7], &phone[7..]);
        let written = [
            phone.clone(),
            format!("{a} {b} {c}"),
            format!("{a}-{b}-{c}"),
            format!("+86{phone}"),
            format!("+86 {a} {b} {c}"),
            format!("+86-{phone}"),
        ];
        ("phone", written[style].clone())
    });
    let email =
        "[a-z]{1,8}[._+]?[a-z0-9]{1,8}@[a-z]{2,8}\\.(com|cn|io|example\\.org)".prop_map(|email| ("email", email));
    let ssn = (1u32..666, 1u32..100, 1u32..10000).prop_map(|(a, b, c)| ("ssn", format!("{a:03}-{b:02}-{c:04}")));
    let key = prop_oneof![
        "sk-proj-[A-Za-z0-9]{20,40}9",
        "AKIA[A-Z0-9]{16}",
        "ghp_[A-Za-z0-9]{36}",
        "xoxb-[0-9]{12}-[a-zA-Z0-9]{24}",
        "AIza[A-Za-z0-9_-]{34}x",
        "hf_[A-Za-z]{34}",
        "glpat-[A-Za-z0-9]{20}"
    ]
    .prop_map(|key| ("api_key", key));
    let jwt = "eyJ[A-Za-z0-9]{12,30}\\.eyJ[A-Za-z0-9]{12,30}\\.[A-Za-z0-9_]{20,40}".prop_map(|jwt| ("token", jwt));
    prop_oneof![card, id, phone, email, ssn, key, jwt]
}

fn luhn_sum(digits: &str) -> u32 {
    digits
        .bytes()
        .rev()
        .enumerate()
        .map(|(i, b)| {
            let d = u32::from(b - b'0');
            if i % 2 == 1 { d * 2 / 10 + d * 2 % 10 } else { d }
        })
        .sum()
}

fn password() -> impl Strategy<Value = (String, String)> {
    let said = prop::sample::select(vec![
        "密码是{}",
        "密码：{}",
        "我的密码是 {}，记一下",
        "口令: {}",
        "数据库密码改成了{}",
        "password: {}",
        "my password is {}",
        "passwd={}",
        "pwd={}",
        "\"password\": \"{}\"",
        "the password for prod is {}",
        "password is `{}`",
    ]);
    (said, "[A-Za-z][A-Za-z0-9@#%^*_+]{5,12}[0-9]").prop_map(|(said, word)| (said.replace("{}", &word), word))
}

fn wide(text: &str) -> String {
    text.chars()
        .map(|c| match c {
            ' ' => '\u{3000}',
            '!'..='~' => char::from_u32(c as u32 + 0xFEE0).unwrap(),
            c => c,
        })
        .collect()
}

fn digits_of(text: &str) -> String {
    text.chars().filter(char::is_ascii_digit).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(1500) })]

    #[test]
    fn no_secret_passes_in_any_carrier(
        (label, secret) in secret(),
        carrier in prop::sample::select(vec![
            "{}", "请联系{}，谢谢", "资料：{}。另外订单A-1024已发货", "my number is {}, ok?", "({})", "「{}」", "a\n{}\nb", "{\"v\": \"{}\", \"n\": 2}",
            "他说 {} 就是这个", "see: {}.", "2026-11-30 {} 10:00", "第3步，{}", "v1.2.3 {} done", "- {}", "用{}登录", "<b>{}</b>", "a={}&b=1",
        ]),
        full in any::<bool>(),
    ) {
        let written = if full { wide(&secret) } else { secret.clone() };
        let text = carrier.replace("{}", &written);
        let redacted = clean(&text);
        prop_assert!(!redacted.contains(&written), "{label}: {text:?} → {redacted:?}");
        prop_assert!(redacted.contains(&format!("«{label}:1»")), "{label}: {text:?} → {redacted:?}");
        if matches!(label, "card" | "phone" | "ssn") {
            prop_assert!(!digits_of(&fold(&redacted)).contains(&digits_of(&secret)));
        }
        prop_assert_eq!(clean(&redacted), redacted);
    }

    #[test]
    fn no_password_passes((text, word) in password(), full in any::<bool>()) {
        let (text, word) = if full { (wide(&text), wide(&word)) } else { (text, word) };
        let redacted = clean(&text);
        prop_assert!(!redacted.contains(&word), "{text:?} → {redacted:?}");
        prop_assert_eq!(clean(&redacted), redacted);
    }

    #[test]
    fn redacting_twice_is_redacting_once(text in "(\\PC|[0-9 @.:=-]|密码|是|password|token|«|»|card:1|[a-z]){0,40}") {
        let once = clean(&text);
        prop_assert_eq!(clean(&once), once);
    }

    #[test]
    fn numbers_without_meaning_survive(order in "[A-Z]{2}[0-9]{8,16}", stamp in 1_600_000_000_000u64..1_900_000_000_000) {
        // A hash of digits alone may be the number of a card.
        let text = format!("订单{order}，时间{stamp}，哈希f{:x}", stamp * 7919);
        prop_assert_eq!(clean(&text), text);
    }
}
/// Run by hand: `cargo test --release -p holdfast redact -- --ignored --nocapture`.
#[test]
#[ignore = "a measurement"]
fn cost_of_redaction() {
    let messages = [
        "帮我把第三季度的销售报告改成PDF，收入是1,240万元，同比增长3.2%，下周三之前发给王芳。",
        "Please move the deploy to Friday and tell the team that report_v2.pdf is final.",
        "好的，谢谢！",
        "订单A-1024的金额是¥1,299.50，物流单号SF1234567890123，预计2026-11-30送达。",
        "The password field is required; see https://example.com/docs for the token format.",
        "我的手机号是13800138000，邮箱zhang.san@example.com，密码是hunter2",
    ];
    let rules = Rules::default();
    for message in messages {
        redact_text(message, &rules);
        let started = std::time::Instant::now();
        for _ in 0..20_000 {
            std::hint::black_box(redact_text(std::hint::black_box(message), &rules));
        }
        println!("{:>7.2} µs  {message}", started.elapsed().as_secs_f64() * 1e6 / 20_000.0);
    }
    for unit in messages.iter().copied().chain([
        "1 ",
        "12 ",
        "123 ",
        "a@b.c ",
        "密码是",
        "token=",
        "cookie:a=b ",
        "密码“",
        "{\"a\":1},",
    ]) {
        let text = unit.repeat((1 << 20) / unit.len());
        let started = std::time::Instant::now();
        redact_text(&text, &rules);
        println!("{:>7.1} ms for 1 MiB of {unit:?}", started.elapsed().as_secs_f64() * 1e3);
    }
}
