//! A cache of one owner's vectors as one-bit codes, to find in a millisecond which few are worth an exact look.
//!
//! Each vector, less the centre of its collection, is kept as the signs of its numbers and one factor; the query keeps its
//! numbers (in 16 levels). That is the estimator of RaBitQ (arXiv 2405.12497) without its random rotation: e5 vectors share a
//! large common part, and taking the centre away is what makes signs tell them apart (DESIGN.md 3: .53 → .995 of the true
//! top 10 after rescoring 200). The half floats of a collection that is not too large are kept beside its codes, so that an exact
//! look reads no rows. The cache can be made anew from the rows at any time and follows them by their ids.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError, RwLock};

use half::f16;
use half::slice::HalfFloatSliceExt;
use rusqlite::{Connection, params};

use super::open::failed;
use super::row::{OwnerNumber, half_floats};
use super::scan::{LANES, QueryPlanes, Top, compare, scan};
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

/// Half floats of one collection that are kept in memory, in bytes: 170,000 vectors of 384 numbers. Those of a larger one are read
/// from its rows, as many as are worth an exact look.
const HALVES_BYTES_MAX: usize = 128 * 1024 * 1024;

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
        let rows = Rows::load(connection, owner, model)?;
        if codes.read().unwrap_or_else(PoisonError::into_inner).seen.is_behind(rows) {
            let mut writing = codes.write().unwrap_or_else(PoisonError::into_inner);
            // Another thread may have been quicker.
            if writing.seen.is_behind(rows) {
                // Half of a collection is none: the next look makes it anew.
                if let Err(error) = writing.follow(connection, owner, model, rows, query.common) {
                    writing.start_anew();
                    return Err(error);
                }
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

    /// The `wanted` passages that look nearest, in no order; with `allowed` (ascending), only of those rows.
    pub(super) fn nearest(&self, query: &Centred, wanted: usize, allowed: Option<&[i64]>) -> Vec<Near> {
        let codes = self.codes.read().unwrap_or_else(PoisonError::into_inner);
        codes.nearest(query, wanted, allowed)
    }

    /// The exact cosines of these rows' passages, in the order of the rows; `None` if they have to be read from the rows.
    pub(super) fn cosines(&self, query: &Centred, rows: &[i64]) -> Option<Vec<(i64, f32)>> {
        self.codes.read().unwrap_or_else(PoisonError::into_inner).cosines(query, rows)
    }
}

/// A passage that looks near.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Near {
    pub(super) id: i64,
    pub(super) row: i64,
    /// The exact cosine, if the vector is in memory.
    pub(super) cosine: Option<f32>,
}

/// A query less its collection's centre, to compare vectors with that have it taken away too.
pub(super) struct Centred {
    centre: Vec<f32>,
    /// Unit norm; all zero if the query is the centre itself.
    direction: Vec<f32>,
}

impl Centred {
    pub(super) fn new(vector: &[f32], centre: &[f32]) -> Self {
        // A collection without vectors has no centre yet.
        let centre = if centre.len() == vector.len() { centre.to_vec() } else { vec![0.0; vector.len()] };
        let mut direction: Vec<f32> = vector.iter().zip(&centre).map(|(x, c)| x - c).collect();
        let norm = direction.iter().map(|x| x * x).sum::<f32>().sqrt().max(f32::MIN_POSITIVE);
        direction.iter_mut().for_each(|x| *x /= norm);
        Self { centre, direction }
    }

    /// The cosine with another vector once both are centred; `None` for one of another length.
    pub(super) fn cosine(&self, vector: &[f16]) -> Option<f32> {
        if vector.len() != self.direction.len() {
            return None;
        }
        let (inner, squares) = compare(vector, &self.centre, &self.direction);
        let norm = squares.sqrt();
        Some(if norm > 0.0 { inner / norm } else { 0.0 })
    }
}

/// How far a collection's rows have come.
#[derive(Debug, Clone, Copy, Default)]
struct Rows {
    /// The newest id of any vector.
    newest: i64,
    /// How often vectors of the collection were taken out.
    removed: i64,
}

impl Rows {
    fn load(connection: &Connection, owner: OwnerNumber, model: i64) -> Result<Self, StoreError> {
        let sql = "-- rows_of_vectors
            SELECT (SELECT ifnull(max(id), 0) FROM vector),
                ifnull((SELECT removed FROM embedded WHERE model = ?1 AND owner = ?2), 0)";
        connection
            .prepare_cached(sql)
            .and_then(|mut s| {
                s.query_row(params![model, owner.0], |r| Ok(Self { newest: r.get(0)?, removed: r.get(1)? }))
            })
            .map_err(|e| failed("looking for new vectors", e))
    }

    fn is_behind(self, rows: Self) -> bool {
        self.newest < rows.newest || self.removed < rows.removed
    }
}

