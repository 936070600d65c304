//! Whether the file of a shared library is whole, and what a symbol of it is.
//!
//! The system maps the segments of a library without a look at the length of its file, and whoever reads past
//! the end of what is there is killed by SIGBUS. So a file that was cut short is refused before it is loaded.
//! The layout is that of the System V ABI, chapters 4 and 5, of 64-bit files with the least significant byte
//! first.

const MAGIC: &[u8] = b"\x7fELF";
/// `e_ident[EI_CLASS]`: 64-bit.
const CLASS_64: u8 = 2;
/// `e_ident[EI_DATA]`: the least significant byte first.
const LEAST_FIRST: u8 = 1;
const HEADER_BYTES: u64 = 64;
const PROGRAM_HEADER_BYTES: u64 = 56;
const SECTION_HEADER_BYTES: u64 = 64;
/// `sh_type` of a section that takes no bytes of the file, as `.bss`.
const NO_BITS: u32 = 8;
/// `sh_type` of the table of symbols that a library shows to others.
const DYNAMIC_SYMBOLS: u32 = 11;
const SYMBOL_BYTES: u64 = 24;
/// `p_type` of a segment that is loaded.
const LOADED: u32 = 1;
/// The type of a symbol that is a variable, in the lower half of `st_info`.
const VARIABLE: u8 = 1;

/// A stretch of a file.
#[derive(Clone, Copy)]
struct Extent {
    offset: u64,
    length: u64,
}

/// Refuses an ELF file that ends before its header, a segment or a section does. What is no ELF file, or of
/// another kind of machine, is left to the system, which refuses it without mapping anything.
///
/// # Errors
/// In words, what of the file lies past its end.
pub(crate) fn require_whole(file: &[u8]) -> Result<(), String> {
    if !is_read(file) {
        return Ok(());
    }
    require(file, "its header", Extent { offset: 0, length: HEADER_BYTES })?;
    require_table(file, "segment", Table::of(file, 32, 54), PROGRAM_HEADER_BYTES, segment)?;
    require_table(file, "section", Table::of(file, 40, 58), SECTION_HEADER_BYTES, section)
}

/// Refuses a symbol that is no variable of at least so many bytes, as one of type `kind` is: what would be
/// read of it is something else. A library without a table of sections does not say, nor does a file of
/// another kind. The file is whole.
///
/// # Errors
/// In words, what the symbol is.
pub(crate) fn require_object(file: &[u8], symbol: &str, kind: &str, least_bytes: u64) -> Result<(), String> {
    if !is_read(file) {
        return Ok(());
    }
    match symbol_of(file, symbol) {
        Some((other, _)) if other != VARIABLE => {
            Err(format!("{symbol} is a function or the like; legal: the name of a variable of type {kind}"))
        }
        Some((_, bytes)) if bytes < least_bytes => Err(format!(
            "{symbol} has {bytes} bytes, an {kind} {least_bytes}; legal: the name of a variable of that type"
        )),
        _ => Ok(()),
    }
}

/// Whether this is a file of the kind that is read here.
fn is_read(file: &[u8]) -> bool {
    file.starts_with(MAGIC) && file.get(4..6).is_none_or(|kind| kind == [CLASS_64, LEAST_FIRST])
}

/// The names of the variables that a library shows and that begin with one of these words, as a table with a
/// version does, in the order of the alphabet; none where it cannot be told. The file is whole.
pub(crate) fn variables_beginning_with(file: &[u8], first_words: &[u32], least_bytes: u64) -> Vec<String> {
    if !is_read(file) {
        return Vec::new();
    }
    let symbols = Symbols::of(file);
    let tables = symbols.iter().flat_map(Symbols::all).filter(|symbol| {
        let first = || content(file, loaded_at(file, symbol.address, 4)?);
        symbol.kind == VARIABLE
            && symbol.bytes >= least_bytes
            && first().is_some_and(|word| first_words.contains(&u32::from_le_bytes(taken(word, 0))))
    });
    let mut names: Vec<String> =
        tables.filter_map(|symbol| str::from_utf8(symbol.name).ok().map(str::to_owned)).collect();
    names.sort_unstable();
    names
}

