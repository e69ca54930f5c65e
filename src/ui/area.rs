//! Splitting of areas.

use ratatui::layout::Rect;

/// Splits an area side by side: the first part gets `hundredths` of the width.
pub fn split_columns(area: Rect, hundredths: u16) -> (Rect, Rect) {
    let width = (u32::from(area.width) * u32::from(hundredths.min(100)) / 100) as u16;
    (
        Rect { width, ..area },
        Rect {
            x: area.x + width,
            width: area.width - width,
            ..area
        },
    )
}

/// Splits an area into two rows: the second part gets `height`.
pub fn split_rows(area: Rect, height: u16) -> (Rect, Rect) {
    let height = height.min(area.height);
    (
        Rect {
            height: area.height - height,
            ..area
        },
        Rect {
            y: area.bottom() - height,
            height,
            ..area
        },
    )
}

/// Removes `cells` from each side of an area.
pub fn inset_sides(area: Rect, cells: u16) -> Rect {
    Rect {
        x: area.x + cells,
        width: area.width.saturating_sub(2 * cells),
        ..area
    }
}

/// The part of an area after the first `used` cells.
pub fn area_after(area: Rect, used: u16) -> Rect {
    Rect {
        x: area.x.saturating_add(used),
        width: area.width.saturating_sub(used),
        ..area
    }
}

/// The part of an area before the column `edge`, minus one cell of padding.
pub fn area_before(area: Rect, edge: u16) -> Rect {
    Rect {
        width: edge.saturating_sub(area.x + 1),
        ..area
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_parts_of_a_split_cover_the_area_at_any_size() {
        for size in [0, 1, 7, 80, 2_000, u16::MAX] {
            let wide = Rect {
                x: 0,
                y: 3,
                width: size,
                height: 2,
            };
            let (left, right) = split_columns(wide, 64);
            assert_eq!((left.width, right.x), (right.x, left.right()));
            assert_eq!(left.union(right), wide);
            assert_eq!(usize::from(left.width), usize::from(size) * 64 / 100);
            let high = Rect {
                x: 3,
                y: 0,
                width: 2,
                height: size,
            };
            let (upper, lower) = split_rows(high, 9);
            assert_eq!((lower.height, lower.y), (size.min(9), upper.bottom()));
            assert_eq!(upper.union(lower), high);
        }
    }
}
