//! Whether segments of a source bear a claim. The claim's tokens are found among the source's in the same order: a summary may leave
//! out, but not rearrange. What it may leave out is listed in `broken`.

use std::ops::Range;

use super::reading::{Claim, Segment, Sense, Token};
use super::words::{Class, Lead};

/// A claim that joins more segments than this is not compressed lightly; each more costs another pass over the source.
const SEGMENTS_MAX: usize = 8;

/// What a claim is borne by: for each of its tokens the segment and the place in it.
pub(super) type Places = Vec<(usize, usize)>;

/// For each place, the side and the place that the best way to it comes from.
type Origins = Vec<Option<(usize, usize)>>;

/// What is asked of a claim besides its own words.
pub(super) struct Around<'a> {
    /// Claims of the same sentence before it, where it goes on with what they speak of.
    pub(super) before: &'a [Claim],
    /// Where the claims before it were found.
    pub(super) found: Option<&'a Places>,
    /// Where the last of them was.
    pub(super) last: Option<&'a Places>,
    /// Small words that the sentence of the summary has, this claim's and the others'.
    pub(super) said: &'a [Class],
}

/// The first places in the source that bear a claim.
pub(super) fn borne(claim: &Claim, source: &[Segment], around: &Around<'_>) -> Option<Places> {
    let all: Vec<&Token> = claim.tokens.iter().collect();
    let found = search(&all, claim, source, around).or_else(|| {
        // A summary names the user where the user spoke of nobody: 「以后先写结论」.
        let without: Vec<&Token> = all.iter().copied().filter(|token| token.class() != Some(Class::Speaker)).collect();
        let named = without.len() < all.len() && !without.is_empty();
        let places = named.then(|| search(&without, claim, source, around))??;
        (places.is_sorted() && nobody_named(&places, source)).then_some(places)
    })?;
    // 「他…」 is not who speaks.
    let (segment, place) = *found.iter().min()?;
    let of_speaker = source[segment].tokens[..place].iter().any(|token| token.class() == Some(Class::Speaker));
    (!claim.of_others || !of_speaker).then_some(found)
}

/// Whether the source says something without saying of whom, or goes on with what it says of who speaks.
fn nobody_named(places: &Places, source: &[Segment]) -> bool {
    let Some(&(segment, place)) = places.iter().min() else { return false };
    // 「以后…」 is how a standing wish begins.
    let leads_in = |token: &Token| token.is_setting() || token.class() == Some(Class::After);
    let sentence = source[segment].sentence;
    let first = source.iter().position(|other| other.sentence == sentence).unwrap_or(segment);
    let tokens = &source[first].tokens;
    let of_speaker = tokens.first().is_some_and(|token| token.class() == Some(Class::Speaker))
        && !tokens
            .get(1)
            .is_some_and(|next| next.lead == Lead::Of || next.glued && matches!(next.sense, Sense::Character(_)));
    source[segment].tokens[..place].iter().all(leads_in) && (first == segment || of_speaker)
}

fn search(tokens: &[&Token], claim: &Claim, source: &[Segment], around: &Around<'_>) -> Option<Places> {
    // For each token, in how many segments before each it is: whether a window has it is then one subtraction.
    let mut counts: Vec<Vec<u32>> = Vec::with_capacity(tokens.len());
    for token in tokens {
        let mut sum = 0;
        let mut of_token = vec![0];
        of_token.extend(source.iter().map(|segment| {
            sum += u32::from(segment.tokens.iter().any(|said| token.is_borne_by(said)));
            sum
        }));
        if sum == 0 {
            return None;
        }
        counts.push(of_token);
    }
    for length in 1..=SEGMENTS_MAX {
        for start in 0..(source.len() + 1).saturating_sub(length) {
            let has = |of_token: &[u32], range: Range<usize>| of_token[range.end] > of_token[range.start];
            // Shorter windows were tried: both ends must give something.
            let gives = |at: usize| counts.iter().any(|of_token| has(of_token, at..at + 1));
            let end = start + length;
            if !counts.iter().all(|of_token| has(of_token, start..end)) || !gives(start) || !gives(end - 1) {
                continue;
            }
            let window = &source[start..end];
            let sentences = window[length - 1].sentence - window[0].sentence;
            if sentences > 1 || window.iter().any(|segment| segment.question != claim.question) {
                continue;
            }
            let found = aligned(tokens, window, length == 1);
            let places = found.filter(|places| !broken(tokens, places, window, source, start, around));
            if let Some(places) = places {
                return Some(places.into_iter().map(|(segment, place)| (segment + start, place)).collect());
            }
        }
    }
    None
}

