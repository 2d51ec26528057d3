//! Vectors, and what is found by them.

use super::*;
use crate::store::ModelId;

pub(super) fn put(store: &dyn Store, owner: &Owner, seq: i64, passages: Vec<Vec<f32>>) -> Result<(), StoreError> {
    store.put_vectors(&model(), vec![EventVectors { owner: owner.clone(), seq: Seq(seq), passages }])
}

fn nearest(store: &dyn Store, owner: &Owner, vector: &[f32], filter: &Filter, limit: usize) -> Vec<i64> {
    let query = DenseQuery { model: &model(), vector, common: None };
    store.dense(owner, &query, filter, limit).expect("a search").iter().map(|(seq, _)| seq.0).collect()
}

pub(crate) fn vectors_follow_the_log(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let mut random = Random::new(3);
    assert_eq!(store.active_model().expect("a read"), None);
    for _ in 0..5 {
        say(store, &env, &me, "s", "x");
    }
    let waiting = |limit| -> Vec<i64> {
        store.unembedded(&model(), limit).expect("a read").iter().map(|waiting| waiting.event.seq.0).collect()
    };
    assert_eq!((waiting(2), waiting(9)), (vec![1, 2], vec![1, 2, 3, 4, 5]));
    put(store, &me, 1, vec![samples::vector(&mut random, 0)]).expect("vectors");
    put(store, &me, 2, Vec::new()).expect("an event with nothing to embed");
    assert_eq!(waiting(9), [3, 4, 5]);
    let progress = store.embedded(&model()).expect("a read");
    assert_eq!((progress.done, progress.total), (2, 5));
    assert_eq!(store.active_model().expect("a read"), Some(model()));
    let say_again = say(store, &env, &owner("you"), "s", "x").0;
    assert_eq!(say_again, Seq(1));
    assert_eq!(store.unembedded(&model(), 9).expect("a read").len(), 4);
    assert_eq!(store.unembedded(&model(), 0).expect("a read").len(), 0);
}

pub(crate) fn vectors_that_make_no_sense_are_refused(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let good = samples::vector(&mut Random::new(3), 0);
    say(store, &env, &me, "s", "x");
    assert!(matches!(put(store, &owner("you"), 1, vec![good.clone()]), Err(StoreError::Refused(_))));
    // Of an event that is not there, because it was erased while they were made: they are of nothing.
    put(store, &me, 2, vec![good.clone()]).expect("nothing to do");
    assert!(matches!(put(store, &me, 1, vec![vec![1.0; 7]]), Err(StoreError::Dimension { actual: 7, .. })));
    let mut odd = good.clone();
    odd[3] = f32::NAN;
    assert!(matches!(put(store, &me, 1, vec![good.clone(), odd]), Err(StoreError::Refused(_))));
    let query = DenseQuery { model: &model(), vector: &good[..5], common: None };
    let short = store.dense(&me, &query, &Filter::default(), 5);
    assert!(matches!(short, Err(StoreError::Dimension { actual: 5, .. })));
    let progress = store.embedded(&model()).expect("a read");
    assert_eq!((progress.done, progress.total, store.status().expect("a status").vectors), (0, 1, 0));
    put(store, &me, 1, vec![good]).expect("vectors");
}

pub(crate) fn the_nearest_comes_first(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let mut random = Random::new(5);
    for axis in 0..8 {
        say(store, &env, &me, ["a", "b"][axis % 2], "x");
        // The best passage of an event counts.
        let passages = vec![samples::vector(&mut random, axis), samples::vector(&mut random, axis + 1)];
        put(store, &me, axis as i64 + 1, passages).expect("vectors");
    }
    say(store, &env, &owner("you"), "a", "x");
    put(store, &owner("you"), 1, vec![samples::vector(&mut random, 2)]).expect("vectors");
    let query = samples::unit((0..8).map(|i| if i == 2 { 1.0 } else { 0.0 }).collect());
    let mut best = nearest(store, &me, &query, &Filter::default(), 2);
    best.sort_unstable();
    assert_eq!(best, [2, 3]);
    assert_eq!(nearest(store, &me, &query, &Filter::default(), 99).len(), 8);
    let within = Filter { session: Some(id("a")), ..Filter::default() };
    assert_eq!(nearest(store, &me, &query, &within, 99).len(), 4);
    assert_eq!(nearest(store, &me, &query, &within, 1), [3]);
    assert_eq!(nearest(store, &owner("you"), &query, &Filter::default(), 9), [1]);
    assert_eq!(nearest(store, &me, &query, &Filter::default(), 0), Vec::<i64>::new());
    let query = DenseQuery { model: &model(), vector: &query, common: None };
    let all = store.dense(&me, &query, &Filter::default(), 99).expect("a search");
    let some = store.cosines(&me, &query, &[Seq(3), Seq(7), Seq(70)]).expect("a search");
    assert_eq!(some.len(), 2);
    assert!(some.iter().all(|found| all.contains(found)));
}

