//! aqm (being written)
