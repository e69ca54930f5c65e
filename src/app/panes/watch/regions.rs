//! Which parts of the counts page fit, and where.
//!
//! Never here: what a part shows.

use ratatui::layout::Rect;

use crate::app::Context;

/// Minimum size of the screen for two columns below the numbers.
const COLUMNS_MIN_SIZE: (u16, u16) = (112, 32);

/// A part of the counts page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The latest signals of high priority.
    Latest,
    /// New signals over the day.
    Chart,
    /// New signals by type.
    Types,
    /// Who marked how many done today.
    Team,
    /// Types and team side by side.
    TypesAndTeam,
    /// New signals by city.
    Map,
    /// The top of the queue.
    Waiting,
    /// New signals that leave the queue first.
    Leaving,
}

/// How high a part is.
#[derive(Clone, Copy, Debug)]
pub struct PartHeight {
    pub part: Part,
    pub min: u16,
    pub ideal: u16,
    /// Takes what is left of the column.
    pub grows: bool,
}

/// Whether the counts have room for the signals, the team and a map beside them.
pub fn has_columns(cx: &Context) -> bool {
    let (width, height) = cx.frame.size();
    width >= COLUMNS_MIN_SIZE.0 && height >= COLUMNS_MIN_SIZE.1
}

/// Stacks parts in a column, a blank row between them. Those that do not fit are left out, the last
/// ones first.
pub fn stack_parts(parts: &[PartHeight], area: Rect) -> Vec<(Part, Rect)> {
    let mut used = 0;
    let mut kept: Vec<(PartHeight, u16)> = Vec::new();
    for part in parts {
        let gap = u16::from(!kept.is_empty());
        if used + gap + part.min <= area.height {
            used += gap + part.min;
            kept.push((*part, part.min));
        }
    }
    let mut left = area.height - used;
    for (part, height) in &mut kept {
        let more = part.ideal.saturating_sub(part.min).min(left);
        *height += more;
        left -= more;
    }
    let growing = kept.iter().filter(|(part, _)| part.grows).count();
    let mut growers = u16::try_from(growing).unwrap_or(1);
    for (_, height) in kept.iter_mut().filter(|(part, _)| part.grows) {
        let more = left / growers;
        *height += more;
        left -= more;
        growers = (growers - 1).max(1);
    }
    let mut y = area.y;
    kept.into_iter()
        .map(|(part, height)| {
            let place = Rect { y, height, ..area };
            y += height + 1;
            (part.part, place)
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(height: u16) -> Vec<(Part, u16, u16)> {
        let part = |part, min, ideal, grows| PartHeight {
            part,
            min,
            ideal,
            grows,
        };
        let parts = [
            part(Part::Types, 4, 8, false),
            part(Part::Team, 3, 5, false),
            part(Part::Map, 8, 8, true),
        ];
        let area = Rect {
            x: 0,
            y: 10,
            width: 40,
            height,
        };
        stack_parts(&parts, area)
            .into_iter()
            .map(|(part, place)| (part, place.y, place.height))
            .collect()
    }

    #[test]
    fn the_last_parts_are_left_out_first_and_the_growing_one_takes_the_rest() {
        assert_eq!(stack(2), []);
        assert_eq!(stack(3), [(Part::Team, 10, 3)]);
        assert_eq!(stack(5), [(Part::Types, 10, 5)]);
        assert_eq!(stack(8), [(Part::Types, 10, 4), (Part::Team, 15, 3)]);
        assert_eq!(
            stack(30),
            [
                (Part::Types, 10, 8),
                (Part::Team, 19, 5),
                (Part::Map, 25, 15)
            ]
        );
    }
}
