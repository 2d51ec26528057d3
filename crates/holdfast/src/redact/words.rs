//! The words that announce a secret, and those that only speak of one. Lists, several words a line.

use super::assigned::Keyword::{
    self, ApiKey, Authorization, Code, Cookie, Entry, Login, Pass, Password, Phrase, Session, Token,
};
use super::rules::Secret;

/// Without regard to case; at each place the longest counts.
#[rustfmt::skip]
pub(super) const KEYWORDS: &[(&str, Keyword)] = &[
    ("password", Password), ("passwd", Password), ("passcode", Password), ("passphrase", Phrase),
    ("pass phrase", Phrase), ("seed phrase", Phrase), ("recovery phrase", Phrase), ("mnemonic", Phrase), ("助记词", Phrase), ("passwort", Password), ("contraseña", Password), ("mot de passe", Password),
    ("パスワード", Password), ("비밀번호", Password), ("密码", Password), ("密碼", Password), ("口令", Password), ("pwd", Pass),
    ("psw", Pass), ("pass", Pass), ("pin code", Pass), ("pin", Pass), ("pw", Pass), ("p/w", Pass), ("passwrd", Password), ("pass word", Pass),
    ("kennwort", Password), ("senha", Pass), ("pin码", Entry), ("pin 码", Entry), ("pin碼", Entry), ("door code", Entry), ("gate code", Entry),
    ("alarm code", Entry), ("entry code", Entry), ("entrance code", Entry), ("access code", Entry), ("lock code", Entry), ("safe code", Entry),
    ("garage code", Entry), ("keypad code", Entry), ("lockbox code", Entry), ("unlock code", Entry), ("door pin", Entry), ("门禁码", Entry),
    ("門禁碼", Entry), ("门锁码", Entry), ("开门码", Entry), ("开锁码", Entry), ("解锁码", Entry), ("大门码", Entry), ("取件码", Entry), ("报警码", Entry), ("api_key", ApiKey), ("api-key", ApiKey),
    ("api key", ApiKey), ("apikey", ApiKey), ("access_key_id", ApiKey), ("access key id", ApiKey),
    ("accesskeyid", ApiKey), ("access_key", ApiKey), ("access key", ApiKey), ("access-key", ApiKey),
    ("accesskey", ApiKey), ("secret_access_key", ApiKey), ("secret access key", ApiKey),
    ("secretaccesskey", ApiKey), ("secret_key", ApiKey), ("secret key", ApiKey), ("secretkey", ApiKey),
    ("secret-key", ApiKey), ("client_secret", ApiKey), ("clientsecret", ApiKey), ("client secret", ApiKey),
    ("app_secret", ApiKey), ("appsecret", ApiKey), ("app secret", ApiKey), ("secret", ApiKey),
    ("private_key", ApiKey), ("private key", ApiKey), ("privatekey", ApiKey), ("signing_key", ApiKey),
    ("encryption_key", ApiKey), ("account_key", ApiKey), ("accountkey", ApiKey), ("sharedaccesskey", ApiKey),
    ("密钥", ApiKey), ("秘钥", ApiKey), ("密鑰", ApiKey), ("私钥", ApiKey), ("credential", ApiKey), ("access_token", Token),
    ("access token", Token), ("api_token", Token), ("api token", Token), ("auth_token", Token),
    ("refresh_token", Token), ("token", Token), ("令牌", Token), ("session_id", Session), ("sessionid", Session),
    ("phpsessid", Session), ("jsessionid", Session), ("sid", Session), ("验证码", Code), ("驗證碼", Code), ("校验码", Code),
    ("verification code", Code), ("one-time code", Code), ("security code", Code), ("otp", Code), ("cvv", Code),
    ("cvc", Code), ("authorization", Authorization), ("set-cookie", Cookie), ("cookie", Cookie),
    ("login", Login), ("log-in", Login), ("logon", Login), ("signin", Login), ("sign-in", Login), ("creds", Login),
    ("username", Login), ("user name", Login), ("user", Login), ("account", Login), ("登录", Login), ("登陆", Login), ("登錄", Login),
    ("账号", Login), ("帐号", Login), ("賬號", Login), ("帳號", Login), ("账户", Login), ("用户名", Login), ("用戶名", Login),
];

/// Keys whose whole value is a secret, by how they end; underscores, hyphens and case don't count.
#[rustfmt::skip]
pub(super) const SECRET_KEYS: &[(&str, Secret)] = &[
    ("password", Secret::Password), ("passwd", Secret::Password), ("pwd", Secret::Password),
    ("passphrase", Secret::Password), ("passcode", Secret::Password), ("密码", Secret::Password),
    ("密碼", Secret::Password), ("口令", Secret::Password), ("apikey", Secret::ApiKey), ("accesskey", Secret::ApiKey),
    ("accesskeyid", Secret::ApiKey), ("secretkey", Secret::ApiKey), ("secret", Secret::ApiKey),
    ("privatekey", Secret::PrivateKey), ("密钥", Secret::ApiKey), ("秘钥", Secret::ApiKey),
    ("credential", Secret::ApiKey), ("credentials", Secret::ApiKey), ("token", Secret::Token),
    ("authorization", Secret::Token), ("令牌", Secret::Token), ("cookie", Secret::Cookie), ("验证码", Secret::Code),
];

