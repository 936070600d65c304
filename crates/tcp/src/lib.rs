//! tcp (being written)
