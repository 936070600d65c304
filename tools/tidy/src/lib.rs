//! Source checks that no compiler makes (being written).
