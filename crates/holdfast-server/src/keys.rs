//! Who may come in over the network: API keys, kept as hashes in one file of the store's directory, `api-keys.json`.
//!
//! A key is `hf_ID_SECRET`, shown once. The secret has 256 bits of the system's randomness, so a fast hash of it can't be guessed back
//! (argon2 slows down guessing at what people think up; nobody thinks these up). Changes are made under a lock, by writing a new file and
//! renaming it, so that a server that is running sees the old list or the new one and never half of one.

use std::fs::{self, File, OpenOptions};
use std::io::Write;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result};
use base64::Engine as _;
use base64::prelude::BASE64_URL_SAFE_NO_PAD;
use holdfast::env::Env;
use holdfast::types::scope::{Owner, ScopeId};
use jiff::{SignedDuration, Timestamp};
use serde::{Deserialize, Serialize};
use zeroize::Zeroizing;

use crate::failure::Refused;

const FILE: &str = "api-keys.json";
const LOCK: &str = "api-keys.lock";
/// When each key came in last: the server's own file, so that it never writes over what `key` commands change.
const USED: &str = "api-keys-used.json";
const VERSION: u32 = 1;
/// What a key begins with: secret scanners look for such marks.
const PREFIX: &str = "hf";
/// Characters of a key's id: enough to name thousands of keys in a log line.
const ID_CHARACTERS: usize = 8;
const PURPOSE: &str = "holdfast 2026-11 api key";

/// What a key lets its holder do. Each may do what the one before it may.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Looks: recall, blocks, tasks, memories, the journal, reports.
    Reader,
    /// Also records, updates tasks and reports what helped.
    Agent,
    /// Also says what is so, lets go, undoes, erases, exports and imports.
    Operator,
}

impl Role {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Reader => "reader",
            Self::Agent => "agent",
            Self::Operator => "operator",
        }
    }
}

/// A key as it is kept: whose it is and what it opens, not what it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ApiKey {
    pub id: String,
    /// BLAKE3 of the secret, derived for this purpose, hex.
    pub hash: String,
    #[serde(default)]
    pub label: String,
    pub role: Role,
    pub tenant: ScopeId,
    /// Only this user's memory; `None`: any user's of the tenant.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user: Option<ScopeId>,
    /// Only this agent's memory.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<ScopeId>,
    pub created_at: Timestamp,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<Timestamp>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revoked_at: Option<Timestamp>,
}

/// Why a key opens nothing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denied {
    #[error("this API key is not known here")]
    Unknown,
    #[error("this API key has expired")]
    Expired,
    #[error("this API key was revoked")]
    Revoked,
}

/// What a new key is for.
#[derive(Debug, Clone)]
pub struct NewKey {
    pub label: String,
    pub role: Role,
    pub tenant: ScopeId,
    pub user: Option<ScopeId>,
    pub agent: Option<ScopeId>,
    pub lifetime: Option<SignedDuration>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct KeyFile {
    version: u32,
    keys: Vec<ApiKey>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Used(std::collections::BTreeMap<String, Timestamp>);

/// The keys of one store.
#[derive(Debug, Clone, Default)]
pub struct Keys {
    keys: Vec<ApiKey>,
}

impl Keys {
    pub fn load(directory: &Path) -> Result<Self> {
        let path = directory.join(FILE);
        let text = match fs::read_to_string(&path) {
            Ok(text) => text,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(Self::default()),
            Err(error) => return Err(error).with_context(|| format!("can't read {}", path.display())),
        };
        let file: KeyFile = serde_json::from_str(&text).with_context(|| format!("can't read {}", path.display()))?;
        if file.version > VERSION {
            let version = file.version;
            return Err(
                Refused(format!("{} is of a newer version, {version}: use a newer holdfast", path.display())).into()
            );
        }
        Ok(Self { keys: file.keys })
    }

    pub fn is_empty(&self) -> bool {
        self.keys.is_empty()
    }

    pub fn iter(&self) -> impl Iterator<Item = &ApiKey> {
        self.keys.iter()
    }

    /// The key that this is, if it opens anything now. Every kept hash of the id is compared in constant time.
    pub fn open(&self, presented: &str, now: Timestamp) -> Result<&ApiKey, Denied> {
        let mut parts = presented.trim().splitn(3, '_');
        let (Some(PREFIX), Some(id), Some(secret)) = (parts.next(), parts.next(), parts.next()) else {
            return Err(Denied::Unknown);
        };
        let hash = hash(secret);
        let is_it = |key: &&ApiKey| blake3::Hash::from_hex(&key.hash).is_ok_and(|kept| kept == hash) && key.id == id;
        let key = self.keys.iter().find(is_it).ok_or(Denied::Unknown)?;
        if key.revoked_at.is_some_and(|at| at <= now) {
            return Err(Denied::Revoked);
        }
        if key.expires_at.is_some_and(|at| at <= now) {
            return Err(Denied::Expired);
        }
        Ok(key)
    }
}

impl ApiKey {
    /// Whether this owner's memory is within what the key opens.
    pub fn covers(&self, owner: &Owner) -> bool {
        owner.tenant == self.tenant
            && self.user.as_ref().is_none_or(|user| *user == owner.user)
            && self.agent.as_ref().is_none_or(|agent| *agent == owner.agent)
    }

    pub fn state(&self, now: Timestamp) -> &'static str {
        match (self.revoked_at, self.expires_at) {
            (Some(at), _) if at <= now => "revoked",
            (_, Some(at)) if at <= now => "expired",
            _ => "valid",
        }
    }
}

/// Where the keys are kept, if there are any.
pub fn file(directory: &Path) -> Option<PathBuf> {
    Some(directory.join(FILE)).filter(|path| path.is_file())
}

/// When the list of keys was changed last; `None`: there is none.
pub fn written(directory: &Path) -> Option<std::time::SystemTime> {
    fs::metadata(directory.join(FILE)).and_then(|file| file.modified()).ok()
}

/// Makes a key and keeps its hash. What is returned is the only copy of it.
pub fn create(directory: &Path, new: &NewKey, env: &Env) -> Result<(ApiKey, Zeroizing<String>)> {
    change(directory, |keys| Ok(add(keys, new, env)))
}

/// A new key for what the old one opens; the old one opens it for as long as `grace`.
pub fn rotate(directory: &Path, id: &str, grace: SignedDuration, env: &Env) -> Result<(ApiKey, Zeroizing<String>)> {
    change(directory, |keys| {
        let now = env.now();
        let old = find(keys, id)?;
        let ends = now.checked_add(grace).context("the grace period is too long")?;
        let new = NewKey {
            label: old.label.clone(),
            role: old.role,
            tenant: old.tenant.clone(),
            user: old.user.clone(),
            agent: old.agent.clone(),
            lifetime: old.expires_at.map(|at| at.duration_since(old.created_at)),
        };
        old.expires_at = Some(old.expires_at.map_or(ends, |at| at.min(ends)));
        Ok(add(keys, &new, env))
    })
}

/// From now on the key opens nothing.
pub fn revoke(directory: &Path, id: &str, env: &Env) -> Result<ApiKey> {
    change(directory, |keys| {
        let key = find(keys, id)?;
        key.revoked_at.get_or_insert(env.now());
        Ok(key.clone())
    })
}

pub fn used(directory: &Path) -> Used {
    let read = fs::read(directory.join(USED)).ok();
    read.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default()
}

impl Used {
    pub fn at(&self, id: &str) -> Option<Timestamp> {
        self.0.get(id).copied()
    }

