//! Vectors as rows: put, counted, searched. What is searched fast is `dense`'s cache of them.

use half::f16;
use rusqlite::{Connection, OptionalExtension, params};

use super::apply::execute_one;
use super::dense::{Centred, DenseCache, Near, top_by_row};
use super::lexical::filtered_rows;
use super::open::failed;
use super::read::{self, Condition, is_open};
use super::row::{EVENT_COLUMNS, OwnerNumber, event as decode_event, half_floats, owner_number, position};
use crate::store::{DenseQuery, ModelId, Progress, StoreError, Unembedded};
use crate::types::change::EventVectors;
use crate::types::ids::Seq;
use crate::types::query::Filter;
use crate::types::scope::Owner;

/// A filter that leaves no more events than this is answered by comparing each of them exactly.
const EXACT_EVENTS_MAX: usize = 4_096;

/// Passages rescored exactly for each event wanted: one-bit codes rank well, not perfectly (runs/ has the recall by factor).
const RESCORED_PER_HIT: usize = 4;
/// And never fewer than this: of the ten nearest it finds .999 at 1,000 and at 10,000 vectors, and all at 100,000 (runs/).
const RESCORED_MIN: usize = 256;

pub(super) fn active_model(connection: &Connection) -> Result<Option<ModelId>, StoreError> {
    let sql = "-- active_model
        SELECT name, dimension FROM model WHERE active = 1";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row([], |r| Ok(ModelId { name: r.get(0)?, dimension: r.get(1)? })).optional())
        .map_err(|e| failed("reading the active model", e))
}

fn model_number(connection: &Connection, model: &ModelId) -> Result<Option<i64>, StoreError> {
    let sql = "-- model_number
        SELECT id FROM model WHERE name = ?1 AND dimension = ?2";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row(params![model.name, model.dimension], |r| r.get(0)).optional())
        .map_err(|e| failed("looking up a model", e))
}

/// The model's number; the first model of a store becomes the active one.
fn model_number_or_new(connection: &Connection, model: &ModelId) -> Result<i64, StoreError> {
    if let Some(number) = model_number(connection, model)? {
        return Ok(number);
    }
    let sql = "-- add_model
        INSERT INTO model (name, dimension, active) VALUES (?1, ?2, NOT EXISTS (SELECT 1 FROM model WHERE active = 1))";
    execute_one(connection, sql, params![model.name, model.dimension], "adding a model")?;
    Ok(connection.last_insert_rowid())
}

pub(super) fn put(connection: &Connection, model: &ModelId, events: &[EventVectors]) -> Result<(), StoreError> {
    let number = model_number_or_new(connection, model)?;
    let doing = "writing vectors";
    let insert = "-- put_vector
        INSERT INTO vector (model, row, data) VALUES (?1, ?2, ?3)";
    let mut insert = connection.prepare_cached(insert).map_err(|e| failed(doing, e))?;
    let remove = "-- drop_vectors
        DELETE FROM vector WHERE model = ?1 AND row = ?2";
    let mut remove = connection.prepare_cached(remove).map_err(|e| failed(doing, e))?;
    let through = "-- embedded_through
        INSERT INTO embedded (model, owner, through, removed) VALUES (?1, ?2, ?3, ?4)
        ON CONFLICT (model, owner) DO UPDATE
        SET through = max(through, excluded.through), removed = removed + excluded.removed";
    let mut through = connection.prepare_cached(through).map_err(|e| failed(doing, e))?;
    let mut exists = connection
        .prepare_cached("-- event_exists\n SELECT 1 FROM event WHERE row = ?1")
        .map_err(|e| failed(doing, e))?;
    for event in events {
        let Some(owner) = owner_number(connection, &event.owner)? else {
            return Err(StoreError::Refused(format!("vectors for event {} of an unknown owner", event.seq)));
        };
        let row = owner.row(event.seq);
        // Erased while its vectors were made: they are of nothing.
        if !exists.exists([row]).map_err(|e| failed(doing, e))? {
            continue;
        }
        let removed = remove.execute(params![number, row]).map_err(|e| failed(doing, e))?;
        for vector in &event.passages {
            if vector.len() != model.dimension {
                return Err(StoreError::Dimension { model: model.clone(), actual: vector.len() });
            }
            if !vector.iter().all(|x| f16::from_f32(*x).is_finite()) {
                return Err(StoreError::Refused(format!("a vector of event {} holds what is no number", event.seq)));
            }
            insert.execute(params![number, row, half_floats::encode(vector)]).map_err(|e| failed(doing, e))?;
        }
        through.execute(params![number, owner.0, event.seq.0, removed]).map_err(|e| failed(doing, e))?;
    }
    Ok(())
}

