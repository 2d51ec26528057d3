//! A cache of one owner's vectors as one-bit codes, to find in a millisecond which few are worth an exact look.
//!
//! Each vector, less the centre of its collection, is kept as the signs of its numbers and one factor; the query keeps its
//! numbers (in 16 levels). That is the estimator of RaBitQ (arXiv 2405.12497) without its random rotation: e5 vectors share a
//! large common part, and taking the centre away is what makes signs tell them apart (DESIGN.md 3: .53 → .995 of the true
//! top 10 after rescoring 200). The cache can be made anew from the rows at any time and follows them by their ids.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use rusqlite::{Connection, params};

use super::open::failed;
use super::row::{OwnerNumber, half_floats};
use super::scan::{LANES, QueryPlanes, Top, scan};
use crate::store::{DenseQuery, StoreError};

/// Vectors the centre is taken from: the mean of a few thousand is the mean.
const CENTRE_SAMPLE: usize = 8_192;

/// What a model's common part counts as: so many vectors of the collection. A handful of texts has no mean of its own yet.
const COMMON_WEIGHT: u32 = 200;

/// The centre is that of the first 1, 4, 16 … vectors, whichever is the most there are: so it depends on what is stored and not
/// on when this process looked, and a collection is coded anew each time it has grown fourfold.
const GROWTH_UNTIL_RECODED: usize = 4;

/// Memory for all codes together, in bytes: 7 million vectors of 384 numbers. The collections used longest ago go first.
const CACHE_BYTES_MAX: usize = 512 * 1024 * 1024;

/// The collections in memory, one for each owner and model.
#[derive(Debug, Default)]
pub(super) struct DenseCache {
    collections: Mutex<Collections>,
}

#[derive(Debug, Default)]
struct Collections {
    by_key: BTreeMap<(OwnerNumber, i64), Cached>,
    uses: u64,
}

#[derive(Debug)]
struct Cached {
    codes: Arc<RwLock<Codes>>,
    last_use: u64,
}

/// A collection that is up to date with the rows that the connection sees.
pub(super) struct Index {
    codes: Arc<RwLock<Codes>>,
}

impl DenseCache {
    pub(super) fn clear(&self) {
        self.collections.lock().unwrap_or_else(PoisonError::into_inner).by_key.clear();
    }

    /// Whose collections are in memory.
    #[cfg(test)]
    pub(super) fn cached(&self) -> Vec<OwnerNumber> {
        let collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        collections.by_key.keys().map(|(owner, _)| *owner).collect()
    }

    pub(super) fn index(
        &self,
        connection: &Connection,
        owner: OwnerNumber,
        model: i64,
        query: &DenseQuery<'_>,
    ) -> Result<Index, StoreError> {
        let dimension = query.model.dimension;
        let codes = {
            let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
            collections.uses += 1;
            let last_use = collections.uses;
            let cached = collections
                .by_key
                .entry((owner, model))
                .or_insert_with(|| Cached { codes: Arc::new(RwLock::new(Codes::new(dimension))), last_use });
            cached.last_use = last_use;
            Arc::clone(&cached.codes)
        };
        let newest = newest_id(connection)?;
        if codes.read().unwrap_or_else(PoisonError::into_inner).seen < newest {
            let mut writing = codes.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been quicker.
            if writing.seen < newest {
                writing.follow(connection, owner, model, newest, query.common)?;
            }
            drop(writing);
            self.evict((owner, model));
        }
        Ok(Index { codes })
    }

    fn evict(&self, keep: (OwnerNumber, i64)) {
        self.evict_above(CACHE_BYTES_MAX, keep);
    }

    pub(super) fn evict_above(&self, bytes_max: usize, keep: (OwnerNumber, i64)) {
        let mut collections = self.collections.lock().unwrap_or_else(PoisonError::into_inner);
        let size = |cached: &Cached| cached.codes.read().unwrap_or_else(PoisonError::into_inner).bytes();
        let mut total: usize = collections.by_key.values().map(size).sum();
        while total > bytes_max {
            let oldest = collections.by_key.iter().filter(|(key, _)| **key != keep).min_by_key(|(_, c)| c.last_use);
            let Some((&key, cached)) = oldest else { return };
            total -= size(cached);
            collections.by_key.remove(&key);
        }
    }
}

impl Index {
    /// A vector less the collection's centre.
    pub(super) fn centred(&self, vector: &[f32]) -> Centred {
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        Centred::new(vector, &codes.centre)
    }

