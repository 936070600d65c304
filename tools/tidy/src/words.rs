//! Whole words in a line.

/// Where `word` stands in `line` by itself, not as a part of a longer identifier.
pub(crate) fn find_word(line: &str, word: &str) -> Option<usize> {
    line.match_indices(word).map(|(at, _)| at).find(|&at| {
        let continues = |neighbour: Option<char>| neighbour.is_some_and(is_word_character);
        !continues(line[..at].chars().next_back()) && !continues(line[at + word.len()..].chars().next())
    })
}

pub(crate) fn is_word_character(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_a_longer_word_is_not_the_word() {
        assert_eq!(find_word("MyHashMap, HashMaps", "HashMap"), None);
        assert_eq!(find_word("MyHashMap<HashMap<u8>>", "HashMap"), Some(10));
    }
}