/// Rules: the model becomes the only active one; the vectors and marks of all others go.
pub(super) fn activate(connection: &Connection, model: &ModelId) -> Result<(), StoreError> {
    let number = model_number_or_new(connection, model)?;
    let statements = [
        "-- deactivate\n UPDATE model SET active = 0 WHERE id <> ?1",
        "-- activate\n UPDATE model SET active = 1 WHERE id = ?1",
        "-- drop_other_vectors\n DELETE FROM vector WHERE model <> ?1",
        "-- drop_other_marks\n DELETE FROM embedded WHERE model <> ?1",
        "-- drop_other_models\n DELETE FROM model WHERE id <> ?1",
    ];
    for sql in statements {
        connection.execute(sql, [number]).map_err(|e| failed("activating a model", e))?;
    }
    Ok(())
}

pub(super) fn embedded(connection: &Connection, model: &ModelId) -> Result<Progress, StoreError> {
    let sql = "-- embedded
        SELECT ifnull((SELECT sum(through) FROM embedded WHERE model = ?1), 0), ifnull(sum(last_event), 0) FROM owner";
    let number = model_number(connection, model)?.unwrap_or(0);
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_row([number], |r| Ok(Progress { done: r.get(0)?, total: r.get(1)? })))
        .map_err(|e| failed("counting embedded events", e))
}

pub(super) fn unembedded(
    connection: &Connection,
    model: &ModelId,
    limit: usize,
) -> Result<Vec<Unembedded>, StoreError> {
    let number = model_number(connection, model)?.unwrap_or(0);
    let sql = "-- owners_behind
        SELECT o.id, ifnull(e.through, 0) FROM owner o LEFT JOIN embedded e ON e.owner = o.id AND e.model = ?1
        WHERE o.last_event > ifnull(e.through, 0) ORDER BY o.id";
    let doing = "reading events to embed";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let behind = statement
        .query_map([number], |r| Ok((OwnerNumber(r.get(0)?), Seq(r.get(1)?))))
        .and_then(Iterator::collect::<Result<Vec<_>, _>>)
        .map_err(|e| failed(doing, e))?;
    let sql =
        format!("-- unembedded\n SELECT {EVENT_COLUMNS} FROM event WHERE row > ?1 AND row <= ?2 ORDER BY row LIMIT ?3");
    let mut statement = connection.prepare_cached(&sql).map_err(|e| failed(doing, e))?;
    let mut found = Vec::new();
    for (owner_number, through) in behind {
        let wanted = limit.saturating_sub(found.len());
        if wanted == 0 {
            break;
        }
        let owner = read::owner(connection, owner_number)?;
        let values = params![owner_number.row(through), owner_number.rows().1, wanted];
        let mut rows = statement.query(values).map_err(|e| failed(doing, e))?;
        while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
            found.push(Unembedded { owner: owner.clone(), event: decode_event(row, &owner)? });
        }
    }
    Ok(found)
}

fn check_query(query: &DenseQuery<'_>) -> Result<(), StoreError> {
    if query.vector.len() != query.model.dimension {
        return Err(StoreError::Dimension { model: query.model.clone(), actual: query.vector.len() });
    }
    if !query.vector.iter().all(|x| x.is_finite()) {
        return Err(StoreError::Refused("the query's vector holds what is no number".to_owned()));
    }
    Ok(())
}

pub(super) fn search(
    connection: &Connection,
    cache: &DenseCache,
    owner: &Owner,
    query: &DenseQuery<'_>,
    filter: &Filter,
    limit: usize,
) -> Result<Vec<(Seq, f32)>, StoreError> {
    check_query(query)?;
    let (Some(owner), Some(model)) = (owner_number(connection, owner)?, model_number(connection, query.model)?) else {
        return Ok(Vec::new());
    };
    let allowed = if is_open(filter) {
        None
    } else {
        Some(filtered_rows(connection, &Condition::new(owner, filter), usize::MAX)?)
    };
    let scored = match &allowed {
        Some(rows) if rows.len() <= EXACT_EVENTS_MAX => {
            let centred = cache.index(connection, owner, model, query)?.centred(query.vector);
            exact(connection, model, rows, &centred)?
        }
        _ => {
            let index = cache.index(connection, owner, model, query)?;
            let hidden = hidden_rows(connection, owner, filter)?;
            let wanted = RESCORED_MIN.max(limit.saturating_mul(RESCORED_PER_HIT)).saturating_add(hidden.len());
            let centred = index.centred(query.vector);
            let mut near = index.nearest(&centred, wanted, allowed.as_deref());
            near.retain(|near| hidden.binary_search(&near.row).is_err());
            rescored(connection, owner, model, near, &centred)?
        }
    };
    Ok(top_by_row(scored, limit).into_iter().map(|(row, score)| (position(row), score)).collect())
}