    /// Ids of the `wanted` passages that look nearest, in no order; with `allowed` (ascending), only of those rows.
    pub(super) fn nearest(&self, query: &Centred, wanted: usize, allowed: Option<&[i64]>) -> Vec<i64> {
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        codes.nearest(&query.direction, wanted, allowed)
    }

    /// Takes out vectors that turned out to be gone.
    pub(super) fn forget(&self, ids: &[i64]) {
        let gone: BTreeSet<i64> = ids.iter().copied().collect();
        let mut codes = self.codes.write().unwrap_or_else(PoisonError::into_inner);
        codes.forget(|id, _| gone.contains(&id));
        if codes.ids.len() <= CENTRE_SAMPLE {
            codes.start_anew();
        }
    }
}

/// A query less its collection's centre, to compare vectors with that have it taken away too.
pub(super) struct Centred {
    centre: Vec<f32>,
    /// Unit norm; all zero if the query is the centre itself.
    direction: Vec<f32>,
}

impl Centred {
    fn new(vector: &[f32], centre: &[f32]) -> Self {
        // A collection without vectors has no centre yet.
        let centre = if centre.len() == vector.len() { centre.to_vec() } else { vec![0.0; vector.len()] };
        let mut direction: Vec<f32> = vector.iter().zip(&centre).map(|(x, c)| x - c).collect();
        let norm = dot(&direction, &direction).sqrt().max(f32::MIN_POSITIVE);
        direction.iter_mut().for_each(|x| *x /= norm);
        Self { centre, direction }
    }

    pub(super) fn dimension(&self) -> usize {
        self.direction.len()
    }

    /// The cosine with another vector once both are centred; `None` for one of another length.
    pub(super) fn cosine(&self, vector: &[f32]) -> Option<f32> {
        if vector.len() != self.dimension() {
            return None;
        }
        let centred: Vec<f32> = vector.iter().zip(&self.centre).map(|(x, c)| x - c).collect();
        let norm = dot(&centred, &centred).sqrt();
        Some(if norm > 0.0 { dot(&self.direction, &centred) / norm } else { 0.0 })
    }
}

fn newest_id(connection: &Connection) -> Result<i64, StoreError> {
    connection
        .prepare_cached("-- newest_vector\n SELECT ifnull(max(id), 0) FROM vector")
        .and_then(|mut s| s.query_row([], |r| r.get(0)))
        .map_err(|e| failed("looking for new vectors", e))
}

/// The codes of one owner's vectors under one model.
#[derive(Debug)]
pub(super) struct Codes {
    dimension: usize,
    pub(super) centre: Vec<f32>,
    /// How many vectors the centre stands for: a power of four; 0 before there are any.
    centred_at: usize,
    ids: Vec<i64>,
    rows: Vec<i64>,
    /// |x| / |x|₁ of the centred vector x: makes the signs' inner product an unbiased estimate of the cosine.
    factors: Vec<f32>,
    /// How many of them are gone: their factor is not a number.
    gone: usize,
    /// `blocks[(block * words + word) * LANES + lane]`.
    blocks: Vec<u64>,
    /// Every row of `vector` up to this id has been looked at.
    seen: i64,
}

