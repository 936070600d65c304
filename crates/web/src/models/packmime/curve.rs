//! Measured curves: straight lines between knots.

/// A curve through knots, continued beyond the last ones with the slope that it has there.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Curve {
    knots: Vec<(f64, f64)>,
}

impl Curve {
    /// The curve of the rows of a shipped table that begin with these fields, whose next two fields are its
    /// knots.
    ///
    /// # Panics
    /// If a row is not two numbers, or there are fewer than two: a test reads every shipped table.
    pub(super) fn of_rows(table: &str, begin: &str) -> Self {
        let rows = table.lines().filter_map(|line| line.strip_prefix(begin)?.strip_prefix(','));
        let number = |text: Option<&str>| text.and_then(|text| text.parse().ok()).expect("a number");
        let knots = rows.map(|row| {
            let mut fields = row.split(',');
            (number(fields.next()), number(fields.next()))
        });
        let knots: Vec<(f64, f64)> = knots.collect();
        assert!(knots.len() > 1 && knots.is_sorted_by(|a, b| a.0 < b.0), "{begin}: knots in order");
        Self { knots }
    }

    /// The curve at a place.
    pub(super) fn at(&self, x: f64) -> f64 {
        let above = self.knots.partition_point(|knot| knot.0 <= x).clamp(1, self.knots.len() - 1);
        let ((x0, y0), (x1, y1)) = (self.knots[above - 1], self.knots[above]);
        y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_curve_is_straight_between_its_knots_and_goes_on_beyond_them() {
        let table = "side,x,y\na,0,1\na,2,5\na,3,4\nb,0,0\nb,1,1\n";
        let curve = Curve::of_rows(table, "a");
        let found = [-1.0, 0.0, 0.5, 2.0, 2.5, 3.0, 5.0].map(|x| curve.at(x));
        assert_eq!(found, [-1.0, 1.0, 2.0, 5.0, 4.5, 4.0, 2.0]);
    }
}
