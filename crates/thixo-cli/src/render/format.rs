//! `--formats`: what is made of the pictures. `--quality` and `--speed`: how videos are.

use clap::ValueEnum;
use thixo_render::video;

/// A kind of file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum PictureFormat {
    /// images/frame_00000.png, …: a picture of every frame.
    Png,
    /// images/contact.png: several times of the run in one picture.
    Contact,
    /// video.mp4: H.264, at most 3840x2160 or 2160x3840; larger pictures are made smaller.
    Mp4,
    /// animation.png: an animated PNG, at most 640 pixels a side, without losses and so larger than
    /// the video.
    Apng,
}

impl PictureFormat {
    /// The default formats.
    pub const USUAL: [Self; 3] = [Self::Png, Self::Contact, Self::Mp4];
}

/// Quality of videos.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum QualityChoice {
    /// Small files, differences that one sees.
    Low,
    /// Differences that one sees when looking for them.
    Medium,
    /// No differences that one sees.
    High,
}

impl From<QualityChoice> for video::Quality {
    fn from(choice: QualityChoice) -> Self {
        match choice {
            QualityChoice::Low => Self::Low,
            QualityChoice::Medium => Self::Medium,
            QualityChoice::High => Self::High,
        }
    }
}

/// Reads a speed.
pub fn speed(text: &str) -> Result<f64, String> {
    let speed = text.parse().ok().filter(|s| *s > 0.0 && *s <= 1e9);
    speed.ok_or_else(|| "write how many simulated seconds pass in a second of video, above 0 and at most 1e9, such as 0.5 for half the speed".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn speeds_are_positive_numbers() {
        assert_eq!(speed("0.5"), Ok(0.5));
        for wrong in ["0", "-1", "NaN", "inf", "fast", ""] {
            assert!(speed(wrong).is_err(), "{wrong}");
        }
    }
}
