//! The frame around an H.264 stream that makes it a file: MP4.
//!
//! ISO/IEC 14496-12 describes the boxes, 14496-15 those of H.264. The index comes before the
//! pictures, so that a video plays while it is still being fetched, and all pictures lie in one
//! piece behind it. There is no time of creation in it: the same pictures give the same bytes.

use crate::timeline::TICKS_PER_SECOND;

/// Pictures of a video, without their bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Track {
    /// Width and height \[pixels\].
    pub size: [u16; 2],
    /// The sequence parameter set of the stream.
    pub sequence: Vec<u8>,
    /// The picture parameter set of the stream.
    pub picture: Vec<u8>,
    /// All pictures in order.
    pub samples: Vec<Sample>,
}

/// A picture of a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sample {
    /// Its length in the file.
    pub bytes: u32,
    /// Duration \[ticks\].
    pub ticks: u32,
    /// True for a key frame.
    pub is_key: bool,
}

impl Track {
    /// Everything that comes before the bytes of the pictures.
    pub fn header(&self) -> Vec<u8> {
        let kind = boxed(b"ftyp", &[b"isom", &number(0x200), b"isomiso2avc1mp41"]);
        // The index says where the pictures begin, which does not change its length.
        let length = kind.len() + self.index(0).len();
        let bytes: u64 = self.samples.iter().map(|s| u64::from(s.bytes)).sum();
        let mut pictures = Vec::new();
        match u32::try_from(bytes + 8) {
            Ok(small) => pictures.extend(small.to_be_bytes()),
            Err(_) => pictures.extend(number(1)),
        }
        pictures.extend(b"mdat");
        if bytes + 8 > u64::from(u32::MAX) {
            pictures.extend((bytes + 16).to_be_bytes());
        }
        let start = length + pictures.len();
        [kind, self.index(start as u32), pictures].concat()
    }

    fn index(&self, start: u32) -> Vec<u8> {
        let [width, height] = self.size;
        let movie = timed(
            b"mvhd",
            0,
            &[&number(TICKS_PER_SECOND)],
            self.duration(),
            &[
                &number(0x1_0000), // normal speed
                &[1, 0],           // full volume
                &[0; 10],
                &UPRIGHT,
                &[0; 24],
                &number(2), // the next track
            ],
        );
        let track = timed(
            b"tkhd",
            3, // enabled, and part of the movie
            &[&number(1), &[0; 4]],
            self.duration(),
            &[
                &[0; 16],
                &UPRIGHT,
                &number(u32::from(width) << 16),
                &number(u32::from(height) << 16),
            ],
        );
        let media = timed(
            b"mdhd",
            0,
            &[&number(TICKS_PER_SECOND)],
            self.duration(),
            &[&[0x55, 0xc4, 0, 0]], // no language
        );
        let handler = [&[0; 4][..], b"vide", &[0; 12], b"video\0"];
        let here = full(b"url ", 1, &[]);
        let source = boxed(b"dinf", &[&full(b"dref", 0, &[&number(1), &here])]);
        let information = boxed(
            b"minf",
            &[&full(b"vmhd", 1, &[&[0; 8]]), &source, &self.table(start)],
        );
        let media = boxed(
            b"mdia",
            &[&media, &full(b"hdlr", 0, &handler), &information],
        );
        boxed(b"moov", &[&movie, &boxed(b"trak", &[&track, &media])])
    }

    /// The sample table: position, duration and format of each picture.
    fn table(&self, start: u32) -> Vec<u8> {
        let count = number(self.samples.len() as u32);
        let mut times: Vec<(u32, u32)> = Vec::new();
        for sample in &self.samples {
            match times.last_mut() {
                Some((many, ticks)) if *ticks == sample.ticks => *many += 1,
                _ => times.push((1, sample.ticks)),
            }
        }
        let times = list(times.iter().flat_map(|(many, ticks)| [*many, *ticks]), 2);
        let keys = self.samples.iter().zip(1..).filter(|(s, _)| s.is_key);
        let keys = list(keys.map(|(_, k)| k), 1);
        let sizes: Vec<u8> = self.samples.iter().flat_map(|s| number(s.bytes)).collect();
        boxed(
            b"stbl",
            &[
                &full(b"stsd", 0, &[&number(1), &self.description()]),
                &full(b"stts", 0, &[&times]),
                &full(b"stss", 0, &[&keys]),
                // One piece with all pictures.
                &full(b"stsc", 0, &[&number(1), &number(1), &count, &number(1)]),
                &full(b"stsz", 0, &[&[0; 4], &count, &sizes]),
                &full(b"stco", 0, &[&number(1), &number(start)]),
            ],
        )
    }