/// The tokens' places in a window, in its order, with as many neighbours left beside each other as can be. `turned`: one stretch may have been
/// moved to the front, as in 「通过压测」 for 「压测通过」.
fn aligned(tokens: &[&Token], window: &[Segment], turned: bool) -> Option<Places> {
    let flat: Vec<(usize, usize)> = window
        .iter()
        .enumerate()
        .flat_map(|(segment, s)| (0..s.tokens.len()).map(move |place| (segment, place)))
        .collect();
    let said = |at: usize| &window[flat[at].0].tokens[flat[at].1];
    let width = flat.len();
    let sides = if turned { 2 } else { 1 };
    // best[side][at]: the best score with the present token at `at`, and where the token before it is.
    let mut best: Vec<Vec<Option<i32>>> = vec![vec![None; width]; sides];
    let mut from: Vec<Vec<Origins>> = Vec::with_capacity(tokens.len());
    for (index, token) in tokens.iter().enumerate() {
        let mut next = vec![vec![None; width]; sides];
        let mut origin = vec![vec![None; width]; sides];
        for side in 0..sides {
            // The best place before `at`, for what follows in order.
            let mut before: Option<(i32, usize)> = None;
            for at in 0..width {
                if token.is_borne_by(said(at)) {
                    let heads = i32::from(flat[at].1 == 0);
                    if index == 0 {
                        if side == 0 {
                            next[side][at] = Some(heads);
                        }
                    } else {
                        let mut options: Vec<(i32, usize, usize)> =
                            before.iter().map(|&(score, place)| (score, side, place)).collect();
                        if at > 0
                            && let Some(score) = best[side][at - 1]
                        {
                            options.push((score + 4, side, at - 1));
                        }
                        if side == 1 {
                            let later = (at + 1..width).filter_map(|place| Some((best[0][place]? - 3, 0, place)));
                            options.extend(later.max_by_key(|option| option.0));
                        }
                        if let Some((score, side_before, place)) = options.into_iter().max_by_key(|option| option.0) {
                            next[side][at] = Some(score + heads);
                            origin[side][at] = Some((side_before, place));
                        }
                    }
                }
                if let Some(score) = best[side][at]
                    && before.is_none_or(|(known, _)| score >= known)
                {
                    before = Some((score, at));
                }
            }
        }
        best = next;
        from.push(origin);
    }
    let ends = (0..sides).flat_map(|side| (0..width).map(move |at| (side, at)));
    let (_, mut side, mut at) = ends
        .filter_map(|(side, at)| Some((best[side][at]?, side, at)))
        .max_by_key(|(score, side, at)| (*score, std::cmp::Reverse(*side), std::cmp::Reverse(*at)))?;
    let mut places = Vec::with_capacity(tokens.len());
    for origin in from.iter().rev() {
        places.push(flat[at]);
        if let Some((side_before, place)) = origin[side][at] {
            (side, at) = (side_before, place);
        }
    }
    places.reverse();
    let mut once = places.clone();
    once.sort_unstable();
    once.dedup();
    (once.len() == places.len()).then_some(places)
}

/// Whether what was left out between these places changes what is said.
fn broken(
    tokens: &[&Token],
    places: &Places,
    window: &[Segment],
    source: &[Segment],
    start: usize,
    around: &Around<'_>,
) -> bool {
    let kept = |segment: usize, place: usize| places.contains(&(segment, place));
    let mut touched: Vec<usize> = places.iter().map(|(segment, _)| *segment).collect();
    touched.sort_unstable();
    touched.dedup();
    let (Some(&first), Some(&last)) = (touched.first(), touched.last()) else { return true };
    subject_lost(places, window, &touched)
        || skips(window, &touched, first, last)
        || turn_lost(window, source, start, &touched, around, &kept)
        || value_passed_over(places, window)
        || governs_another(tokens, places, window)
        || cut_inside_a_word(tokens, places, window)
        || owner_for_owned(tokens, places, window)
        || goes_on(places, window)
        || object_made_subject(places, window, &touched)
        || part_changed(tokens, places, window)
        || moved_beside_a_part(tokens, places, window)
        || subject_changed(places, window, source, start, around)
}

