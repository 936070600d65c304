//! What a file is that was given for another: people bring what other tools wrote.
//!
//! It is told from the content; a name only tells what is inside of something compressed. Sources of the
//! signs: pcap and pcapng (draft-ietf-opsawg-pcap, draft-ietf-opsawg-pcapng), gzip (RFC 1952), HAR 1.2, the
//! keys at the top of what `iperf3 --json` and Flent write.

/// A kind of file that is recognised.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    /// Packets, as pcap or pcapng.
    Capture,
    /// What a browser recorded.
    Har,
    /// Results of Flent.
    Flent,
    /// Results of iperf3.
    Iperf3,
    /// Another JSON text.
    Json,
    /// An archive of several files.
    Zip,
    /// One compressed file.
    Compressed,
    /// Objects of pages, as `pages_file` names them.
    Pages,
    /// Instants at which a link may send, as `rate_trace_file` names them.
    RateTrace,
    /// Values and cumulative shares, as keys that end in `cdf_file` name them.
    Distribution,
    /// Times and rates side by side.
    Rates,
}

/// How much of a file is looked at.
const HEAD_BYTES: usize = 1 << 16;
/// How many lines of numbers tell what they are.
const LINES: usize = 20;

const SIGNATURES: [(&[u8], FileKind); 10] = [
    (&[0xa1, 0xb2, 0xc3, 0xd4], FileKind::Capture),
    (&[0xd4, 0xc3, 0xb2, 0xa1], FileKind::Capture),
    (&[0xa1, 0xb2, 0x3c, 0x4d], FileKind::Capture),
    (&[0x4d, 0x3c, 0xb2, 0xa1], FileKind::Capture),
    (&[0x0a, 0x0d, 0x0d, 0x0a], FileKind::Capture),
    (b"PK\x03\x04", FileKind::Zip),
    (&[0x1f, 0x8b], FileKind::Compressed),
    (&[0x28, 0xb5, 0x2f, 0xfd], FileKind::Compressed),
    (b"BZh", FileKind::Compressed),
    (&[0xfd, b'7', b'z', b'X', b'Z'], FileKind::Compressed),
];

impl FileKind {
    /// The kind of a file with this content; none if it is none of these.
    #[must_use]
    pub fn of(name: &str, content: &[u8]) -> Option<Self> {
        let head = &content[..content.len().min(HEAD_BYTES)];
        match SIGNATURES.iter().find(|(signature, _)| head.starts_with(signature)) {
            Some((_, Self::Compressed)) => Some(inside(name)),
            Some(&(_, kind)) => Some(kind),
            None => {
                let text = String::from_utf8_lossy(head);
                let text = text.trim_start_matches('\u{feff}').trim_start();
                if text.starts_with('{') { Some(of_json(text)) } else { of_numbers(text) }
            }
        }
    }

    /// Its name, for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Capture => "capture",
            Self::Har => "har",
            Self::Flent => "flent",
            Self::Iperf3 => "iperf3",
            Self::Json => "json",
            Self::Zip => "zip",
            Self::Compressed => "compressed",
            Self::Pages => "pages",
            Self::RateTrace => "rate-trace",
            Self::Distribution => "distribution",
            Self::Rates => "rates",
        }
    }

    /// What it is, and what can be done with it: "this file is …".
    #[must_use]
    pub const fn said(self) -> &'static str {
        match self {
            Self::Capture => {
                "a packet capture (pcap); aqmlab line --from fits a line to a download or upload, and of a full \
                 link it makes a rate trace: docs/how-to/own-files.md"
            }
            Self::Har => "a HAR file; aqmlab pages import makes a page file of it, for pages_file",
            Self::Flent => {
                "a data file of Flent; aqmlab line --from fits a line to it, and aqmlab flent runs such a test on \
                 a simulated line"
            }
            Self::Iperf3 => {
                "results of iperf3; aqmlab line --from fits a line to them, with a log of ping also its buffers"
            }
            Self::Json => "JSON of another program",
            Self::Zip => "a zip archive; unpack it, and give the file that is in it",
            Self::Compressed => "compressed; unpack it first",
            Self::Pages => "a page file; pages_file of the traffic model pages names it",
            Self::RateTrace => "a rate trace; rate_trace_file of a link names it",
            Self::Distribution => {
                "a table of values and cumulative shares; keys that end in cdf_file name such a file"
            }
            Self::Rates => {
                "a table of times and rates; with the columns t_s and down_mbps conditions_file names it, and \
                 docs/how-to/own-files.md makes a rate trace of it, for rate_trace_file"
            }
        }
    }
}

/// What a file is that was given where one of the kind `expected` belongs; none if it is one, or nobody
/// knows. Two columns of numbers are a damaged distribution where one belongs, and no rates.
pub(crate) fn mistaken(name: &str, content: &[u8], expected: Option<FileKind>) -> Option<&'static str> {
    let kind = FileKind::of(name, content)?;
    let may_be =
        Some(kind) == expected || (kind == FileKind::Rates && expected == Some(FileKind::Distribution));
    (!may_be).then(|| kind.said())
}

/// What a file is that is no text which a scenario may hold, by its content; none where it may be a damaged
/// one.
pub(crate) fn unreadable_kind(name: &str, content: &[u8]) -> Option<&'static str> {
    match FileKind::of(name, content)? {
        FileKind::Pages | FileKind::RateTrace | FileKind::Distribution | FileKind::Rates => None,
        other => Some(other.said()),
    }
}