/// Whether a library shows a symbol of this name, as far as can be told. The file is whole.
pub(crate) fn shows(file: &[u8], symbol: &str) -> bool {
    is_read(file) && symbol_of(file, symbol).is_some()
}

/// Type and length of a symbol that the library defines and shows.
fn symbol_of(file: &[u8], symbol: &str) -> Option<(u8, u64)> {
    let symbols = Symbols::of(file)?;
    let found = symbols.all().find(|found| found.name == symbol.as_bytes())?;
    Some((found.kind, found.bytes))
}

/// A symbol that a library defines and shows.
struct Shown<'a> {
    name: &'a [u8],
    kind: u8,
    address: u64,
    bytes: u64,
}

/// The table of symbols that a library shows to others, and the text that their names are in.
struct Symbols<'a> {
    entries: &'a [u8],
    names: &'a [u8],
}

impl<'a> Symbols<'a> {
    fn of(file: &'a [u8]) -> Option<Self> {
        let sections = Table::of(file, 40, 58);
        let header = |index: u64| sections.offset + index * sections.entry;
        let of_symbols =
            (0..sections.entries).map(header).find(|&at| kind_of(file, at) == DYNAMIC_SYMBOLS)?;
        let names = u64::from(u32::from_le_bytes(taken(file, of_symbols + 40)));
        let names = content(file, section(file, header((names < sections.entries).then_some(names)?)))?;
        Some(Self { entries: content(file, section(file, of_symbols))?, names })
    }

    fn all(&self) -> impl Iterator<Item = Shown<'a>> {
        let (entries, names) = (self.entries, self.names);
        let is_defined = |entry: &&[u8]| half(entry, 6) != 0;
        entries.chunks_exact(SYMBOL_BYTES as usize).filter(is_defined).filter_map(move |entry| {
            let rest = names.get(u32::from_le_bytes(taken(entry, 0)) as usize..)?;
            let name = &rest[..rest.iter().position(|&byte| byte == 0)?];
            Some(Shown { name, kind: entry[4] & 0xf, address: word(entry, 8), bytes: word(entry, 16) })
        })
    }
}

/// Where in the file is what a library has at an address.
fn loaded_at(file: &[u8], address: u64, length: u64) -> Option<Extent> {
    let segments = Table::of(file, 32, 54);
    (0..segments.entries).map(|index| segments.offset + index * segments.entry).find_map(|header| {
        let into = address.checked_sub(word(file, header + 16))?;
        let Extent { offset, length: in_file } = segment(file, header);
        let is_loaded = u32::from_le_bytes(taken(file, header)) == LOADED;
        let is_within = into.checked_add(length).is_some_and(|end| end <= in_file);
        (is_loaded && is_within).then(|| Extent { offset: offset + into, length })
    })
}

fn kind_of(file: &[u8], section_header: u64) -> u32 {
    u32::from_le_bytes(taken(file, section_header + 4))
}

fn content(file: &[u8], extent: Extent) -> Option<&[u8]> {
    let begin = usize::try_from(extent.offset).ok()?;
    file.get(begin..begin.checked_add(usize::try_from(extent.length).ok()?)?)
}

/// A table of headers: where it begins, the length of an entry, and how many there are.
struct Table {
    offset: u64,
    entry: u64,
    entries: u64,
}

impl Table {
    /// The table whose offset stands at one place of the file's header, and the length and number of its
    /// entries at another.
    fn of(file: &[u8], offset_at: u64, entry_at: u64) -> Self {
        let entry = u64::from(half(file, entry_at));
        Self { offset: word(file, offset_at), entry, entries: u64::from(half(file, entry_at + 2)) }
    }
}

