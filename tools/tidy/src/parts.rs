//! Takes a source apart into code, comments and strings, so that a check looks only where it means to.
//!
//! All three have the lines of the source; what belongs to another part is blank. A scanner of a few lines,
//! not a parser: exact for the sources that a formatter accepts.

/// The three parts of a source.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    /// The code, with the delimiters of strings but not their contents.
    pub(crate) code: String,
    /// The comments, with what begins them.
    pub(crate) comments: String,
    /// The contents of strings and character literals.
    pub(crate) strings: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Code,
    Comment,
    String,
}

struct Scanner {
    source: Vec<char>,
    at: usize,
    parts: Parts,
}

/// The parts of a Rust source.
pub(crate) fn of_rust(source: &str) -> Parts {
    let mut scanner = Scanner::new(source);
    while let Some(character) = scanner.peek(0) {
        match character {
            '/' if scanner.peek(1) == Some('/') => scanner.line_comment(),
            '/' if scanner.peek(1) == Some('*') => scanner.block_comment(),
            '"' => scanner.string(1),
            'r' if !scanner.is_inside_word() && scanner.raw_hashes().is_some() => scanner.raw_string(),
            '\'' if scanner.is_character_literal() => scanner.string(1),
            _ => scanner.take(1, Kind::Code),
        }
    }
    scanner.parts
}

/// The parts of a TOML document.
pub(crate) fn of_toml(source: &str) -> Parts {
    let mut scanner = Scanner::new(source);
    while let Some(character) = scanner.peek(0) {
        let triple = scanner.peek(1) == Some(character) && scanner.peek(2) == Some(character);
        match character {
            '#' => scanner.line_comment(),
            '"' | '\'' => scanner.string(if triple { 3 } else { 1 }),
            _ => scanner.take(1, Kind::Code),
        }
    }
    scanner.parts
}

impl Scanner {
    fn new(source: &str) -> Self {
        Self { source: source.chars().collect(), at: 0, parts: Parts::default() }
    }

    fn peek(&self, ahead: usize) -> Option<char> {
        self.source.get(self.at + ahead).copied()
    }

    /// Hands the next characters to one part, and blanks to the others.
    fn take(&mut self, count: usize, kind: Kind) {
        for _ in 0..count {
            let Some(character) = self.peek(0) else { return };
            let parts = &mut self.parts;
            for (part, owner) in [
                (&mut parts.code, Kind::Code),
                (&mut parts.comments, Kind::Comment),
                (&mut parts.strings, Kind::String),
            ] {
                let shown = owner == kind || character == '\n' || character == '\r';
                part.push(if shown { character } else { ' ' });
            }
            self.at += 1;
        }
    }

    fn line_comment(&mut self) {
        while self.peek(0).is_some_and(|character| character != '\n') {
            self.take(1, Kind::Comment);
        }
    }

    fn block_comment(&mut self) {
        let mut depth = 0;
        loop {
            match (self.peek(0), self.peek(1)) {
                (Some('/'), Some('*')) => depth += 1,
                (Some('*'), Some('/')) => depth -= 1,
                (None, _) => return,
                _ => {
                    self.take(1, Kind::Comment);
                    continue;
                }
            }
            self.take(2, Kind::Comment);
            if depth == 0 {
                return;
            }
        }
    }

    /// A literal with escapes, between one or three of the same quote.
    fn string(&mut self, quotes: usize) {
        let quote = self.peek(0);
        self.take(quotes, Kind::Code);
        while let Some(character) = self.peek(0) {
            if character == '\\' {
                self.take(2, Kind::String);
            } else if (0..quotes).all(|ahead| self.peek(ahead) == quote) {
                self.take(quotes, Kind::Code);
                return;
            } else {
                self.take(1, Kind::String);
            }
        }
    }

    /// How many `#` follow the `r` here, if it begins a raw string.
    fn raw_hashes(&self) -> Option<usize> {
        let hashes = (1..).take_while(|&ahead| self.peek(ahead) == Some('#')).count();
        (self.peek(1 + hashes) == Some('"')).then_some(hashes)
    }

    fn raw_string(&mut self) {
        let hashes = self.raw_hashes().unwrap_or(0);
        self.take(hashes + 2, Kind::Code);
        while let Some(character) = self.peek(0) {
            if character == '"' && (1..=hashes).all(|ahead| self.peek(ahead) == Some('#')) {
                self.take(hashes + 1, Kind::Code);
                return;
            }
            self.take(1, Kind::String);
        }
    }

    /// Whether the character here continues an identifier; the `b` and `c` of byte and C strings are none.
    fn is_inside_word(&self) -> bool {
        let before = |back: usize| self.at.checked_sub(back).map(|at| self.source[at]);
        let is_word = |character: Option<char>| character.is_some_and(crate::words::is_word_character);
        let is_prefix = matches!(before(1), Some('b' | 'c')) && !is_word(before(2));
        is_word(before(1)) && !is_prefix
    }

    /// Whether the `'` here begins a character literal and not a lifetime.
    fn is_character_literal(&self) -> bool {
        self.peek(1) == Some('\\') || self.peek(2) == Some('\'')
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn squeezed(part: &str) -> String {
        part.split_whitespace().collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn rust_comments_and_strings_are_taken_out_of_the_code() {
        let parts =
            of_rust("let a = \"x // y { \\\" z\"; // a \"comment\"\nlet b = 1; /* two /* nested */ */ b\n");
        assert_eq!(squeezed(&parts.code), "let a = \" \"; let b = 1; b");
        assert_eq!(squeezed(&parts.strings), "x // y { \\\" z");
        assert_eq!(squeezed(&parts.comments), "// a \"comment\" /* two /* nested */ */");
    }

    #[test]
    fn raw_strings_end_at_their_own_hashes() {
        let parts = of_rust("f(r#\"a \" { b\"#, br\"\\\", r#type, for\"q\")");
        assert_eq!(squeezed(&parts.code), "f(r#\" \"#, br\" \", r#type, for\" \")");
        assert_eq!(squeezed(&parts.strings), "a \" { b \\ q");
    }

    #[test]
    fn lifetimes_are_code_and_character_literals_are_not() {
        let parts = of_rust("fn f<'a>(x: &'a str) { g('{', '\\'', b'\"', 'é') }");
        assert_eq!(squeezed(&parts.code), "fn f<'a>(x: &'a str) { g(' ', ' ', b' ', ' ') }");
    }

    #[test]
    fn strings_of_toml_span_lines() {
        let parts = of_toml("a = \"\"\"One's\n# no comment\n\"\"\"\nb = 'a#b'  # yes\n");
        assert_eq!(squeezed(&parts.code), "a = \"\"\" \"\"\" b = ' '");
        assert_eq!(squeezed(&parts.comments), "# yes");
    }

    #[test]
    fn every_part_keeps_the_lines_of_the_source() {
        let source = "a\n/* b\nc */ \"d\ne\"\n";
        let parts = of_rust(source);
        for part in [&parts.code, &parts.comments, &parts.strings] {
            assert_eq!(part.lines().count(), 4);
        }
    }
}