impl Codes {
    pub(super) fn new(dimension: usize) -> Self {
        Self {
            dimension,
            centre: Vec::new(),
            centred_at: 0,
            ids: Vec::new(),
            rows: Vec::new(),
            factors: Vec::new(),
            gone: 0,
            blocks: Vec::new(),
            seen: 0,
        }
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    fn words(&self) -> usize {
        self.dimension.div_ceil(64)
    }

    fn bytes(&self) -> usize {
        (self.ids.len() + self.rows.len() + self.blocks.len()) * 8 + self.factors.len() * 4
    }

    /// Takes in the vectors that are newer than what was seen, and takes out those they replace.
    fn follow(
        &mut self,
        connection: &Connection,
        owner: OwnerNumber,
        model: i64,
        newest: i64,
        common: Option<&[f32]>,
    ) -> Result<(), StoreError> {
        if self.centred_at == 0 {
            return self.recode(connection, owner, model, newest, common);
        }
        let newest_row = self.rows.iter().copied().max().unwrap_or(i64::MIN);
        let mut replaced = BTreeSet::new();
        let known = self.ids.len();
        let mut vector = Vec::with_capacity(self.dimension);
        let seen = self.seen;
        let (first, last) = owner.rows();
        // Not by the index of rows, which has no use for an id that must be newer: `+` keeps the planner from it.
        let sql = "-- newer_vectors
            SELECT id, row, data FROM vector WHERE id > ?1 AND +model = ?2 AND +row BETWEEN ?3 AND ?4 ORDER BY id";
        each_vector(connection, sql, [seen, model, first, last], |id, row, data| {
            half_floats::decode_into(data, &mut vector);
            if row <= newest_row {
                replaced.insert(row);
            }
            self.add(id, row, &vector);
        })?;
        self.seen = newest.max(self.ids.last().copied().unwrap_or(0));
        if !replaced.is_empty() {
            let first_new = self.ids.get(known).copied().unwrap_or(i64::MAX);
            self.forget(|id, row| id < first_new && replaced.contains(&row));
        }
        let live = self.ids.len() - self.gone;
        // What is replaced in a small collection, or comes before what is there, moves its centre; in a large one its share of
        // the centre is nothing.
        let moved = !replaced.is_empty() && self.ids.len() <= CENTRE_SAMPLE;
        if moved || live >= self.centred_at * GROWTH_UNTIL_RECODED || self.gone > live {
            return self.recode(connection, owner, model, newest, common);
        }
        Ok(())
    }

    /// Makes the whole collection anew, around a new centre.
    fn recode(
        &mut self,
        connection: &Connection,
        owner: OwnerNumber,
        model: i64,
        newest: i64,
        common: Option<&[f32]>,
    ) -> Result<(), StoreError> {
        self.start_anew();
        let (first, last) = owner.rows();
        let count: usize = connection
            .prepare_cached("-- count_vectors\n SELECT count(*) FROM vector WHERE model = ?1 AND row BETWEEN ?2 AND ?3")
            .and_then(|mut s| s.query_row(params![model, first, last], |r| r.get(0)))
            .map_err(|e| failed("counting vectors", e))?;
        self.centred_at = if count == 0 { 0 } else { GROWTH_UNTIL_RECODED.pow(count.ilog(GROWTH_UNTIL_RECODED)) };
        let sample = self.centred_at.min(CENTRE_SAMPLE);
        let mut centre = Mean::new(self.dimension, common);
        let mut vector = Vec::with_capacity(self.dimension);
        let sql = "-- first_vectors
            SELECT id, row, data FROM vector WHERE model = ?1 AND row BETWEEN ?2 AND ?3 ORDER BY row, id LIMIT ?4";
        each_vector(connection, sql, [model, first, last, sample as i64], |_, _, data| {
            half_floats::decode_into(data, &mut vector);
            centre.add(&vector);
        })?;
        self.centre = centre.finish();
        let sql = "-- all_vectors
            SELECT id, row, data FROM vector WHERE model = ?1 AND row BETWEEN ?2 AND ?3 ORDER BY row, id LIMIT ?4";
        let mut last_id = 0;
        each_vector(connection, sql, [model, first, last, i64::MAX], |id, row, data| {
            half_floats::decode_into(data, &mut vector);
            self.add(id, row, &vector);
            last_id = last_id.max(id);
        })?;
        self.seen = newest.max(last_id);
        Ok(())
    }

    /// The next look makes the collection anew.
    fn start_anew(&mut self) {
        *self = Self::new(self.dimension);
    }

    /// What is gone keeps its place and is passed over, until the collection is coded anew.
    fn forget(&mut self, is_gone: impl Fn(i64, i64) -> bool) {
        for ((id, row), factor) in self.ids.iter().zip(&self.rows).zip(&mut self.factors) {
            if !factor.is_nan() && is_gone(*id, *row) {
                *factor = f32::NAN;
                self.gone += 1;
            }
        }
    }

    pub(super) fn add(&mut self, id: i64, row: i64, vector: &[f32]) {
        if vector.len() != self.dimension {
            return;
        }
        let words = self.words();
        let (block, lane) = (self.ids.len() / LANES, self.ids.len() % LANES);
        if lane == 0 {
            self.blocks.resize(self.blocks.len() + words * LANES, 0);
        }
        // Partial sums, so that one addition need not wait for the one before.
        let (mut squares, mut absolutes) = ([0.0_f32; 8], [0.0_f32; 8]);
        for (word, (xs, cs)) in vector.chunks(64).zip(self.centre.chunks(64)).enumerate() {
            let mut signs = 0_u64;
            for (i, (&x, &c)) in xs.iter().zip(cs).enumerate() {
                let x = x - c;
                squares[i % 8] += x * x;
                absolutes[i % 8] += x.abs();
                signs |= u64::from(x > 0.0) << i;
            }
            self.blocks[(block * words + word) * LANES + lane] = signs;
        }
        let (squared, absolute) = (squares.iter().sum::<f32>(), absolutes.iter().sum::<f32>());
        self.ids.push(id);
        self.rows.push(row);
        self.factors.push(if absolute > 0.0 { squared.sqrt() / absolute } else { 0.0 });
    }

    pub(super) fn nearest(&self, query: &[f32], wanted: usize, allowed: Option<&[i64]>) -> Vec<i64> {
        let query = QueryPlanes::new(query, self.words());
        let mut top = Top::new(wanted);
        scan(&self.blocks, &query, |block, sums| {
            let start = block * LANES;
            // The last block may be part empty.
            let factors = &self.factors[start..self.factors.len().min(start + LANES)];
            let mut scores = [f32::NAN; LANES];
            if let Ok(factors) = <&[f32; LANES]>::try_from(factors) {
                for lane in 0..LANES {
                    scores[lane] = factors[lane] * query.inner_product(sums, lane);
                }
            } else {
                for (lane, factor) in factors.iter().enumerate() {
                    scores[lane] = factor * query.inner_product(sums, lane);
                }
            }
            // What is gone scores NaN, which is above nothing.
            if scores.iter().fold(false, |any, score| any | (*score > top.threshold)) {
                for (lane, score) in scores.into_iter().enumerate() {
                    let index = start + lane;
                    if score > top.threshold && allowed.is_none_or(|rows| rows.binary_search(&self.rows[index]).is_ok())
                    {
                        top.push(score, index);
                    }
                }
            }
        });
        top.finish().into_iter().map(|index| self.ids[index]).collect()
    }
}

/// The mean of a collection's vectors; of a small one, drawn towards what all vectors of the model share.
struct Mean {
    sum: Vec<f32>,
    count: u32,
}

impl Mean {
    fn new(dimension: usize, common: Option<&[f32]>) -> Self {
        match common.filter(|common| common.len() == dimension) {
            Some(common) => {
                Self { sum: common.iter().map(|c| c * COMMON_WEIGHT as f32).collect(), count: COMMON_WEIGHT }
            }
            None => Self { sum: vec![0.0; dimension], count: 0 },
        }
    }