/// 「华星 3 单，顺达 5 单」 does not say 「华星 5 单」: of a later segment, what it begins with is kept.
fn subject_lost(places: &Places, window: &[Segment], touched: &[usize]) -> bool {
    let kept = |segment: usize, place: usize| places.contains(&(segment, place));
    let dated_before = |segment: usize| {
        places
            .iter()
            .any(|&(other, place)| other < segment && matches!(window[other].tokens[place].sense, Sense::Date(_)))
    };
    touched.iter().skip(1).any(|&segment| {
        let tokens = &window[segment].tokens;
        let Some(head) = tokens.iter().position(|token| !token.is_setting()) else { return false };
        let date_lost = (0..head).any(|place| !kept(segment, place) && matches!(tokens[place].sense, Sense::Date(_)));
        !kept(segment, head) || date_lost && dated_before(segment)
    }) || clause_head_lost(places, window, touched)
}

/// The same for whole clauses, where the segment that was used is not their first.
fn clause_head_lost(places: &Places, window: &[Segment], touched: &[usize]) -> bool {
    let first_clause = touched.first().map(|&segment| window[segment].clause);
    touched.iter().any(|&segment| {
        let clause = window[segment].clause;
        if Some(clause) == first_clause {
            return false;
        }
        let of_clause = (0..window.len()).filter(|&other| window[other].clause == clause);
        let mut tokens = of_clause.flat_map(|other| (0..window[other].tokens.len()).map(move |place| (other, place)));
        tokens
            .find(|&(other, place)| !window[other].tokens[place].is_setting())
            .is_some_and(|head| !places.contains(&head))
    })
}

/// "Tom called Jim and met Ann" does not say "Jim met Ann": who does what is said in several segments is whom the first begins with.
fn object_made_subject(places: &Places, window: &[Segment], touched: &[usize]) -> bool {
    let [first, second, ..] = *touched else { return false };
    let tokens = &window[first].tokens;
    let head = tokens.iter().position(|token| !token.is_setting());
    // "For the next evening Dune got 15 votes and Solaris 8": what is set before the subject may go.
    let set_before = tokens.first().is_some_and(|token| matches!(token.lead, Lead::Beside | Lead::At));
    // Over a comma, what was made may go on as the subject; somebody else may not.
    let close = window[first].clause == window[second].clause || window[first].names_somebody();
    close && !set_before && head.is_some_and(|head| !places.contains(&(first, head)))
}

/// Whole clauses between those a claim is taken from, that may have another subject. What stands in brackets, and members of a list, may go.
fn skips(window: &[Segment], touched: &[usize], first: usize, last: usize) -> bool {
    (first..=last).any(|segment| {
        let of_list = |other: usize| window[segment].clause == window[other].clause;
        let neighbours = touched.iter().any(|&other| of_list(other));
        let passed = touched.contains(&segment) || window[segment].aside || neighbours;
        // 「小宇做了 12 道题，对了 9 道。他能独立推导」: he is whom the sentence before begins a clause with, if nobody else does.
        let referred = || {
            let pronoun = touched.iter().find(|&&other| other > segment).is_some_and(|&other| window[other].pronoun);
            pronoun && !window[segment].names_somebody()
        };
        !passed && !referred()
    })
}

/// A word that turns the meaning (not, must, only, if …) was left out of a clause that was used.
fn turn_lost(
    window: &[Segment],
    source: &[Segment],
    start: usize,
    touched: &[usize],
    around: &Around<'_>,
    kept: &impl Fn(usize, usize) -> bool,
) -> bool {
    let first = touched.first().copied().unwrap_or_default();
    let turns = |token: &Token| token.class().is_some_and(Class::turns);
    let in_touched = touched.iter().any(|&segment| {
        let tokens = &window[segment].tokens;
        let supposes = tokens.iter().any(|token| token.class() == Some(Class::If));
        let lost = |place: usize| {
            let token = &tokens[place];
            // 「如果压测失败就回滚」 may be told in two clauses, the condition first.
            let told = supposes && around.found.is_some_and(|found| found.contains(&(start + segment, place)));
            if kept(segment, place) || told {
                return false;
            }
            let beside_value = |other: Option<usize>| {
                other.is_some_and(|other| {
                    other < tokens.len()
                        && kept(segment, other)
                        && tokens[other].is_value()
                        && tokens[other].lead != Lead::To
                })
            };
            // 「只有 4 岁」 may become 「4 岁」: the number is the same.
            let only_weighs = token.class() == Some(Class::Only)
                && matches!(tokens.get(place + 1).map(|next| &next.sense), Some(Sense::Number(_)));
            turns(token) && !only_weighs
                || token.class().is_some_and(Class::bounds)
                    && (beside_value(place.checked_sub(1)) || beside_value(Some(place + 1)))
        };
        (0..tokens.len()).any(lost)
    });
    // 「不要测试和部署」: what joins hands on what was said before it in its clause.
    let clause = source[start + first].clause;
    let own = source[start + first].tokens.first().is_some_and(turns);
    let mut joined = source[..start + first].iter().rev().take_while(|segment| segment.clause == clause);
    let handed_on = !own
        && joined
            .any(|segment| segment.tokens.iter().any(|token| turns(token) && token.class() != Some(Class::Failed)));
    // A condition or an exception holds for its whole sentence.
    let conditioned = touched.iter().any(|&segment| {
        let sentence = window[segment].sentence;
        let mut same = source.iter().filter(|other| other.sentence == sentence);
        same.any(|other| {
            let excepts = other.tokens.first().is_some_and(|token| token.class() == Some(Class::Except));
            let supposes = other.tokens.iter().any(|token| token.class() == Some(Class::If));
            supposes && !around.said.contains(&Class::If) || excepts && !around.said.contains(&Class::Except)
        })
    });
    in_touched || handed_on || conditioned
}

