//! A page of a model from outside: what is legal in it.

use super::declared::PageSource;
use super::own_model_error::OwnModelError;
use crate::models::pages::{LARGEST_PAGE_BYTES, MOST_OBJECTS, PageObject, page_key};
use aqmlab_random::Key;
use aqmlab_units::Span;

/// The longest request, in bytes.
const LONGEST_REQUEST: i64 = 65_535;
/// The shortest and the longest think time, in seconds.
const THINK_SECONDS: (f64, f64) = (0.001, 1e6);

/// An object of a page as whoever writes a model has it.
#[derive(Clone, Copy, Debug)]
pub struct OwnObject {
    /// Bytes of the response.
    pub response_bytes: i64,
    /// Bytes of the request.
    pub request_bytes: i64,
    /// Which host of the page.
    pub host: i64,
    /// Objects of a wave are known when everything of the wave before is there; the root is alone in wave 0.
    pub wave: i64,
}

impl OwnObject {
    /// The object, if it is legal.
    ///
    /// # Errors
    /// Which of its numbers is not legal, and what would be.
    pub fn checked(&self) -> Result<PageObject, OwnModelError> {
        let within = |name, value: i64, least, most| {
            if (least..=most).contains(&value) {
                Ok(value)
            } else {
                let legal = format!("a whole number from {least} to {most}");
                Err(OwnModelError::new(format!("{name} is {value}"), legal))
            }
        };
        Ok(PageObject {
            response_bytes: within("response_bytes", self.response_bytes, 1, LARGEST_PAGE_BYTES as i64)?
                as u64,
            request_bytes: within("request_bytes", self.request_bytes, 1, LONGEST_REQUEST)? as u32,
            host: within("host", self.host, 0, MOST_OBJECTS as i64)? as u16,
            wave: within("wave", self.wave, 0, i64::from(u8::MAX))? as u8,
        })
    }
}

/// The think time behind a page.
///
/// # Errors
/// It is not legal.
pub fn think_time(seconds: f64) -> Result<Span, OwnModelError> {
    let (least, most) = THINK_SECONDS;
    if (least..=most).contains(&seconds) {
        return Ok(Span::from_seconds(seconds));
    }
    Err(OwnModelError::new(format!("think_s is {seconds}"), format!("a number from {least} to {most}")))
}

/// A page of a source, wave by wave, and the think time behind it.
pub(super) fn page_of(
    source: &dyn PageSource,
    user: Key,
    number: u32,
    objects: &mut Vec<PageObject>,
) -> Result<Span, OwnModelError> {
    let think = source.page(user, page_key(user, number), number, objects)?;
    check(objects).map_err(|error| error.at(format_args!("page {number}")).at(source.place()))?;
    objects.sort_by_key(|object| object.wave);
    Ok(think)
}

/// Whether these objects are a page.
fn check(objects: &[PageObject]) -> Result<(), OwnModelError> {
    let wrong = |wrong: String, legal: &str| Err(OwnModelError::new(wrong, legal));
    let Some((root, others)) = objects.split_first() else {
        return wrong("there is no object".to_owned(), "the root first, then the others");
    };
    if objects.len() > MOST_OBJECTS as usize {
        return wrong(format!("{} objects", objects.len()), &format!("1 to {MOST_OBJECTS}"));
    }
    if root.wave != 0 {
        return wrong(format!("object 0 is in wave {}", root.wave), "the root, in wave 0");
    }
    match others.iter().position(|object| object.wave == 0) {
        Some(place) => {
            wrong(format!("object {} is in wave 0, where the root is alone", place + 1), "1 to 255")
        }
        None => Ok(()),
    }
}