/// What a sentence goes on with that speaks about a password instead of telling it.
#[rustfmt::skip]
pub(super) const SPEAKING: &[&str] = &[
    "a", "about", "again", "all", "already", "also", "always", "an", "and", "any", "as", "at", "be", "because",
    "been", "being", "blank", "by", "case", "changed", "compromised", "correct", "different", "easy", "empty",
    "encrypted", "entered", "enough", "exposed", "expired", "fine", "for", "forgotten", "from", "generated",
    "going", "good", "gone", "hard", "hashed", "hidden", "him", "her", "here", "how", "if", "in", "incorrect",
    "invalid", "is", "it", "just", "kept", "known", "leaked", "like", "long", "lost", "me", "missing", "more", "my",
    "needed", "never", "new", "no", "none", "not", "now", "null", "of", "ok", "old", "on", "one", "only",
    "optional", "or", "our", "protected", "provided", "reset", "required", "right", "safe", "same", "saved",
    "secure", "sent", "set", "shared", "short", "so", "something", "still", "stored", "string", "strong", "that",
    "the", "their", "there", "this", "to", "too", "unchanged", "undefined", "unknown", "used", "valid", "very",
    "visible", "weak", "what", "where", "which", "with", "without", "working", "wrong", "you", "your", "yours",
    "true", "false", "boolean", "str", "text", "varchar", "field", "input", "int", "bytes", "redacted", "removed",
    "here.", "rotated", "updated", "was", "will", "would", "should", "must", "can", "cannot", "can't", "has",
    "have", "isn't", "doesn't",
];

/// The same in Chinese: what follows 是 or 为.
#[rustfmt::skip]
pub(super) const SPEAKING_ZH: &[&str] = &[
    "密码", "密碼", "口令", "密钥", "至少", "最少", "最多", "长度", "无", "待定", "未", "忘", "若", "或", "以", "首次", "登录", "登陆", "重置", "修改", "同", "详", "参", "另", "单独", "私", "什么", "多少", "否", "不", "必", "需", "要", "用", "我", "你", "他", "她", "它", "在", "由", "个", "一", "错", "对", "正确", "加密",
    "安全", "放", "存", "怎", "谁", "哪", "啥", "有", "没", "空", "明文", "默认", "旧", "新", "同", "之前", "以前", "原来", "随机", "自动", "几", "每",
    "这", "那", "从", "通过", "保密", "强", "弱", "的", "了", "吗", "呢", "过期", "如何", "为什么", "见", "已", "请", "可", "能", "会", "应",
    "被", "和", "与", "或", "关键", "重要", "找", "问", "联系",
];

/// Words with letters and digits that stand behind "password" without being one.
#[rustfmt::skip]
pub(super) const TECHNICAL: &[&str] = &[
    "sha1", "sha256", "sha512", "sha-256", "md5", "base64", "oauth2", "argon2", "argon2id", "pbkdf2", "bcrypt2",
    "utf8", "utf-8", "1password", "web3",
];

/// Columns that stand beside one of passwords: who or what it opens. The end of a header decides.
#[rustfmt::skip]
pub(super) const LOGIN_COLUMNS: &[&str] = &[
    "user", "username", "user name", "user_name", "userid", "user_id", "login", "account", "name", "email", "e-mail", "mail", "id",
    "host", "hostname", "server", "site", "url", "service", "system", "role", "phone", "mobile", "ip", "database", "db", "port", "env",
    "environment", "用户", "用户名", "使用者", "账号", "帐号", "账户", "賬號", "帳號", "姓名", "名称", "名字", "邮箱", "主机", "服务器", "网站", "平台",
    "系统", "服务", "角色", "手机", "手机号", "数据库", "地址", "环境", "设备",
];

/// What a cell in a column of passwords says instead of one, and a question for one is answered with.
#[rustfmt::skip]
pub(super) const NO_PASSWORD: &[&str] = &[
    "yes", "no", "n/a", "na", "tbd", "todo", "optional", "supported", "unsupported", "enabled", "disabled", "plain", "plaintext", "vault",
    "see", "ask", "sso", "ldap", "oauth", "key", "keys", "type", "length", "nullable", "default", "password", "passwords", "username",
    "nobody", "nothing", "sorry", "unsure", "dunno", "checking", "waiting", "whatever", "seriously", "pending", "later", "tomorrow",
    "yesterday", "today", "maybe", "probably", "classified", "confidential", "forgot", "really", "thanks", "please", "great", "exactly",
    "correct", "perfect", "certainly", "absolutely", "definitely", "private", "secret", "somewhere", "everyone", "anything", "hello",
    "是", "否", "可选", "必填", "选填", "支持", "不支持", "✓", "✔", "✗", "类型", "长度",
];