/// 「P50 120 毫秒 P99 480 毫秒」 does not say 「P50 480 毫秒」: between two places no other value of the kind was left out.
fn value_passed_over(places: &Places, window: &[Segment]) -> bool {
    places.windows(2).any(|pair| {
        let ((segment, from), (other, to)) = (pair[0], pair[1]);
        let tokens = &window[segment].tokens;
        let same_kind = |a: &Token, b: &Token| match (&a.sense, &b.sense) {
            (Sense::Number(a), Sense::Number(b)) => a.unit == b.unit,
            (Sense::Date(_), Sense::Date(_)) => true,
            _ => false,
        };
        // 「一共 7,430 元：3,280 元是机票」: what begins with a number gives it to what stands in the same segment.
        if segment < other && to == 0 && window[other].tokens[0].is_value() {
            return tokens[from + 1..].iter().any(|left_out| same_kind(left_out, &window[other].tokens[0]));
        }
        if segment != other || to <= from + 1 {
            return false;
        }
        let later = places.iter().filter(|(s, place)| *s == segment && *place >= to).map(|(_, place)| &tokens[*place]);
        let later: Vec<&Token> = later.filter(|token| token.is_value()).collect();
        tokens[from + 1..to].iter().any(|left_out| {
            left_out.lead != Lead::From
                && left_out.lead != Lead::Than
                && later.iter().any(|value| same_kind(left_out, value))
        })
    })
}

/// What a negation or a condition stands before in the claim is what it stands before in the source, not something of another clause.
fn governs_another(tokens: &[&Token], places: &Places, window: &[Segment]) -> bool {
    (0..tokens.len().saturating_sub(1)).any(|index| {
        let ((segment, place), (other, _)) = (places[index], places[index + 1]);
        let ends = place + 1 == window[segment].tokens.len();
        tokens[index].class().is_some_and(Class::turns) && segment != other && !ends
    })
}

/// One ideograph of a word alone: 王 of 王芳 and 强 of 强调 are no 王强.
fn cut_inside_a_word(tokens: &[&Token], places: &Places, window: &[Segment]) -> bool {
    let follows = |index: usize| {
        let ((segment, from), (other, to)) = (places[index], places[index + 1]);
        segment == other && to == from + 1
    };
    (0..tokens.len()).any(|index| {
        if !matches!(tokens[index].sense, Sense::Character(_)) {
            return false;
        }
        let character = |token: Option<&Token>| token.is_some_and(|token| matches!(token.sense, Sense::Character(_)));
        let (segment, place) = places[index];
        let said = &window[segment].tokens;
        let alone_before = index == 0 || !follows(index - 1);
        let alone_behind = index + 1 == tokens.len() || !follows(index);
        let glued_before = said[place].glued && place > 0 && character(said.get(place - 1));
        let glued_behind = said.get(place + 1).is_some_and(|next| next.glued) && character(said.get(place + 1));
        alone_before && alone_behind && (glued_before || glued_behind)
    })
}

/// 「测试全部通过是下周的目标」 does not say 「测试全部通过」, nor "met Ann's sister" "met Ann": where a claim ends, nothing goes on of it.
fn goes_on(places: &Places, window: &[Segment]) -> bool {
    places.iter().any(|&(segment, place)| {
        let last = !places.iter().any(|&(other, later)| other == segment && later > place);
        let next = window[segment].tokens.get(place + 1);
        let of_it = |next: &Token| next.lead == Lead::Is || next.lead == Lead::Of && !next.is_value();
        last && next.is_some_and(|next| next.class().is_none() && of_it(next))
    })
}

