//! Summary of the files that were drawn, in words and as JSON.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use thixo_render::timeline::Timeline;

use crate::console::print_line;

/// Pictures per second that screens show.
const SCREEN: f64 = 60.0;

/// Summary of the files that were drawn.
#[derive(Clone, Debug)]
pub struct RenderSummary {
    /// Pictures of frames.
    pub pictures: Vec<PathBuf>,
    /// Several of them in one.
    pub sheet: Option<PathBuf>,
    /// The video.
    pub video: Option<MovingPicture>,
    /// The animation.
    pub animation: Option<MovingPicture>,
    /// Ends of the colour bar, if there is one.
    pub range: Option<[f64; 2]>,
    /// Wall time \[s\].
    pub seconds: f64,
    timeline: Timeline,
    frames: usize,
    /// Simulated time between neighbours \[s\].
    apart: f64,
}

/// A file with all pictures.
#[derive(Clone, Debug)]
pub struct MovingPicture {
    path: PathBuf,
    size: [usize; 2],
    /// True if the pictures were made smaller for it.
    is_smaller: bool,
}

impl MovingPicture {
    /// A file of a size, made of pictures of another.
    pub fn new(path: &Path, size: [usize; 2], pictures: [usize; 2]) -> Self {
        Self {
            path: path.to_owned(),
            size,
            is_smaller: size[0] < pictures[0] || size[1] < pictures[1],
        }
    }
}

impl RenderSummary {
    /// Before anything is drawn of so many frames, which are a simulated time apart \[s\].
    pub fn new(timeline: &Timeline, frames: usize, apart: f64) -> Self {
        Self {
            pictures: Vec::new(),
            sheet: None,
            video: None,
            animation: None,
            range: None,
            seconds: 0.0,
            timeline: timeline.clone(),
            frames,
            apart,
        }
    }

    /// For programs.
    pub fn json(&self) -> Value {
        let name = |path: &PathBuf| path.to_string_lossy().into_owned();
        let moving = |moving: &MovingPicture| {
            json!({
                "path": name(&moving.path),
                "size": moving.size,
                "pictures": self.timeline.pictures(),
                "seconds": self.timeline.seconds(),
                "pictures_per_second": self.timeline.rate(),
                "speed": self.timeline.speed(),
            })
        };
        json!({
            "pictures": self.pictures.iter().map(name).collect::<Vec<_>>(),
            "contact_sheet": self.sheet.as_ref().map(name),
            "video": self.video.as_ref().map(moving),
            "animation": self.animation.as_ref().map(moving),
            "range": self.range,
            "seconds": self.seconds,
        })
    }

    /// For people.
    pub fn print(&self) {
        let sheet = self.sheet.as_ref().map_or(String::new(), |path| {
            format!("; all in one: {}", path.display())
        });
        let files = match self.pictures.len() {
            0 => format!("{} frames drawn", self.frames),
            1 => "1 picture".to_owned(),
            many => format!("{many} pictures"),
        };
        print_line(&format!("{files} in {:.1} s{sheet}", self.seconds));
        for moving in self.video.iter().chain(&self.animation) {
            print_line(&self.about(moving));
        }
    }

    fn about(&self, moving: &MovingPicture) -> String {
        let MovingPicture { path, size, .. } = moving;
        let smaller = if moving.is_smaller {
            ", made smaller"
        } else {
            ""
        };
        let speed = match self.timeline.speed() {
            1.0 => String::new(),
            slow if slow < 1.0 => format!(", {} times slower than it was", rounded(1.0 / slow)),
            fast => format!(", {} times faster than it was", rounded(fast)),
        };
        let left_out = match self.frames - self.timeline.pictures() {
            0 => String::new(),
            // Pictures per second of simulated time over those of a screen.
            some => format!(
                "; {some} of {} frames come too fast to be seen, --speed {} shows all",
                self.frames,
                rounded(SCREEN * self.apart)
            ),
        };
        format!(
            "{}: {:.2} s at {} fps, {}x{}{smaller}{speed}{left_out}",
            path.display(),
            self.timeline.seconds(),
            rounded(self.timeline.rate()),
            size[0],
            size[1]
        )
    }
}

/// A number with at most three digits that count.
fn rounded(x: f64) -> String {
    let digits = 2 - x.abs().log10().floor().clamp(-300.0, 2.0) as i32;
    let scale = 10f64.powi(digits);
    format!("{}", (x * scale).round() / scale)
}

#[cfg(test)]
mod tests {
    use super::*;
    use thixo_render::timeline::FrameSequence;

    fn about(rate: f64, speed: f64, pictures: [usize; 2]) -> String {
        let numbers: Vec<u32> = (0..=100).collect();
        let sequence = FrameSequence {
            numbers: &numbers,
            spacing: 1,
            rate,
        };
        let timeline = Timeline::new(sequence, speed);
        let drawn = RenderSummary::new(&timeline, 101, 1.0 / rate);
        drawn.about(&MovingPicture::new(
            Path::new("v.mp4"),
            [640, 360],
            pictures,
        ))
    }

    #[test]
    fn what_is_not_as_it_was_is_said() {
        assert_eq!(
            about(25.0, 1.0, [640, 359]),
            "v.mp4: 4.04 s at 25 fps, 640x360"
        );
        assert_eq!(
            about(1000.0, 1.0, [640, 360]),
            "v.mp4: 0.10 s at 58.8 fps, 640x360; 95 of 101 frames come too fast to be seen, --speed 0.06 shows all"
        );
        assert_eq!(
            about(1000.0, 0.06, [640, 360]),
            "v.mp4: 1.68 s at 60 fps, 640x360, 16.7 times slower than it was"
        );
        assert_eq!(
            about(0.1, 1.0, [1280, 720]),
            "v.mp4: 101.00 s at 1 fps, 640x360, made smaller, 10 times faster than it was"
        );
    }
}
