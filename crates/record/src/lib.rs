//! record (being written)