pub(crate) fn replaced_vectors_are_not_found(store: &dyn Store) {
    let (env, me, you) = (env(), owner("me"), owner("you"));
    let mut random = Random::new(5);
    for axis in 0..4 {
        say(store, &env, &me, "s", "x");
        put(store, &me, axis as i64 + 1, vec![samples::vector(&mut random, axis)]).expect("vectors");
    }
    say(store, &env, &you, "s", "x");
    let towards = |axis: usize| samples::unit((0..8).map(|i| if i == axis { 1.0 } else { 0.0 }).collect());
    assert_eq!(nearest(store, &me, &towards(3), &Filter::default(), 1), [4]);
    // The newest vector goes, and the next one that comes is somebody else's.
    put(store, &me, 4, Vec::new()).expect("no vectors");
    put(store, &you, 1, vec![samples::vector(&mut random, 3)]).expect("vectors");
    let mut left = nearest(store, &me, &towards(3), &Filter::default(), 9);
    left.sort_unstable();
    assert_eq!(left, [1, 2, 3]);
    assert_eq!(nearest(store, &you, &towards(3), &Filter::default(), 9), [1]);
    put(store, &me, 2, vec![samples::vector(&mut random, 6)]).expect("vectors");
    assert_eq!(nearest(store, &me, &towards(6), &Filter::default(), 1), [2]);
    assert_ne!(nearest(store, &me, &towards(1), &Filter::default(), 1), [2]);
    assert_eq!(store.status().expect("a status").vectors, 4);
}

pub(crate) fn another_model_takes_over(store: &dyn Store) {
    let (env, me) = (env(), owner("me"));
    let (old, new) = (model(), ModelId { name: "test".to_owned(), dimension: 4 });
    for _ in 0..2 {
        say(store, &env, &me, "s", "x");
    }
    put(store, &me, 1, vec![samples::vector(&mut Random::new(1), 0)]).expect("vectors");
    let vector = [1.0, 0.0, 0.0, 0.0];
    for seq in 1..=2 {
        let passages = vec![vector.to_vec()];
        let vectors = vec![EventVectors { owner: me.clone(), seq: Seq(seq), passages }];
        store.put_vectors(&new, vectors).expect("vectors");
    }
    assert_eq!(
        store.active_model().expect("a read"),
        Some(old.clone()),
        "the old one serves until the new one is done"
    );
    let towards = samples::vector(&mut Random::new(1), 0);
    assert_eq!(nearest(store, &me, &towards, &Filter::default(), 9), [1]);
    store.activate_model(&new).expect("a switch");
    assert_eq!(store.active_model().expect("a read"), Some(new.clone()));
    assert_eq!(nearest(store, &me, &towards, &Filter::default(), 9), Vec::<i64>::new());
    let query = DenseQuery { model: &new, vector: &vector, common: None };
    assert_eq!(store.dense(&me, &query, &Filter::default(), 9).expect("a search").len(), 2);
    assert_eq!(store.embedded(&old).expect("a read").done, 0);
    assert_eq!(store.unembedded(&new, 9).expect("a read").len(), 0);
    // And back.
    put(store, &me, 2, vec![towards.clone()]).expect("vectors");
    store.activate_model(&old).expect("a switch");
    assert_eq!(nearest(store, &me, &towards, &Filter::default(), 9), [2]);
}
