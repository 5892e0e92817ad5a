//! Pictures to H.264, by OpenH264.

use openh264::encoder::{
    BitRate, Complexity, Encoder, EncoderConfig, FrameRate, FrameType, IntraFramePeriod, QpRange,
    RateControlMode, SpsPpsStrategy, TransferCharacteristics, VuiConfig,
};
use openh264::{Error, OpenH264API};

use super::yuv::Yuv;

/// The longer side that the encoder takes at most \[pixels\].
pub const LONGEST: usize = 3840;
/// The shorter side that it takes at most \[pixels\].
pub const OTHER: usize = 2160;
/// Any side that it takes at least \[pixels\].
pub const SHORTEST: usize = 16;
/// One can jump to a picture this long before another \[s\].
const SECONDS_BETWEEN_KEYS: f64 = 2.0;

/// Quality of a video, from which its size follows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Quality {
    /// Small files, differences that one sees.
    Low,
    /// Differences that one sees when looking for them.
    #[default]
    Medium,
    /// No differences that one sees.
    High,
}

impl Quality {
    /// The quantisation of H.264, the same for all pictures.
    fn quantisation(self) -> u8 {
        match self {
            Self::Low => 28,
            Self::Medium => 22,
            Self::High => 16,
        }
    }
}

/// An encoder of pictures of one size.
pub struct H264 {
    encoder: Encoder,
}

/// A picture as the encoder leaves it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EncodedPicture {
    /// Units of the stream, each with four bytes of its length before it. Empty if the picture
    /// shows nothing new.
    pub sample: Vec<u8>,
    /// True for a key frame.
    pub is_key: bool,
    /// The sequence parameter set, if one came with it.
    pub sequence: Option<Vec<u8>>,
    /// The picture parameter set, if one came with it.
    pub picture: Option<Vec<u8>>,
}

impl H264 {
    /// An encoder for so many pictures per second.
    pub fn new(quality: Quality, [width, height]: [usize; 2], rate: f64) -> Result<Self, Error> {
        let rate = rate.clamp(1.0, 60.0);
        let quantisation = quality.quantisation();
        // Only the level, which announces how fast a decoder must be, follows from the bit rate.
        let bits = (width * height) as f64 * rate * 0.15;
        let config = EncoderConfig::new()
            // The mode that leaves out no picture and, as long as scene changes are not looked for,
            // keeps to the one quantisation that it is allowed.
            .rate_control_mode(RateControlMode::Bufferbased)
            .qp(QpRange::new(quantisation, quantisation))
            .bitrate(BitRate::from_bps(bits as u32))
            .max_frame_rate(FrameRate::from_hz(rate as f32))
            .intra_frame_period(IntraFramePeriod::from_num_frames(
                (SECONDS_BETWEEN_KEYS * rate).ceil() as u32,
            ))
            .skip_frames(false)
            .background_detection(false)
            .scene_change_detect(false)
            .complexity(Complexity::High)
            .sps_pps_strategy(SpsPpsStrategy::ConstantId)
            // The same bytes on any machine, and the other processors draw meanwhile.
            .num_threads(1)
            .vui(VuiConfig::bt709().transfer_characteristics(TransferCharacteristics::Srgb));
        let encoder = Encoder::with_api_config(OpenH264API::from_source(), config)?;
        Ok(Self { encoder })
    }

    /// Encodes the next picture.
    pub fn encode(&mut self, picture: &Yuv) -> Result<EncodedPicture, Error> {
        let stream = self.encoder.encode(picture)?;
        let mut coded = EncodedPicture {
            is_key: stream.frame_type() == FrameType::IDR,
            ..EncodedPicture::default()
        };
        for layer in (0..stream.num_layers()).filter_map(|k| stream.layer(k)) {
            for unit in (0..layer.nal_count()).filter_map(|k| layer.nal_unit(k)) {
                coded.take(without_start_code(unit));
            }
        }
        Ok(coded)
    }
}

impl EncodedPicture {
    /// Puts a unit where it belongs, by its type (ITU-T H.264, table 7-1).
    fn take(&mut self, unit: &[u8]) {
        match unit.first().map(|head| head & 31) {
            Some(7) => self.sequence = Some(unit.to_vec()),
            Some(8) => self.picture = Some(unit.to_vec()),
            Some(1..=6) => {
                self.sample.extend((unit.len() as u32).to_be_bytes());
                self.sample.extend(unit);
            }
            // Delimiters and filling are not stored in files.
            _ => {}
        }
    }
}

/// Units begin with zeros and a one, which files replace by their length.
fn without_start_code(unit: &[u8]) -> &[u8] {
    let zeros = unit.iter().take_while(|byte| **byte == 0).count();
    match unit.get(zeros) {
        Some(1) if zeros >= 2 => &unit[zeros + 1..],
        _ => unit,
    }
}