/// 「张伟的经理同意了」 does not say 「张伟同意了」.
fn owner_for_owned(tokens: &[&Token], places: &Places, window: &[Segment]) -> bool {
    (0..tokens.len().saturating_sub(1)).any(|index| {
        let ((segment, from), (other, to)) = (places[index], places[index + 1]);
        let said = &window[segment].tokens;
        let next = said.get(from + 1);
        let speaks = tokens[index].class() == Some(Class::Speaker);
        let owned = next.is_some_and(|next| {
            (next.lead == Lead::Of || speaks && next.glued && matches!(next.sense, Sense::Character(_)))
                && !next.is_value()
        });
        segment == other && to > from + 1 && owned && tokens[index + 1].lead != Lead::Of
    })
}

/// The same words in another part: 被, "by", from what, than what, to what.
fn part_changed(tokens: &[&Token], places: &Places, window: &[Segment]) -> bool {
    let moves = tokens.iter().any(|token| token.class().is_some_and(Class::compares));
    (0..tokens.len()).any(|index| {
        let (segment, place) = places[index];
        let said = &window[segment].tokens[place];
        // 「由实习老师孟瑶完成」: what stands before the title stands before the name.
        let before = &window[segment].tokens[..place];
        let titled = before.iter().enumerate().rev().take_while(|(at, token)| {
            let left_out = !places.contains(&(segment, *at));
            left_out && (token.title || token.class() == Some(Class::Speaker))
        });
        let decides = |lead: Lead| matches!(lead, Lead::From | Lead::By | Lead::Than);
        let source = titled.map(|(_, token)| token.lead).find(|lead| decides(*lead)).unwrap_or(said.lead);
        let own = tokens[index].lead;
        if (decides(own) || decides(source)) && own != source {
            return true;
        }
        // "Free for children, adults pay": whom another clause begins with is no part of this one.
        let crosses = index > 0 && places[index - 1].0 != segment;
        if crosses && own != source && matches!(own, Lead::Beside | Lead::At | Lead::To) {
            return true;
        }
        // Who something is said for or about is not who does it: its mark may not go with what stood before it.
        let preceded = index > 0 && places[index - 1] == (segment, place.wrapping_sub(1));
        if source == Lead::Beside && own != source && !preceded && place > 0 && !said.is_value() {
            return true;
        }
        let to = |lead: Lead| lead == Lead::To;
        said.is_value() && moves && to(own) != to(source)
    })
}

/// Words may change places only where none of them has a mark of its part; dates go where they like.
fn moved_beside_a_part(tokens: &[&Token], places: &Places, window: &[Segment]) -> bool {
    let Some(turn) = places.windows(2).position(|pair| pair[1] < pair[0]) else { return false };
    let (front, back) = places.split_at(turn + 1);
    let dates = |block: &[(usize, usize)]| {
        block.iter().all(|&(s, p)| {
            window[s].tokens[p].is_setting()
                || matches!(window[s].tokens[p].class(), Some(Class::Before | Class::After))
        })
    };
    if dates(front) || dates(back) {
        return false;
    }
    let (low, high) =
        (places.iter().min().copied().unwrap_or_default(), places.iter().max().copied().unwrap_or_default());
    let said = &window[low.0].tokens[low.1..=high.1];
    let marked = |token: &Token| token.lead != Lead::None || token.class().is_some();
    // Two values in one clause would change owners.
    let values = said.iter().filter(|token| token.is_value()).count();
    said.iter().skip(1).any(|token| token.lead != Lead::None)
        || tokens.iter().skip(1).any(|token| marked(token) && token.lead != Lead::None)
        || values > 1
}

/// A claim that goes on without a subject of its own goes on with that of the source, too.
fn subject_changed(places: &Places, window: &[Segment], source: &[Segment], start: usize, around: &Around<'_>) -> bool {
    if around.found.is_none() {
        return false;
    }
    let Some(&(segment, place)) = places.iter().min() else { return true };
    let tokens = &window[segment].tokens;
    let said_before =
        |token: &Token| around.before.iter().flat_map(|claim| &claim.tokens).any(|own| own.is_borne_by(token));
    let left_out = tokens[..place]
        .iter()
        .filter(|token| !token.is_setting() && token.class().is_none_or(|class| class == Class::Speaker));
    if left_out.clone().any(|token| !said_before(token)) {
        return true;
    }
    // Without a subject in the source either, it is that of the clause before it, or of one that this goes on from.
    if place > 0 || !window[segment].elides() {
        return false;
    }
    let at = start + segment;
    let Some(&(last, _)) = around.last.and_then(|places| places.iter().max()) else { return false };
    let clause = source[last].clause;
    last > at
        || source[last + 1..at.max(last + 1)]
            .iter()
            .any(|between| between.clause != clause && !between.aside && !between.elides())
}