/// What is compressed, by the name.
fn inside(name: &str) -> FileKind {
    if name.ends_with(".flent.gz") { FileKind::Flent } else { FileKind::Compressed }
}

fn of_json(text: &str) -> FileKind {
    let has = |keys: &[&str]| keys.iter().all(|key| text.contains(&format!("\"{key}\"")));
    if has(&["log"]) && ["entries", "creator"].iter().any(|key| has(&[key])) {
        FileKind::Har
    } else if has(&["start", "connected"]) || has(&["intervals", "streams"]) {
        FileKind::Iperf3
    } else if has(&["metadata"]) && ["x_values", "raw_values", "results"].iter().any(|key| has(&[key])) {
        FileKind::Flent
    } else {
        FileKind::Json
    }
}

/// What lines of numbers are, by their columns; none if they are no lines of numbers.
fn of_numbers(text: &str) -> Option<FileKind> {
    let mut lines = text.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    let head = lines.clone().next()?;
    if is_head_of_rates(head) {
        lines.next();
        return numbers(lines.next()?).map(|_| FileKind::Rates);
    }
    let rows = lines.take(LINES).map(numbers).collect::<Option<Vec<_>>>()?;
    let columns = rows[0].len();
    if rows.iter().any(|row| row.len() != columns) {
        return None;
    }
    let are_whole = rows.iter().flatten().all(|number| number.fract() == 0.0);
    let are_shares = rows.iter().all(|row| (0.0..=1.0).contains(&row[columns - 1]));
    match columns {
        1 if are_whole => Some(FileKind::RateTrace),
        2 | 3 if are_shares => Some(FileKind::Distribution),
        2 => Some(FileKind::Rates),
        5 if are_whole => Some(FileKind::Pages),
        _ => None,
    }
}

fn numbers(line: &str) -> Option<Vec<f64>> {
    let fields = line.split([',', ' ', '\t', ';']).filter(|field| !field.is_empty());
    fields.map(|field| field.parse().ok().filter(|number: &f64| number.is_finite())).collect()
}

/// Whether a line names a column of times and one of rates.
fn is_head_of_rates(line: &str) -> bool {
    let line = line.to_ascii_lowercase();
    let any = |words: &[&str]| words.iter().any(|word| line.contains(word));
    line.contains(',') && any(&["time", "second", "date"]) && any(&["bps", "bit", "rate", "throughput"])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_what_their_content_says() {
        let of = |content: &[u8]| FileKind::of("given.toml", content);
        let cases: [(&[u8], FileKind); 14] = [
            (b"\xd4\xc3\xb2\xa1\x02\x00\x04\x00", FileKind::Capture),
            (b"\x0a\x0d\x0d\x0a\x1c\x00\x00\x00", FileKind::Capture),
            (b"PK\x03\x04\x14\x00", FileKind::Zip),
            (b"\x1f\x8b\x08\x00", FileKind::Compressed),
            ("\u{feff}{\"log\": {\"version\": \"1.2\", \"entries\": []}}".as_bytes(), FileKind::Har),
            (b"{\"start\": {\"connected\": []}, \"intervals\": []}", FileKind::Iperf3),
            (b"{\"metadata\": {}, \"raw_values\": {}, \"results\": {}}", FileKind::Flent),
            (b"{\"a\": 1}", FileKind::Json),
            (b"0\n3\n3\n17\n", FileKind::RateTrace),
            (b"0 0\n1000 0.5\n2000 1\n", FileKind::Distribution),
            (b"1 1 0\n2 1 0.5\n9 1 1\n", FileKind::Distribution),
            (b"time,mbps\n0.0,12.5\n", FileKind::Rates),
            (b"0.0,12.5\n0.1,9\n", FileKind::Rates),
            (b"# page, wave\n0,0,0,480,31200\n", FileKind::Pages),
        ];
        for (content, kind) in cases {
            assert_eq!(of(content), Some(kind), "{}", String::from_utf8_lossy(content));
        }
        for nothing in [
            &b""[..],
            b"# nothing\n",
            b"name = \"a\"\n",
            b"1 2\n3\n",
            b"words\n",
            b"1,2,3,4\n",
            b"time,mbps\n",
        ] {
            assert_eq!(of(nothing), None, "{}", String::from_utf8_lossy(nothing));
        }
        assert_eq!(FileKind::of("rrul.flent.gz", b"\x1f\x8b\x08\x00"), Some(FileKind::Flent));
        assert_eq!(FileKind::of("rrul.flent.gz", b"name = 1"), None);
    }

    #[test]
    fn what_belongs_there_is_no_mistake() {
        assert_eq!(mistaken("a", b"1\n2\n", Some(FileKind::RateTrace)), None);
        assert_eq!(mistaken("a", b"1\n2\n", Some(FileKind::Distribution)), Some(FileKind::RateTrace.said()));
        assert_eq!(mistaken("a", b"0 0\n9 100\n", Some(FileKind::Distribution)), None, "in percent");
        assert_eq!(unreadable_kind("a", b"1 0.5\n# \x1b[2J\n2 1\n"), None);
        assert_eq!(unreadable_kind("a", b"BZh9"), Some(FileKind::Compressed.said()));
    }
}