fn require_table(
    file: &[u8],
    what: &str,
    table: Table,
    least: u64,
    extent_at: fn(&[u8], u64) -> Extent,
) -> Result<(), String> {
    if table.entries == 0 {
        return Ok(());
    }
    if table.entry < least {
        return Err(format!(
            "a damaged library: a {what} header of {} bytes instead of {least}",
            table.entry
        ));
    }
    let length = table.entry * table.entries;
    require(file, &format!("the table of {what}s"), Extent { offset: table.offset, length })?;
    for index in 0..table.entries {
        let extent = extent_at(file, table.offset + index * table.entry);
        require(file, &format!("{what} {index}"), extent)?;
    }
    Ok(())
}

fn segment(file: &[u8], header: u64) -> Extent {
    Extent { offset: word(file, header + 8), length: word(file, header + 32) }
}

fn section(file: &[u8], header: u64) -> Extent {
    let takes_none = kind_of(file, header) == NO_BITS;
    let length = if takes_none { 0 } else { word(file, header + 32) };
    Extent { offset: word(file, header + 24), length }
}

fn require(file: &[u8], what: &str, extent: Extent) -> Result<(), String> {
    let has = file.len() as u64;
    match extent.offset.checked_add(extent.length) {
        Some(end) if end <= has || extent.length == 0 => Ok(()),
        Some(end) => Err(format!("a library cut short: {what} ends at byte {end}, the file at {has}")),
        None => Err(format!("a damaged library: {what} ends past all addresses")),
    }
}

/// An `Elf64_Half` at an offset within the file.
fn half(file: &[u8], at: u64) -> u16 {
    u16::from_le_bytes(taken(file, at))
}

/// An `Elf64_Off` or `Elf64_Xword` at an offset within the file.
fn word(file: &[u8], at: u64) -> u64 {
    u64::from_le_bytes(taken(file, at))
}

