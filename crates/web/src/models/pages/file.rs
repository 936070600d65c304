//! Pages given by a file: one object a line.

use super::parameters::{LARGEST_PAGE_BYTES, MOST_OBJECTS};
use super::plan::PageObject;
use crate::{FileError, LoadFile};

/// The parameter that names the file.
const KEY: &str = "pages_file";
/// What stands in a line.
const COLUMNS: [&str; 5] = ["page", "wave", "host", "request bytes", "response bytes"];
const LARGEST_REQUEST: u64 = 65_535;
/// What such a file must hold.
const LEGAL: &str = "lines of page, wave, host, request bytes and response bytes, each page's root first";

/// The pages of a file.
#[derive(Clone, Debug)]
pub(super) struct PagesFile {
    objects: Vec<PageObject>,
    /// Where each page begins in `objects`, and where the last one ends.
    bounds: Vec<usize>,
}

impl PagesFile {
    pub(super) fn pages(&self) -> usize {
        self.bounds.len() - 1
    }

    pub(super) fn page(&self, page: usize) -> &[PageObject] {
        &self.objects[self.bounds[page]..self.bounds[page + 1]]
    }
}

/// Reads the pages of a file.
pub(super) fn parse(path: &str, load_file: &LoadFile<'_>) -> Result<PagesFile, FileError> {
    let refuse = |line, reason| FileError { key: KEY, path: path.to_owned(), line, reason, legal: LEGAL };
    let text = load_file(path).map_err(|reason| refuse(None, reason))?;
    let mut pages = PagesFile { objects: Vec::new(), bounds: Vec::new() };
    let mut page_number = None;
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        let refuse = |reason| refuse(Some(index + 1), reason);
        let (number, object) = object(line).map_err(refuse)?;
        if page_number != Some(number) {
            if page_number.is_some_and(|last| number < last) {
                return Err(refuse(format!("page {number} after page {}", page_number.unwrap_or(0))));
            }
            pages.bounds.push(pages.objects.len());
        }
        page_number = Some(number);
        let begun = *pages.bounds.last().expect("the page has begun");
        check_order(&pages.objects[begun..], object).map_err(refuse)?;
        pages.objects.push(object);
    }
    if pages.objects.is_empty() {
        return Err(refuse(None, "there is no page".to_owned()));
    }
    pages.bounds.push(pages.objects.len());
    Ok(pages)
}

fn object(line: &str) -> Result<(u64, PageObject), String> {
    let cells: Vec<&str> = line.split(',').map(str::trim).collect();
    let [page, wave, host, request, response] = cells[..] else {
        let expected = COLUMNS.join(", ");
        return Err(format!("expected {expected}, separated by commas, found {} columns", cells.len()));
    };
    let number = |column: usize, text: &str, least: u64, most: u64| {
        let value = text.parse().ok().filter(|value| (least..=most).contains(value));
        value.ok_or_else(|| format!("{} \"{text}\", legal are {least} to {most}", COLUMNS[column]))
    };
    let page = number(0, page, 0, u64::from(u32::MAX))?;
    let object = PageObject {
        wave: number(1, wave, 0, u64::from(u8::MAX))? as u8,
        host: number(2, host, 0, MOST_OBJECTS as u64)? as u16,
        request_bytes: number(3, request, 1, LARGEST_REQUEST)? as u32,
        response_bytes: number(4, response, 1, LARGEST_PAGE_BYTES as u64)?,
    };
    Ok((page, object))
}

/// Whether an object may follow those of its page so far.
fn check_order(before: &[PageObject], object: PageObject) -> Result<(), String> {
    let Some(last) = before.last() else {
        let root = object.wave == 0 && object.host == 0;
        return if root {
            Ok(())
        } else {
            Err("a page begins with its root, in wave 0 on host 0".to_owned())
        };
    };
    if before.len() >= MOST_OBJECTS as usize {
        return Err(format!("more than {MOST_OBJECTS} objects of one page"));
    }
    match object.wave {
        0 => Err("a second object in wave 0, where the root is alone".to_owned()),
        wave if wave < last.wave => Err(format!("wave {wave} after wave {}", last.wave)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Result<PagesFile, FileError> {
        parse("own.csv", &|path| {
            assert_eq!(path, "own.csv");
            Ok(text.to_owned())
        })
    }

    #[test]
    fn a_file_holds_pages_object_by_object() {
        let file =
            read("# page, wave, host, request, response\n4,0,0,300,1000\n\n4, 1, 2, 400, 5\n7,0,0,1,1\n");
        let file = file.unwrap();
        assert_eq!(file.pages(), 2);
        let of = |page| file.page(page).iter().map(|o| (o.wave, o.host, o.request_bytes, o.response_bytes));
        assert_eq!(of(0).collect::<Vec<_>>(), [(0, 0, 300, 1000), (1, 2, 400, 5)]);
        assert_eq!(of(1).collect::<Vec<_>>(), [(0, 0, 1, 1)]);
    }

    #[test]
    fn an_error_names_the_key_the_file_and_the_line() {
        let said = |text: &str| read(text).unwrap_err().to_string();
        let place = "`pages_file` = \"own.csv\"";
        assert_eq!(said("# nothing\n"), format!("{place}: there is no page"));
        assert_eq!(
            said("0,0,0,300\n"),
            format!(
                "{place}, line 1: expected page, wave, host, request bytes, response bytes, separated by commas, \
                 found 4 columns"
            )
        );
        assert_eq!(
            said("0,0,0,300,1000\n0,1,1,0,5\n"),
            format!("{place}, line 2: request bytes \"0\", legal are 1 to 65535")
        );
        assert_eq!(
            said("0,0,0,300,1e3\n"),
            format!("{place}, line 1: response bytes \"1e3\", legal are 1 to 1000000000")
        );
        let root = "a page begins with its root, in wave 0 on host 0";
        assert_eq!(said("0,1,0,300,1000\n"), format!("{place}, line 1: {root}"));
        assert_eq!(said("0,0,1,300,1000\n"), format!("{place}, line 1: {root}"));
        assert_eq!(
            said("0,0,0,1,1\n0,0,0,1,1\n"),
            format!("{place}, line 2: a second object in wave 0, where the root is alone")
        );
        assert_eq!(
            said("0,0,0,1,1\n0,2,0,1,1\n0,1,0,1,1\n"),
            format!("{place}, line 3: wave 1 after wave 2")
        );
        assert_eq!(said("2,0,0,1,1\n1,0,0,1,1\n"), format!("{place}, line 2: page 1 after page 2"));
    }

    #[test]
    fn a_file_that_cannot_be_read_says_why() {
        let error = parse("gone.csv", &|_| Err("no such file".to_owned())).unwrap_err();
        assert_eq!(error.to_string(), "`pages_file` = \"gone.csv\": no such file");
    }
}
