//! Timing of pictures: the frames of a run on the clock of a video.

/// Ticks of the clock per second. 24, 25, 30, 48, 50 and 60 pictures per second have a whole number
/// of ticks each.
pub const TICKS_PER_SECOND: u32 = 90_000;
/// Pictures per second at most: more are left out, as screens would do.
const MOST: f64 = 60.0;
/// Pictures per second at least: slower videos are sped up, and say so.
const FEWEST: f64 = 1.0;

/// The frames that are to be shown.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FrameSequence<'a> {
    /// Their numbers, growing.
    pub numbers: &'a [u32],
    /// By how much the numbers of neighbours differ where none is missing.
    pub spacing: u32,
    /// Frames per second of simulated time \[1/s\].
    pub rate: f64,
}

/// Duration of each frame on the screen.
#[derive(Clone, Debug, PartialEq)]
pub struct Timeline {
    /// For every frame; none where it is left out.
    ticks: Vec<Option<u32>>,
    speed: f64,
    rate: f64,
}

impl Timeline {
    /// Puts frames on the clock: `speed` seconds of simulated time pass in a second. Where a frame
    /// is missing, the one before is shown the longer.
    pub fn new(sequence: FrameSequence<'_>, speed: f64) -> Self {
        let spacing = sequence.spacing.max(1);
        let wanted = sequence.rate * speed / f64::from(spacing);
        let speed = speed * (FEWEST / wanted).max(1.0);
        // Frame numbers per second of the video.
        let pace = sequence.rate * speed;
        // 60.0000001 pictures per second are no reason to leave out every other.
        let stride = (wanted / MOST - 1e-6).ceil().clamp(1.0, 1e9) as u64 * u64::from(spacing);
        let mut ticks = vec![None; sequence.numbers.len()];
        let mut kept: Vec<(usize, u32)> = Vec::new();
        for (k, &number) in sequence.numbers.iter().enumerate() {
            let is_due = |last: u32| u64::from(number.saturating_sub(last)) >= stride;
            if kept.last().is_none_or(|(_, last)| is_due(*last)) {
                kept.push((k, number));
            }
        }
        // From the start of the video, so that rounding does not add up.
        let at = |number: f64| (number / pace * f64::from(TICKS_PER_SECOND)).round();
        let first = sequence.numbers.first().map_or(0.0, |n| f64::from(*n));
        for (k, &(index, number)) in kept.iter().enumerate() {
            let own = f64::from(number) - first;
            let next = match kept.get(k + 1) {
                Some((_, next)) => f64::from(*next) - first,
                None => own + stride as f64,
            };
            // A cast of what is too large stays at the largest.
            ticks[index] = Some(((at(next) - at(own)) as u32).max(1));
        }
        Self {
            ticks,
            speed,
            rate: pace / stride as f64,
        }
    }

    /// Duration of a frame \[ticks\]; none if it is left out.
    pub fn ticks(&self, index: usize) -> Option<u32> {
        self.ticks.get(index).copied().flatten()
    }

    /// Number of frames that are shown.
    pub fn pictures(&self) -> usize {
        self.ticks.iter().flatten().count()
    }

    /// Duration of all frames \[s\].
    pub fn seconds(&self) -> f64 {
        let ticks: u64 = self.ticks.iter().flatten().map(|t| u64::from(*t)).sum();
        ticks as f64 / f64::from(TICKS_PER_SECOND)
    }

    /// Simulated time over that of the video \[–\].
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Pictures per second where none is missing \[1/s\].
    pub fn rate(&self) -> f64 {
        self.rate
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn timeline(numbers: &[u32], spacing: u32, rate: f64, speed: f64) -> Timeline {
        let sequence = FrameSequence {
            numbers,
            spacing,
            rate,
        };
        Timeline::new(sequence, speed)
    }

    fn ticks(timeline: &Timeline, count: usize) -> Vec<Option<u32>> {
        (0..count).map(|k| timeline.ticks(k)).collect()
    }

    #[test]
    fn real_time_shows_every_frame_for_its_time() {
        let shown = timeline(&[0, 1, 2], 1, 24.0, 1.0);
        assert_eq!(ticks(&shown, 3), [Some(3750); 3]);
        assert_eq!((shown.pictures(), shown.seconds()), (3, 0.125));
        assert_eq!((shown.rate(), shown.speed()), (24.0, 1.0));
        // Every fourth frame, from frame 8 on, at half the speed.
        let shown = timeline(&[8, 12, 16], 4, 48.0, 0.5);
        assert_eq!(ticks(&shown, 3), [Some(15_000); 3]);
        assert_eq!(shown.rate(), 6.0);
    }

    #[test]
    fn a_missing_frame_does_not_hurry_the_rest() {
        let shown = timeline(&[0, 1, 4, 5], 1, 30.0, 1.0);
        assert_eq!(
            ticks(&shown, 4),
            [Some(3000), Some(9000), Some(3000), Some(3000)]
        );
    }

    #[test]
    fn rates_that_screens_cannot_show_leave_out_frames() {
        let numbers: Vec<u32> = (0..=100).collect();
        let shown = timeline(&numbers, 1, 1000.0, 1.0);
        // Every 17th: 58.8 pictures per second.
        assert_eq!(shown.pictures(), 6);
        assert_eq!((shown.ticks(0), shown.ticks(1)), (Some(1530), None));
        assert_eq!(shown.ticks(17), Some(1530));
        assert_eq!(shown.speed(), 1.0);
        let all = timeline(&numbers, 1, 1000.0, 0.06);
        assert_eq!((all.pictures(), all.ticks(50)), (101, Some(1500)));
        assert_eq!(timeline(&numbers, 1, 60.0, 1.0).pictures(), 101);
        assert_eq!(timeline(&numbers, 1, 61.0, 1.0).pictures(), 51);
    }

    #[test]
    fn slide_shows_are_sped_up_to_a_picture_per_second() {
        let shown = timeline(&[0, 10, 20], 10, 1.0, 1.0);
        assert_eq!(ticks(&shown, 3), [Some(90_000); 3]);
        assert_eq!((shown.speed(), shown.rate()), (10.0, 1.0));
    }

    #[test]
    fn rounding_does_not_add_up() {
        let numbers: Vec<u32> = (0..24_000).collect();
        let shown = timeline(&numbers, 1, 23.976, 1.0);
        assert!((shown.seconds() - 24_000.0 / 23.976).abs() < 2.0 / 90_000.0);
    }

    #[test]
    fn nothing_and_one_frame_have_their_time() {
        assert_eq!(timeline(&[], 1, 24.0, 1.0).seconds(), 0.0);
        assert_eq!(timeline(&[7], 1, 25.0, 1.0).seconds(), 0.04);
        // Frames may be very far apart.
        let far = timeline(&[0, u32::MAX], 1, 24.0, 1.0);
        assert_eq!(far.ticks(0), Some(u32::MAX));
        assert_eq!(timeline(&[0, 1], u32::MAX, 1e300, 1e9).pictures(), 1);
    }
}
