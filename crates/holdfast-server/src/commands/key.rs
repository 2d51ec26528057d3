//! `key`: who may come in over the network.

use anyhow::Result;
use holdfast::env::Env;
use jiff::Timestamp;
use serde_json::json;
use zeroize::Zeroizing;

use crate::cli::{Global, KeyCommand};
use crate::keys::{self, ApiKey, Keys, NewKey};
use crate::open;
use crate::printer::Printer;

/// A running server takes up each change at once.
pub fn run(global: &Global, command: &KeyCommand, printer: Printer) -> Result<()> {
    let directory = open::store_directory(global)?;
    let env = Env::system();
    match command {
        KeyCommand::Create { role, label, expires_in } => {
            let new = NewKey {
                label: label.clone(),
                role: *role,
                tenant: global.tenant.clone(),
                user: global.user.clone(),
                agent: global.agent.clone(),
                lifetime: *expires_in,
            };
            let (key, secret) = keys::create(&directory, &new, &env)?;
            print(&key, &secret, printer)
        }
        KeyCommand::Rotate { id, grace } => {
            let (key, secret) = keys::rotate(&directory, id, *grace, &env)?;
            printer.say(format_args!("{id} goes on for {} minutes", grace.as_secs() / 60));
            print(&key, &secret, printer)
        }
        KeyCommand::Revoke { id } => {
            let key = keys::revoke(&directory, id, &env)?;
            printer.either(&shown(&key, None, env.now()), || format!("{id} opens nothing any more"))
        }
        KeyCommand::List => list(&directory, env.now(), printer),
    }
}

fn print(key: &ApiKey, secret: &Zeroizing<String>, printer: Printer) -> Result<()> {
    printer.say(format_args!("key {} ({}, tenant {}): it is shown this once", key.id, key.role.as_str(), key.tenant));
    printer.either(&json!({ "id": key.id, "key": **secret, "role": key.role, "tenant": key.tenant }), || {
        secret.to_string()
    })
}

fn list(directory: &std::path::Path, now: Timestamp, printer: Printer) -> Result<()> {
    let keys = Keys::load(directory)?;
    let used = keys::used(directory);
    if keys.is_empty() && !printer.json {
        printer.say("no keys: only this machine is served");
        return Ok(());
    }
    let all: Vec<_> = keys.iter().map(|key| shown(key, used.at(&key.id), now)).collect();
    printer.either(&all, || {
        let day = |at: Option<Timestamp>| at.map_or_else(String::new, |at| at.strftime("%Y-%m-%d %H:%M").to_string());
        let row = |key: &ApiKey| {
            let only =
                [&key.user, &key.agent].map(|id| id.as_ref().map_or_else(|| "any".to_owned(), ToString::to_string));
            let [user, agent] = only;
            vec![
                key.id.clone(),
                key.state(now).to_owned(),
                key.role.as_str().to_owned(),
                key.tenant.to_string(),
                user,
                agent,
                day(Some(key.created_at)),
                day(key.expires_at),
                day(used.at(&key.id)),
                key.label.clone(),
            ]
        };
        let header = ["id", "state", "role", "tenant", "user", "agent", "created", "expires", "last used", "what for"];
        printer.table(&header, keys.iter().map(row))
    })
}

/// Without the hash: whoever may list keys has no use for it.
fn shown(key: &ApiKey, used: Option<Timestamp>, now: Timestamp) -> serde_json::Value {
    json!({
        "id": key.id, "state": key.state(now), "label": key.label, "role": key.role, "tenant": key.tenant,
        "user": key.user, "agent": key.agent, "created_at": key.created_at, "expires_at": key.expires_at,
        "revoked_at": key.revoked_at, "last_used_at": used,
    })
}