    /// Whether it is news, to the minute.
    pub fn note(&mut self, id: &str, now: Timestamp) -> bool {
        let last = self.0.insert(id.to_owned(), now);
        last.is_none_or(|last| now.duration_since(last) >= SignedDuration::from_mins(1))
    }

    pub fn save(&self, directory: &Path) -> Result<()> {
        replace(&directory.join(USED), &serde_json::to_vec_pretty(self)?)
    }
}

fn add(keys: &mut Vec<ApiKey>, new: &NewKey, env: &Env) -> (ApiKey, Zeroizing<String>) {
    let now = env.now();
    let drawn = Zeroizing::new([env.nonce(), env.nonce()].concat());
    let secret = Zeroizing::new(BASE64_URL_SAFE_NO_PAD.encode(&drawn[..32]));
    // Of a hash, so that the id says nothing of the secret and has no `_`.
    let id = blake3::hash(&drawn[32..]).to_hex()[..ID_CHARACTERS].to_owned();
    let key = ApiKey {
        hash: hash(&secret).to_hex().to_string(),
        label: new.label.clone(),
        role: new.role,
        tenant: new.tenant.clone(),
        user: new.user.clone(),
        agent: new.agent.clone(),
        created_at: now,
        expires_at: new.lifetime.and_then(|lifetime| now.checked_add(lifetime).ok()),
        revoked_at: None,
        id,
    };
    let shown = Zeroizing::new(format!("{PREFIX}_{}_{}", key.id, *secret));
    keys.push(key.clone());
    (key, shown)
}

fn find<'a>(keys: &'a mut [ApiKey], id: &str) -> Result<&'a mut ApiKey> {
    let none = || Refused(format!("there is no key {id} here: `holdfast key list` shows them"));
    Ok(keys.iter_mut().find(|key| key.id == id).ok_or_else(none)?)
}

/// Whether a text was meant to be a key of ours, valid or not.
pub fn looks_like_one(text: &str) -> bool {
    text.strip_prefix(PREFIX).is_some_and(|rest| rest.starts_with('_'))
}

fn hash(secret: &str) -> blake3::Hash {
    blake3::Hash::from_bytes(blake3::derive_key(PURPOSE, secret.as_bytes()))
}

fn change<T>(directory: &Path, change: impl FnOnce(&mut Vec<ApiKey>) -> Result<T>) -> Result<T> {
    fs::create_dir_all(directory).with_context(|| format!("can't make {}", directory.display()))?;
    let lock = directory.join(LOCK);
    let held = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
    let held = held.with_context(|| format!("can't open {}", lock.display()))?;
    held.lock().with_context(|| format!("can't lock {}", lock.display()))?;
    let mut keys = Keys::load(directory)?.keys;
    let done = change(&mut keys)?;
    let file = KeyFile { version: VERSION, keys };
    replace(&directory.join(FILE), &serde_json::to_vec_pretty(&file)?)?;
    Ok(done)
}