    fn add(&mut self, vector: &[f32]) {
        if vector.len() == self.sum.len() {
            self.sum.iter_mut().zip(vector).for_each(|(s, x)| *s += x);
            self.count += 1;
        }
    }

    fn finish(self) -> Vec<f32> {
        let scale = 1.0 / self.count.max(1) as f32;
        self.sum.into_iter().map(|s| s * scale).collect()
    }
}

fn each_vector(
    connection: &Connection,
    sql: &str,
    values: [i64; 4],
    mut take: impl FnMut(i64, i64, &[u8]),
) -> Result<(), StoreError> {
    let doing = "reading vectors";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query(values).map_err(|e| failed(doing, e))?;
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let id = row.get(0).map_err(|e| failed(doing, e))?;
        let number = row.get(1).map_err(|e| failed(doing, e))?;
        let data = row.get_ref(2).and_then(|v| Ok(v.as_blob()?)).map_err(|e| failed(doing, e))?;
        take(id, number, data);
    }
    Ok(())
}

/// The best score of each row, best first, `limit` of them.
pub(super) fn top_by_row(mut scored: Vec<(i64, f32)>, limit: usize) -> Vec<(i64, f32)> {
    scored.sort_unstable_by(|a, b| a.0.cmp(&b.0).then(b.1.total_cmp(&a.1)));
    scored.dedup_by_key(|(row, _)| *row);
    scored.sort_unstable_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    scored.truncate(limit);
    scored
}

/// Inner product in 16 partial sums, which the compiler keeps in registers.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let mut sums = [0.0_f32; 16];
    let (a_chunks, b_chunks) = (a.chunks_exact(16), b.chunks_exact(16));
    let rest: f32 = a_chunks.remainder().iter().zip(b_chunks.remainder()).map(|(x, y)| x * y).sum();
    for (x, y) in a_chunks.zip(b_chunks) {
        for i in 0..16 {
            sums[i] += x[i] * y[i];
        }
    }
    sums.iter().sum::<f32>() + rest
}
