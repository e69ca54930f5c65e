//! The outlines under a map: coasts and borders, drawn faintly as dots where no mark is.

use std::sync::LazyLock;

use super::map::GeoPoint;

/// The outlines of the contiguous United States; the file says what they are.
static US_OUTLINES: LazyLock<Vec<Vec<GeoPoint>>> =
    LazyLock::new(|| parse_outlines(include_str!("../../assets/maps/us-outlines.txt")));

/// The polylines of the outlines.
pub(super) fn outlines() -> &'static [Vec<GeoPoint>] {
    &US_OUTLINES
}

/// One polyline per line; lines that begin with `#` are comments.
fn parse_outlines(text: &str) -> Vec<Vec<GeoPoint>> {
    let point = |pair: &str| {
        let (lat, lng) = pair.split_once(',')?;
        Some(GeoPoint {
            lat: lat.parse().ok()?,
            lng: lng.parse().ok()?,
        })
    };
    let lines = text.lines().filter(|line| !line.starts_with('#'));
    lines
        .map(|line| line.split_whitespace().filter_map(point).collect())
        .collect()
}

/// The part of a segment inside a rectangle from the origin, as its two ends (Liang–Barsky); `None`
/// if it is outside.
pub(super) fn clip_segment(
    from: (f64, f64),
    to: (f64, f64),
    size: (f64, f64),
) -> Option<((f64, f64), (f64, f64))> {
    let (dx, dy) = (to.0 - from.0, to.1 - from.1);
    let (mut start, mut end) = (0.0_f64, 1.0_f64);
    for (step, room) in [
        (-dx, from.0),
        (dx, size.0 - from.0),
        (-dy, from.1),
        (dy, size.1 - from.1),
    ] {
        if step == 0.0 {
            if room < 0.0 {
                return None;
            }
        } else if step < 0.0 {
            start = start.max(room / step);
        } else {
            end = end.min(room / step);
        }
    }
    (start <= end).then_some((
        (from.0 + start * dx, from.1 + start * dy),
        (from.0 + end * dx, from.1 + end * dy),
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_point_of_the_outlines_is_in_or_at_the_united_states() {
        assert!(outlines().len() > 30);
        for point in outlines().iter().flatten() {
            assert!(
                (24.5..=49.5).contains(&point.lat) && (-125.0..=-66.5).contains(&point.lng),
                "{point:?}"
            );
        }
        assert!(
            outlines().iter().all(|line| line.len() >= 2),
            "no point was lost"
        );
        // the corner of Utah, Colorado, Arizona and New Mexico, and New York's harbor
        for (lat, lng) in [(37.00, -109.05), (40.70, -74.02)] {
            let is_near =
                |point: &GeoPoint| (point.lat - lat).abs() < 0.1 && (point.lng - lng).abs() < 0.1;
            assert!(outlines().iter().flatten().any(is_near), "{lat}, {lng}");
        }
    }

    #[test]
    fn a_segment_is_cut_at_the_border() {
        assert_eq!(
            clip_segment((-10.0, 5.0), (30.0, 5.0), (20.0, 10.0)),
            Some(((0.0, 5.0), (20.0, 5.0)))
        );
        assert_eq!(
            clip_segment((1.0, 1.0), (2.0, 2.0), (20.0, 10.0)),
            Some(((1.0, 1.0), (2.0, 2.0)))
        );
        assert_eq!(clip_segment((-10.0, 5.0), (-1.0, 50.0), (20.0, 10.0)), None);
        assert_eq!(clip_segment((-1.0, 5.0), (-1.0, 7.0), (20.0, 10.0)), None);
    }
}
