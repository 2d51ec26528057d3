//! Sealed secrets as rows. Nothing here can open them.

use std::io::Write;

use rusqlite::{Connection, OptionalExtension, params};

use super::apply::execute;
use super::dump::{invalid, line};
use super::open::failed;
use super::row::{OwnerNumber, owner_number};
use crate::store::StoreError;
use crate::types::change::SealedSecret;
use crate::types::scope::Owner;

/// Nonce and tag: what is shorter holds nothing.
const OVERHEAD_BYTES: i64 = 24 + 16;

pub(super) fn put(connection: &Connection, owner: OwnerNumber, secrets: &[SealedSecret]) -> Result<(), StoreError> {
    let sql = "-- put_secret
        INSERT INTO secret (owner, placeholder, sealed) VALUES (?1, ?2, ?3) ON CONFLICT DO NOTHING";
    for secret in secrets {
        execute(connection, sql, params![owner.0, secret.placeholder, secret.sealed], "keeping a secret")?;
    }
    Ok(())
}

pub(super) fn sealed(connection: &Connection, owner: &Owner, placeholder: &str) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(number) = owner_number(connection, owner)? else { return Ok(None) };
    let sql = "-- sealed_secret
        SELECT sealed FROM secret WHERE owner = ?1 AND placeholder = ?2";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![number.0, placeholder], |r| r.get(0)).optional())
        .map_err(|e| failed("reading a sealed secret", e))
}

/// Which there are and how long they are, never their bytes.
pub(super) fn dump(connection: &Connection, owner: OwnerNumber, out: &mut dyn Write) -> Result<(), StoreError> {
    let sql = "-- secrets
        SELECT placeholder, length(sealed) FROM secret WHERE owner = ?1 ORDER BY placeholder";
    let doing = "dumping the secrets";
    let mut statement = connection.prepare(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query([owner.0]).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let placeholder: String = row.get(0).map_err(|e| failed(doing, e))?;
        let length: i64 = row.get(1).map_err(|e| failed(doing, e))?;
        if length <= OVERHEAD_BYTES {
            return invalid(format!("the secret {placeholder} is sealed in {length} bytes, which hold none"));
        }
        line(out, format_args!("  secret {placeholder}: {length} bytes, sealed"))?;
    }
    Ok(())
}