    fn description(&self) -> Vec<u8> {
        let [width, height] = self.size.map(u16::to_be_bytes);
        let length = |unit: &[u8]| (unit.len() as u16).to_be_bytes();
        let profile = self.sequence.get(1..4).unwrap_or(&[66, 192, 31]);
        let parameters = boxed(
            b"avcC",
            &[
                &[1],
                profile,
                &[0xff, 0xe1], // lengths of four bytes; one sequence parameter set
                &length(&self.sequence),
                &self.sequence,
                &[1],
                &length(&self.picture),
                &self.picture,
            ],
        );
        // Primaries of BT.709, the curve of sRGB, the matrix of BT.709, limited range.
        let colors = boxed(b"colr", &[b"nclx", &[0, 1, 0, 13, 0, 1, 0]]);
        let pixels = boxed(b"pasp", &[&number(1), &number(1)]);
        boxed(
            b"avc1",
            &[
                &[0; 6],
                &[0, 1], // the first source
                &[0; 16],
                &width,
                &height,
                &number(72 << 16),
                &number(72 << 16),
                &[0; 4],
                &[0, 1], // one picture a sample
                &[0; 32],
                &[0, 24, 0xff, 0xff], // without transparency
                &parameters,
                &colors,
                &pixels,
            ],
        )
    }

    fn duration(&self) -> u64 {
        self.samples.iter().map(|s| u64::from(s.ticks)).sum()
    }
}

/// Neither turned nor mirrored.
const UPRIGHT: [u8; 36] = {
    let mut matrix = [0; 36];
    matrix[1] = 1;
    matrix[17] = 1;
    matrix[32] = 0x40;
    matrix
};

fn number(value: u32) -> [u8; 4] {
    value.to_be_bytes()
}

/// A box: its length, its kind, and what is in it.
fn boxed(kind: &[u8; 4], contents: &[&[u8]]) -> Vec<u8> {
    let contents = contents.concat();
    let length = number(contents.len() as u32 + 8);
    [&length[..], kind, &contents].concat()
}

/// A box of version 0 with flags.
fn full(kind: &[u8; 4], flags: u32, contents: &[&[u8]]) -> Vec<u8> {
    boxed(kind, &[&number(flags), &contents.concat()])
}

/// A box with the times of creation and change, both unknown, and a duration; of version 1, with
/// longer numbers, if the duration needs it.
fn timed(kind: &[u8; 4], flags: u32, before: &[&[u8]], duration: u64, after: &[&[u8]]) -> Vec<u8> {
    let (before, after) = (before.concat(), after.concat());
    match u32::try_from(duration) {
        Ok(short) => full(kind, flags, &[&[0; 8], &before, &number(short), &after]),
        Err(_) => {
            let flags = 1 << 24 | flags;
            full(
                kind,
                flags,
                &[&[0; 16], &before, &duration.to_be_bytes(), &after],
            )
        }
    }
}

/// Entries of so many numbers each, after their count.
fn list(numbers: impl Iterator<Item = u32>, each: usize) -> Vec<u8> {
    let entries: Vec<u8> = numbers.flat_map(number).collect();
    [&number((entries.len() / 4 / each) as u32)[..], &entries].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn track(bytes: u32, ticks: u32) -> Track {
        let sample = Sample {
            bytes,
            ticks,
            is_key: true,
        };
        Track {
            size: [64, 48],
            sequence: vec![0x67, 66, 192, 31, 5],
            picture: vec![0x68, 1],
            samples: vec![sample; 3],
        }
    }

    /// Kinds, starts and lengths of the boxes of a range of bytes, by the standard.
    fn boxes(bytes: &[u8]) -> Vec<(String, u64)> {
        let mut found = Vec::new();
        let mut at = 0;
        while at + 8 <= bytes.len() {
            let size = u32::from_be_bytes(bytes[at..at + 4].try_into().unwrap());
            let kind = String::from_utf8_lossy(&bytes[at + 4..at + 8]).into_owned();
            let size = match size {
                1 => u64::from_be_bytes(bytes[at + 8..at + 16].try_into().unwrap()),
                small => u64::from(small),
            };
            found.push((kind, size));
            at = at.saturating_add(size as usize);
        }
        found
    }

    fn offset(header: &[u8]) -> u32 {
        let at = header.windows(4).position(|w| w == b"stco").unwrap();
        u32::from_be_bytes(header[at + 12..at + 16].try_into().unwrap())
    }

    #[test]
    fn the_index_comes_first_and_points_to_the_pictures() {
        let header = track(1000, 3750).header();
        let found = boxes(&header);
        let kinds: Vec<&str> = found.iter().map(|(kind, _)| kind.as_str()).collect();
        assert_eq!(kinds, ["ftyp", "moov", "mdat"]);
        assert_eq!(found[2].1, 3008);
        assert_eq!(offset(&header) as usize, header.len());
    }

    #[test]
    fn more_than_four_gigabytes_and_thirteen_hours_are_written_with_long_numbers() {
        let header = track(2_000_000_000, 2_000_000_000).header();
        assert_eq!(boxes(&header)[2], ("mdat".to_owned(), 6_000_000_016));
        assert_eq!(offset(&header) as usize, header.len());
        let at = header.windows(4).position(|w| w == b"mdhd").unwrap();
        assert_eq!(header[at + 4], 1);
        assert_eq!(header[at + 28..at + 36], 6_000_000_000u64.to_be_bytes());
    }
}
