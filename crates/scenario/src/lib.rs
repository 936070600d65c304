//! scenario (being written)
