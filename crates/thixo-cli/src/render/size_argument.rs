//! `--size WxH`: how large pictures are.

use std::str::FromStr;

/// Width and height \[pixels\].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SizeArgument(pub [u32; 2]);

impl FromStr for SizeArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = || {
            let (width, height) = text.split_once('x')?;
            let size = [width.parse().ok()?, height.parse().ok()?];
            size.iter()
                .all(|n| (16..=16384).contains(n))
                .then_some(size)
        };
        let wrong = || "write width and height as 1280x720, 16 to 16384 each".to_owned();
        parsed().map(Self).ok_or_else(wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_read_and_nonsense_is_refused() {
        assert_eq!("640x360".parse(), Ok(SizeArgument([640, 360])));
        for wrong in ["640", "0x0", "640x", "1e3x5", "99999x100", "-1x16"] {
            assert!(wrong.parse::<SizeArgument>().is_err(), "{wrong}");
        }
    }
}