/// The owner's rows that an open filter does not show, ascending.
fn hidden_rows(connection: &Connection, owner: OwnerNumber, filter: &Filter) -> Result<Vec<i64>, StoreError> {
    if filter.hidden {
        return Ok(Vec::new());
    }
    let (first, last) = owner.rows();
    let sql = "-- hidden_rows
        SELECT row FROM event WHERE hidden = 1 AND row BETWEEN ?1 AND ?2 ORDER BY row";
    connection
        .prepare_cached(sql)
        .and_then(|mut s| s.query_map(params![first, last], |r| r.get(0))?.collect())
        .map_err(|e| failed("reading what is hidden", e))
}

pub(super) fn cosines(
    connection: &Connection,
    cache: &DenseCache,
    owner: &Owner,
    query: &DenseQuery<'_>,
    positions: &[Seq],
) -> Result<Vec<(Seq, f32)>, StoreError> {
    check_query(query)?;
    let (Some(owner), Some(model)) = (owner_number(connection, owner)?, model_number(connection, query.model)?) else {
        return Ok(Vec::new());
    };
    let index = cache.index(connection, owner, model, query)?;
    let centred = index.centred(query.vector);
    let rows: Vec<i64> = positions.iter().map(|seq| owner.row(*seq)).collect();
    let scored = match index.cosines(&centred, &rows) {
        Some(scored) => scored,
        None => exact(connection, model, &rows, &centred)?,
    };
    Ok(top_by_row(scored, rows.len()).into_iter().map(|(row, score)| (position(row), score)).collect())
}

fn exact(connection: &Connection, model: i64, rows: &[i64], query: &Centred) -> Result<Vec<(i64, f32)>, StoreError> {
    let sql = "-- vectors_of_row
        SELECT row, data FROM vector WHERE model = ?1 AND row = ?2";
    let doing = "comparing vectors";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut vector = Vec::new();
    let mut scored = Vec::new();
    for row in rows {
        let mut found = statement.query(params![model, row]).map_err(|e| failed(doing, e))?;
        while let Some(found) = found.next().map_err(|e| failed(doing, e))? {
            let data = found.get_ref(1).and_then(|v| Ok(v.as_blob()?)).map_err(|e| failed(doing, e))?;
            half_floats::decode_into(data, &mut vector);
            scored.extend(query.cosine(&vector).map(|cosine| (*row, cosine)));
        }
    }
    Ok(scored)
}

/// The rows of these passages, with exact cosines.
fn rescored(
    connection: &Connection,
    owner: OwnerNumber,
    model: i64,
    near: Vec<Near>,
    query: &Centred,
) -> Result<Vec<(i64, f32)>, StoreError> {
    // Owner and model are asked for again: an id out of a cache proves nothing.
    let sql = "-- vector
        SELECT data FROM vector WHERE id = ?1 AND +model = ?2 AND +row BETWEEN ?3 AND ?4";
    let (first, last) = owner.rows();
    let doing = "comparing vectors";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut vector = Vec::new();
    let mut scored = Vec::with_capacity(near.len());
    for near in near {
        if let Some(cosine) = near.cosine {
            scored.push((near.row, cosine));
            continue;
        }
        let mut found = statement.query(params![near.id, model, first, last]).map_err(|e| failed(doing, e))?;
        // Gone between two reads: it is no longer a candidate.
        let Some(found) = found.next().map_err(|e| failed(doing, e))? else { continue };
        let data = found.get_ref(0).and_then(|v| Ok(v.as_blob()?)).map_err(|e| failed(doing, e))?;
        half_floats::decode_into(data, &mut vector);
        scored.extend(query.cosine(&vector).map(|cosine| (near.row, cosine)));
    }
    Ok(scored)
}
