//! What counts as a secret: the built-in kinds, which of them are off, and an operator's own patterns.

use std::borrow::Cow;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};
use regex::{Regex, RegexBuilder};
use serde::Deserialize;
use zeroize::Zeroizing;

use crate::types::scope::Owner;

/// A pattern of an operator may compile to this much: enough for any list of names, not for a way to exhaust memory.
const PATTERN_BYTES_MAX: usize = 1 << 20;
/// Patterns of its own that a file may hold: each is a pass over every event.
const PATTERNS_MAX: usize = 64;

/// The built-in kinds of secrets, each found by its own rules. Where two claim the same text, the earlier one names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Secret {
    /// PEM blocks, also without their end.
    PrivateKey,
    /// Keys with a known prefix, and what an `api_key`, `secret`, 密钥 … is said to be.
    ApiKey,
    /// Bearer and Basic credentials, JWTs, what a `token`, 令牌 … is said to be.
    Token,
    /// What a `Cookie` or `Set-Cookie` header carries.
    Cookie,
    /// What a password, 密码, 口令, `pwd` … is said to be; the password of a connection string or a command.
    Password,
    /// Payment cards: ISO/IEC 7812 issuer and Luhn check digit.
    Card,
    /// Resident identity numbers of the PRC: GB 11643-1999, with region, date of birth and check digit.
    NationalId,
    /// Social security numbers of the USA.
    Ssn,
    /// Telephone numbers: Chinese mobile and landline, North American, and international with their +.
    Phone,
    Email,
    /// One-time codes that are called so: 验证码, "verification code".
    Code,
}

impl Secret {
    pub const ALL: &'static [Self] = &[
        Self::PrivateKey,
        Self::ApiKey,
        Self::Token,
        Self::Cookie,
        Self::Password,
        Self::Card,
        Self::NationalId,
        Self::Ssn,
        Self::Phone,
        Self::Email,
        Self::Code,
    ];

    /// The label in a placeholder, and the word that turns the kind off.
    pub const fn label(self) -> &'static str {
        match self {
            Self::PrivateKey => "private_key",
            Self::ApiKey => "api_key",
            Self::Token => "token",
            Self::Cookie => "cookie",
            Self::Password => "password",
            Self::Card => "card",
            Self::NationalId => "national_id",
            Self::Ssn => "ssn",
            Self::Phone => "phone",
            Self::Email => "email",
            Self::Code => "code",
        }
    }

    /// Whether it opens something, rather than telling about someone.
    pub(crate) fn is_credential(self) -> bool {
        matches!(self, Self::PrivateKey | Self::ApiKey | Self::Token | Self::Password | Self::Cookie)
    }
}

/// An operator's key: placeholders are derived from it, so that one secret of an owner has one placeholder in all events, and
/// what was taken out is kept sealed with it.
#[derive(Clone)]
pub struct Key(Zeroizing<[u8; 32]>);

impl std::fmt::Debug for Key {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Key(not shown)")
    }
}

/// Why a text is no key. No message repeats it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum KeyError {
    #[error("the redaction key is {bytes} bytes long: it is 32, written as 64 hex digits or as base64")]
    Length { bytes: usize },
    #[error("the redaction key is neither hex nor base64: make one with `openssl rand -hex 32`")]
    Form,
}

impl Key {
    pub fn new(bytes: [u8; 32]) -> Self {
        Self(Zeroizing::new(bytes))
    }