/// The codes of one owner's vectors under one model.
#[derive(Debug)]
pub(super) struct Codes {
    dimension: usize,
    pub(super) centre: Vec<f32>,
    /// How many vectors the centre stands for: a power of four; 0 before there are any.
    centred_at: usize,
    ids: Vec<i64>,
    /// Ascending.
    rows: Vec<i64>,
    /// |x| / |x|₁ of the centred vector x: makes the signs' inner product an unbiased estimate of the cosine.
    factors: Vec<f32>,
    /// `blocks[(block * words + word) * LANES + lane]`.
    blocks: Vec<u64>,
    /// The vectors themselves, one after the other, while there is room for them.
    halves: Option<Vec<f16>>,
    /// What of `vector` has been looked at.
    seen: Rows,
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
            blocks: Vec::new(),
            halves: Some(Vec::new()),
            seen: Rows::default(),
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
        let halves = self.halves.as_ref().map_or(0, Vec::len);
        (self.ids.len() + self.rows.len() + self.blocks.len()) * 8 + self.factors.len() * 4 + halves * size_of::<f16>()
    }

    /// Takes in the vectors that are newer than what was seen, in the order of their rows; where that can't be, or others were
    /// taken out, makes the collection anew.
    fn follow(
        &mut self,
        connection: &Connection,
        owner: OwnerNumber,
        model: i64,
        rows: Rows,
        common: Option<&[f32]>,
    ) -> Result<(), StoreError> {
        if self.centred_at == 0 || rows.removed != self.seen.removed {
            return self.recode(connection, owner, model, rows, common);
        }
        let mut ordered = true;
        let known = self.ids.len();
        let (first, last) = owner.rows();
        // Not by the index of rows, which has no use for an id that must be newer: `+` keeps the planner from it.
        let sql = "-- newer_vectors
            SELECT id, row, data FROM vector WHERE id > ?1 AND +model = ?2 AND +row BETWEEN ?3 AND ?4 ORDER BY row, id";
        each_vector(connection, sql, [self.seen.newest, model, first, last], |id, row, halves| {
            ordered &= self.rows.last().is_none_or(|last| *last <= row);
            self.add(id, row, halves);
        })?;
        let newest = self.ids[known..].iter().copied().max().unwrap_or(0);
        self.seen = Rows { newest: rows.newest.max(newest), ..rows };
        if !ordered || self.ids.len() >= self.centred_at * GROWTH_UNTIL_RECODED {
            return self.recode(connection, owner, model, rows, common);
        }
        Ok(())
    }

    /// Makes the whole collection anew, around a new centre.
    fn recode(
        &mut self,
        connection: &Connection,
        owner: OwnerNumber,
        model: i64,
        rows: Rows,
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
        each_vector(connection, sql, [model, first, last, sample as i64], |_, _, halves| {
            vector.resize(halves.len(), 0.0);
            halves.convert_to_f32_slice(&mut vector);
            centre.add(&vector);
        })?;
        self.centre = centre.finish();
        self.halves = Some(Vec::new()).filter(|_| count * self.dimension * size_of::<f16>() <= HALVES_BYTES_MAX);
        if let Some(kept) = &mut self.halves {
            kept.reserve_exact(count * self.dimension);
        }
        let sql = "-- all_vectors
            SELECT id, row, data FROM vector WHERE model = ?1 AND row BETWEEN ?2 AND ?3 ORDER BY row, id LIMIT ?4";
        let mut last_id = 0;
        each_vector(connection, sql, [model, first, last, i64::MAX], |id, row, halves| {
            self.add(id, row, halves);
            last_id = last_id.max(id);
        })?;
        self.seen = Rows { newest: rows.newest.max(last_id), ..rows };
        Ok(())
    }

    /// The next look makes the collection anew.
    fn start_anew(&mut self) {
        *self = Self::new(self.dimension);
    }

    pub(super) fn add(&mut self, id: i64, row: i64, halves: &[f16]) {
        if halves.len() != self.dimension {
            return;
        }
        let mut vector = vec![0.0; self.dimension];
        halves.convert_to_f32_slice(&mut vector);
        let fits = |kept: &Vec<f16>| (kept.len() + self.dimension) * size_of::<f16>() <= HALVES_BYTES_MAX;
        self.halves = self.halves.take().filter(fits);
        if let Some(kept) = &mut self.halves {
            kept.extend_from_slice(halves);
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

    /// The exact cosine with the vector at a place, if it is in memory.
    fn cosine(&self, query: &Centred, place: usize) -> Option<f32> {
        query.cosine(self.halves.as_ref()?.get(place * self.dimension..(place + 1) * self.dimension)?)
    }

    fn cosines(&self, query: &Centred, rows: &[i64]) -> Option<Vec<(i64, f32)>> {
        self.halves.as_ref()?;
        let mut scored = Vec::with_capacity(rows.len());
        for row in rows {
            let first = self.rows.partition_point(|other| other < row);
            let of_row = self.rows[first..].iter().take_while(|other| *other == row).count();
            let there = first..first + of_row;
            scored.extend(there.filter_map(|place| Some((*row, self.cosine(query, place)?))));
        }
        Some(scored)
    }

    pub(super) fn nearest(&self, centred: &Centred, wanted: usize, allowed: Option<&[i64]>) -> Vec<Near> {
        let query = QueryPlanes::new(&centred.direction, self.words());
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
        let near =
            |place: usize| Near { id: self.ids[place], row: self.rows[place], cosine: self.cosine(centred, place) };
        top.finish().into_iter().map(near).collect()
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
    mut take: impl FnMut(i64, i64, &[f16]),
) -> Result<(), StoreError> {
    let doing = "reading vectors";
    let mut statement = connection.prepare_cached(sql).map_err(|e| failed(doing, e))?;
    let mut rows = statement.query(values).map_err(|e| failed(doing, e))?;
    let mut halves = Vec::new();
    while let Some(row) = rows.next().map_err(|e| failed(doing, e))? {
        let id = row.get(0).map_err(|e| failed(doing, e))?;
        let number = row.get(1).map_err(|e| failed(doing, e))?;
        let data = row.get_ref(2).and_then(|v| Ok(v.as_blob()?)).map_err(|e| failed(doing, e))?;
        half_floats::decode_into(data, &mut halves);
        take(id, number, &halves);
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
