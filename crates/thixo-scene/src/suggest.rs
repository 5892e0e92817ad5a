//! "Did you mean": the known word nearest to a misspelt one.

/// The candidate nearest to `word` by edit distance, if it is near enough to be what was meant. Who
/// misspells a word rarely begins it with another letter: "implicit" is not "explicit".
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let lower = word.to_lowercase();
    let allowed = 1 + word.chars().count() / 4;
    candidates
        .into_iter()
        .map(|candidate| (distance(&lower, &candidate.to_lowercase()), candidate))
        .filter(|&(distance, candidate)| {
            let begins_alike = candidate.to_lowercase().chars().next() == lower.chars().next();
            distance <= if begins_alike { allowed } else { 1 }
        })
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Insertions, deletions, replacements and swaps of neighbours that turn one word into the other.
fn distance(a: &str, b: &str) -> usize {
    let a: Vec<char> = a.chars().collect();
    let b: Vec<char> = b.chars().collect();
    let mut before_last = Vec::new();
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let replaced = last[j - 1] + usize::from(a[i - 1] != b[j - 1]);
            let mut best = replaced.min(last[j] + 1).min(row[j - 1] + 1);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                best = best.min(before_last[j - 2] + 1);
            }
            row.push(best);
        }
        before_last = last;
        last = row;
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_count_single_edits() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("spacnig", "spacing"), 1);
        assert_eq!(distance("same", "same"), 0);
    }

    #[test]
    fn only_near_words_are_suggested() {
        let known = ["spacing", "periodic"];
        assert_eq!(nearest("spacng", known), Some("spacing"));
        assert_eq!(nearest("Spacing", known), Some("spacing"));
        assert_eq!(nearest("colour", known), None);
        assert_eq!(nearest("pacing", known), Some("spacing"));
        assert_eq!(nearest("implicit", ["explicit", "xpbd"]), None);
    }
}