    /// Reads 32 bytes written as hex or base64; white space around them does not count.
    pub fn from_text(text: &str) -> Result<Self, KeyError> {
        let text = text.trim();
        let hex = || {
            let digits = text.bytes().map(|b| char::from(b).to_digit(16)).collect::<Option<Vec<u32>>>()?;
            // Two digits of four bits each.
            (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
        };
        let base64 = || {
            let text = text.trim_end_matches('=');
            STANDARD_NO_PAD.decode(text).or_else(|_| URL_SAFE_NO_PAD.decode(text)).ok()
        };
        let bytes: Zeroizing<Vec<u8>> = Zeroizing::new(hex().or_else(base64).ok_or(KeyError::Form)?);
        let key = bytes.as_slice().try_into().map_err(|_| KeyError::Length { bytes: bytes.len() })?;
        Ok(Self::new(key))
    }

    /// Keyed, because a phone number has so few values that a plain hash of it can be looked up.
    pub(crate) fn hash(&self, label: &str, secret: &str) -> blake3::Hash {
        let mut hasher = blake3::Hasher::new_keyed(&self.0);
        hasher.update(label.as_bytes());
        hasher.update(&[0]);
        hasher.update(secret.as_bytes());
        hasher.finalize()
    }

    /// Another key made of this one, for one purpose.
    pub(crate) fn derive(&self, purpose: &'static str, of: &[u8]) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new_derive_key(purpose);
        hasher.update(&*self.0);
        hasher.update(of);
        hasher.finalize().into()
    }
}

/// A pattern of an operator. If it has a group, the group is the secret; else the whole match.
#[derive(Debug, Clone)]
pub(crate) struct Pattern {
    pub label: String,
    pub regex: Regex,
}

/// How to redact. By default every built-in kind is on and placeholders are numbered within each event: «card:1». So the
/// same secret has the same placeholder within an event, and «card:1» of another event may be another card. With a key, they
/// are named by a keyed hash instead, «card:7f3a9c2e41d0»: the same secret of the same owner has the same placeholder in all
/// events and questions, without anything being looked up; another owner's is not the same.
#[derive(Debug, Clone, Default)]
pub struct Rules {
    off: Vec<Secret>,
    patterns: Vec<Pattern>,
    key: Option<Key>,
}

/// Why a rules file can't be used.
#[derive(Debug, thiserror::Error)]
pub enum RulesError {
    /// Says where and what, and not what stands there: a key file given in the place of the rules is a slip of one option.
    #[error("the redaction rules are not valid TOML of the expected form: line {line}: {reason}")]
    Form { line: usize, reason: String },
    #[error(
        "redaction rule {label:?}: a label is 1 to 32 lower-case letters, digits and underscores, and begins with a letter"
    )]
    Label { label: String },
    #[error("redaction rule {label:?}: the pattern can't be used: {source}")]
    Pattern { label: String, source: Box<regex::Error> },
    #[error("redaction rule {label:?}: the pattern matches the empty text, which stands everywhere")]
    MatchesNothing { label: String },
    #[error("{count} redaction rules; the limit is {PATTERNS_MAX}")]
    TooMany { count: usize },
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    off: Vec<Secret>,
    #[serde(default)]
    rule: Vec<FileRule>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FileRule {
    label: String,
    pattern: String,
}

impl Rules {
    /// Reads rules from TOML:
    ///
    /// ```
    /// let rules = holdfast::redact::Rules::from_toml(r#"
    ///     off = ["email", "phone"]
    ///     [[rule]]
    ///     label = "employee"
    ///     pattern = 'EMP-\d{6}'
    /// "#)?;
    /// assert_eq!(holdfast::redact::redact_text("EMP-004217 is a@b.io", &rules), "«employee:1» is a@b.io");
    /// # Ok::<(), holdfast::redact::RulesError>(())
    /// ```
    pub fn from_toml(text: &str) -> Result<Self, RulesError> {
        let file: File = toml::from_str(text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            RulesError::Form { line: before.matches('\n').count() + 1, reason: error.message().to_owned() }
        })?;
        if file.rule.len() > PATTERNS_MAX {
            return Err(RulesError::TooMany { count: file.rule.len() });
        }
        let patterns = file.rule.into_iter().map(Pattern::compile).collect::<Result<_, _>>()?;
        Ok(Self { off: file.off, patterns, key: None })
    }

    /// The same rules with placeholders derived from a key.
    #[must_use]
    pub fn with_key(self, key: Key) -> Self {
        Self { key: Some(key), ..self }
    }

    /// The rules with the owner's own key in the place of the operator's: that two owners know the same secret is not to be seen.
    pub(crate) fn for_owner(&self, owner: &Owner) -> Cow<'_, Self> {
        let Some(key) = &self.key else { return Cow::Borrowed(self) };
        // Ids can't contain NUL.
        let ids = [owner.tenant.as_str(), owner.user.as_str(), owner.agent.as_str()].join("\0");
        let key = Key::new(key.derive("holdfast 2026-11 redaction of an owner", ids.as_bytes()));
        Cow::Owned(self.clone().with_key(key))
    }

    /// The same rules without one of the built-in kinds.
    #[must_use]
    pub fn without(mut self, secret: Secret) -> Self {
        self.off.push(secret);
        self
    }

    pub fn is_on(&self, secret: Secret) -> bool {
        !self.off.contains(&secret)
    }

    pub(crate) fn key(&self) -> Option<&Key> {
        self.key.as_ref()
    }

    pub(crate) fn patterns(&self) -> &[Pattern] {
        &self.patterns
    }

    /// Whether a placeholder may carry this label.
    pub(crate) fn knows(&self, label: &str) -> bool {
        Secret::ALL.iter().any(|secret| secret.label() == label)
            || self.patterns.iter().any(|pattern| pattern.label == label)
    }
}

impl Pattern {
    fn compile(rule: FileRule) -> Result<Self, RulesError> {
        let FileRule { label, pattern } = rule;
        let is_label = label.starts_with(|c: char| c.is_ascii_lowercase())
            && label.len() <= 32
            && label.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'_');
        if !is_label {
            return Err(RulesError::Label { label });
        }
        match RegexBuilder::new(&pattern).size_limit(PATTERN_BYTES_MAX).build() {
            Ok(regex) if regex.is_match("") => Err(RulesError::MatchesNothing { label }),
            Ok(regex) => Ok(Self { label, regex }),
            Err(source) => Err(RulesError::Pattern { label, source: Box::new(source) }),
        }
    }
}