/// A new file in the place of the old one, at once and durably. Only its owner may read it.
fn replace(path: &Path, bytes: &[u8]) -> Result<()> {
    let directory = path.parent().map_or_else(|| PathBuf::from("."), Path::to_owned);
    let context = || format!("can't write {}", path.display());
    let mut file = tempfile::NamedTempFile::new_in(&directory).with_context(context)?;
    file.write_all(bytes).with_context(context)?;
    file.as_file().sync_all().with_context(context)?;
    file.persist(path).with_context(context)?;
    File::open(&directory).and_then(|directory| directory.sync_all()).with_context(context)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn env() -> Env {
        Env::fixed(7, Timestamp::UNIX_EPOCH)
    }

    fn new(role: Role, lifetime: Option<SignedDuration>) -> NewKey {
        let tenant = ScopeId::new("海岸").unwrap();
        NewKey { label: "周报机器人".to_owned(), role, tenant, user: None, agent: None, lifetime }
    }

    #[test]
    fn a_key_is_known_by_its_hash_alone() {
        let directory = tempfile::tempdir().unwrap();
        let env = env();
        let (key, secret) = create(directory.path(), &new(Role::Agent, None), &env).unwrap();
        let keys = Keys::load(directory.path()).unwrap();
        assert_eq!(keys.open(&secret, env.now()), Ok(&key));
        let kept = fs::read_to_string(directory.path().join(FILE)).unwrap();
        assert!(!kept.contains(secret.rsplit('_').next().unwrap()), "the secret is kept: {kept}");
        assert!(!kept.contains(&**secret));
    }

    #[test]
    fn what_is_no_key_opens_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let env = env();
        let (key, secret) = create(directory.path(), &new(Role::Agent, None), &env).unwrap();
        let keys = Keys::load(directory.path()).unwrap();
        let other = format!("hf_00000000_{}", secret.rsplit('_').next().unwrap());
        let shorter = &secret[..secret.len() - 1];
        for presented in
            ["", "hf", "hf_", "hf__", &key.id, &format!("hf_{}_", key.id), &key.hash, &other, shorter, "密钥"]
        {
            assert_eq!(keys.open(presented, env.now()).err(), Some(Denied::Unknown), "{presented}");
        }
    }

    #[test]
    fn a_rotated_key_goes_on_for_a_while_and_its_successor_after_it() {
        let directory = tempfile::tempdir().unwrap();
        let env = env();
        let (old, old_secret) = create(directory.path(), &new(Role::Reader, None), &env).unwrap();
        let (new, new_secret) = rotate(directory.path(), &old.id, SignedDuration::from_hours(1), &env).unwrap();
        assert_eq!((new.role, &new.tenant, &new.label), (old.role, &old.tenant, &old.label));
        let keys = Keys::load(directory.path()).unwrap();
        assert!(keys.open(&old_secret, env.now()).is_ok());
        env.advance(SignedDuration::from_hours(2));
        assert_eq!(keys.open(&old_secret, env.now()).err(), Some(Denied::Expired));
        assert!(keys.open(&new_secret, env.now()).is_ok());
    }

    #[test]
    fn a_revoked_key_and_an_expired_one_are_told_apart() {
        let directory = tempfile::tempdir().unwrap();
        let env = env();
        let (revoked, revoked_secret) = create(directory.path(), &new(Role::Operator, None), &env).unwrap();
        let day = Some(SignedDuration::from_hours(24));
        let (_, expired_secret) = create(directory.path(), &new(Role::Operator, day), &env).unwrap();
        revoke(directory.path(), &revoked.id, &env).unwrap();
        env.advance(SignedDuration::from_hours(25));
        let keys = Keys::load(directory.path()).unwrap();
        assert_eq!(keys.open(&revoked_secret, env.now()).err(), Some(Denied::Revoked));
        assert_eq!(keys.open(&expired_secret, env.now()).err(), Some(Denied::Expired));
        assert!(revoke(directory.path(), "nobody", &env).unwrap_err().to_string().contains("holdfast key list"));
    }

    #[test]
    fn a_key_covers_its_tenant_and_no_more_than_its_user_and_agent() {
        let directory = tempfile::tempdir().unwrap();
        let named = |text: &str| ScopeId::new(text).unwrap();
        let owner = |tenant, user, agent| Owner { tenant: named(tenant), user: named(user), agent: named(agent) };
        let bound = NewKey { user: Some(named("林悦")), ..new(Role::Agent, None) };
        let (key, _) = create(directory.path(), &bound, &env()).unwrap();
        assert!(key.covers(&owner("海岸", "林悦", "a")));
        for other in [owner("海岸", "林", "a"), owner("海", "林悦", "a"), owner("default", "林悦", "a")] {
            assert!(!key.covers(&other), "{other:?}");
        }
    }
}
