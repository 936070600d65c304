//! web (being written)