/// The bytes at an offset, which was checked to lie within the file.
fn taken<const BYTES: usize>(file: &[u8], at: u64) -> [u8; BYTES] {
    let at = usize::try_from(at).expect("within the file");
    file[at..at + BYTES].try_into().expect("as many")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A header without sections, one segment of 100 bytes behind the table of segments.
    fn library() -> Vec<u8> {
        let mut file = vec![0_u8; 64 + 56 + 100];
        file[..6].copy_from_slice(b"\x7fELF\x02\x01");
        file[32..40].copy_from_slice(&64_u64.to_le_bytes());
        file[54..56].copy_from_slice(&56_u16.to_le_bytes());
        file[56..58].copy_from_slice(&1_u16.to_le_bytes());
        file[64 + 8..64 + 16].copy_from_slice(&120_u64.to_le_bytes());
        file[64 + 32..64 + 40].copy_from_slice(&100_u64.to_le_bytes());
        file
    }

    #[test]
    fn a_library_cut_short_anywhere_is_refused() {
        let whole = library();
        assert_eq!(require_whole(&whole), Ok(()));
        for length in 4..whole.len() {
            let refused = require_whole(&whole[..length]).unwrap_err();
            assert!(refused.contains(&format!("the file at {length}")), "{refused}");
        }
    }

    /// One segment, loaded at 0x1000, with variables of these lengths that begin with these words, a function
    /// and a name that the library wants of others.
    fn library_with(variables: &[(&str, u64, u32)]) -> Vec<u8> {
        let mut file = vec![0_u8; 64 + 56];
        let functions = [("function", 2_u8, 1_u16, 99), ("wanted", VARIABLE, 0, 99)];
        let shown = variables.iter().map(|&(name, bytes, _)| (name, VARIABLE, 1, bytes));
        let (mut names, mut symbols) = (vec![0_u8], vec![0_u8; 24]);
        for (number, (name, kind, section, bytes)) in shown.chain(functions).enumerate() {
            symbols.extend((names.len() as u32).to_le_bytes());
            symbols.extend([kind, 0]);
            symbols.extend(section.to_le_bytes());
            symbols.extend((0x1000 + 120 + 4 * number as u64).to_le_bytes());
            symbols.extend(bytes.to_le_bytes());
            names.extend(name.bytes().chain([0]));
        }
        let words = variables.iter().map(|&(.., word)| word).chain([7, 7]);
        file.extend(words.flat_map(u32::to_le_bytes));
        let sections = [(DYNAMIC_SYMBOLS, symbols), (3, names)].map(|(kind, content)| {
            let offset = file.len() as u64;
            file.extend(&content);
            (kind, offset, content.len() as u64)
        });
        let table = file.len() as u64;
        for (kind, offset, length) in [(0, 0, 0)].into_iter().chain(sections) {
            let mut header = [0_u8; 64];
            header[4..8].copy_from_slice(&u32::to_le_bytes(kind));
            header[24..32].copy_from_slice(&offset.to_le_bytes());
            header[32..40].copy_from_slice(&length.to_le_bytes());
            header[40..44].copy_from_slice(&2_u32.to_le_bytes());
            file.extend(header);
        }
        let (begin, length) = (library(), file.len() as u64);
        file[..120].copy_from_slice(&begin[..120]);
        file[40..48].copy_from_slice(&table.to_le_bytes());
        file[58..60].copy_from_slice(&64_u16.to_le_bytes());
        file[60..62].copy_from_slice(&3_u16.to_le_bytes());
        file[64..68].copy_from_slice(&LOADED.to_le_bytes());
        file[64 + 8..64 + 16].copy_from_slice(&0_u64.to_le_bytes());
        file[64 + 16..64 + 24].copy_from_slice(&0x1000_u64.to_le_bytes());
        file[64 + 32..64 + 40].copy_from_slice(&length.to_le_bytes());
        file
    }

    #[test]
    fn variables_are_told_by_their_first_word_and_their_length() {
        let file = library_with(&[("second", 40, 7), ("other", 40, 8), ("first", 50, 7), ("short", 39, 7)]);
        assert_eq!(require_whole(&file), Ok(()));
        assert_eq!(variables_beginning_with(&file, &[7], 40), ["first", "second"]);
        assert_eq!(variables_beginning_with(&file, &[7, 8], 45), ["first"]);
        assert!(variables_beginning_with(&file, &[9], 1).is_empty());
        assert!(variables_beginning_with(&library(), &[7], 1).is_empty(), "without a table of symbols");
        assert_eq!(symbol_of(&file, "short"), Some((VARIABLE, 39)));
        assert_eq!(symbol_of(&file, "shor"), None);
        assert_eq!(symbol_of(&file, "wanted"), None, "of another library");
    }

    /// Whatever the file says, nothing outside of it is read: each byte of it is changed in turn.
    #[test]
    fn a_damaged_table_of_symbols_is_read_to_its_end() {
        let whole = library_with(&[("one", 40, 7), ("other", 40, 8)]);
        for (at, value) in (6..whole.len()).flat_map(|at| [0, 1, 0x7f, 0xff].map(|value| (at, value))) {
            let mut file = whole.clone();
            file[at] = value;
            if require_whole(&file).is_ok() {
                variables_beginning_with(&file, &[7], 40);
                let _ = symbol_of(&file, "other");
            }
        }
    }

    #[test]
    fn sizes_that_no_file_has_are_refused() {
        let mut file = library();
        file[64 + 8..64 + 16].copy_from_slice(&u64::MAX.to_le_bytes());
        assert!(require_whole(&file).unwrap_err().contains("past all addresses"));
        let mut file = library();
        file[54..56].copy_from_slice(&8_u16.to_le_bytes());
        assert!(require_whole(&file).unwrap_err().contains("a segment header of 8 bytes instead of 56"));
    }

    #[test]
    fn what_is_no_library_of_this_kind_is_left_to_the_system() {
        assert_eq!(require_whole(b""), Ok(()));
        assert_eq!(require_whole(b"a text"), Ok(()));
        assert_eq!(require_whole(b"\x7fELF\x01\x01"), Ok(()), "of 32 bits");
    }
}
