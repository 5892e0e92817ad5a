//! Red, green and blue as brightness and colour differences: what videos store.
//!
//! ITU-R BT.709 in its limited range: 16 is black, 235 white, and 128 no colour. The colour
//! differences have half the pixels along both sides; each lies on the left one of its two columns
//! and between its two rows, which is where decoders expect it unless told otherwise (ITU-T H.264,
//! figure E-1, type 0).

use openh264::formats::YUVSource;

const RED: f64 = 0.2126;
const BLUE: f64 = 0.0722;
const GREEN: f64 = 1.0 - RED - BLUE;
/// Range of brightness and of colour differences, over that of bytes.
const LUMA: f64 = 219.0 / 255.0;
const CHROMA: f64 = 224.0 / 255.0;

/// A number with 16 binary places.
const fn fixed(x: f64) -> i32 {
    (x * 65536.0 + if x < 0.0 { -0.5 } else { 0.5 }) as i32
}

const Y: [i32; 3] = [fixed(LUMA * RED), fixed(LUMA * GREEN), fixed(LUMA * BLUE)];
/// The blue difference. Its numbers add up to 0, as those of the red one, so that grey has no
/// colour.
const U: [i32; 3] = {
    let green = fixed(-CHROMA * GREEN / (2.0 * (1.0 - BLUE)));
    let blue = fixed(CHROMA * 0.5);
    [-green - blue, green, blue]
};
const V: [i32; 3] = {
    let green = fixed(-CHROMA * GREEN / (2.0 * (1.0 - RED)));
    let red = fixed(CHROMA * 0.5);
    [red, green, -green - red]
};

/// A picture as a video stores it.
#[derive(Clone, Debug)]
pub struct Yuv {
    width: usize,
    height: usize,
    y: Vec<u8>,
    u: Vec<u8>,
    v: Vec<u8>,
}

impl Yuv {
    /// Black, of a size that is made even.
    pub fn new([width, height]: [usize; 2]) -> Self {
        let (width, height) = (width.next_multiple_of(2), height.next_multiple_of(2));
        Self {
            width,
            height,
            y: vec![16; width * height],
            u: vec![128; width * height / 4],
            v: vec![128; width * height / 4],
        }
    }

    /// Takes a picture over, given as rows of bytes of red, green and blue. Where it is smaller,
    /// its last column and row are repeated.
    pub fn fill(&mut self, rgb: &[u8], [width, height]: [usize; 2]) {
        let pixels = rgb.as_chunks::<3>().0;
        let line = |row: usize| &pixels[row.min(height - 1) * width..][..width];
        if width == 0 || pixels.len() < width * height || height == 0 {
            return;
        }
        for row in 0..self.height {
            let (to, from) = (&mut self.y[row * self.width..][..self.width], line(row));
            for (x, y) in to.iter_mut().enumerate() {
                let [r, g, b] = from[x.min(width - 1)].map(i32::from);
                let sum = Y[0] * r + Y[1] * g + Y[2] * b;
                *y = (((sum + (1 << 15)) >> 16) + 16) as u8;
            }
        }
        let half = self.width / 2;
        for row in 0..self.height / 2 {
            let lines = [line(2 * row), line(2 * row + 1)];
            for column in 0..half {
                let x = (2 * column).min(width - 1);
                let (left, right) = (x.saturating_sub(1), (x + 1).min(width - 1));
                let mut sum = [0; 3];
                for line in lines {
                    for c in 0..3 {
                        let of = |x: usize| i32::from(line[x][c]);
                        sum[c] += of(left) + 2 * of(x) + of(right);
                    }
                }
                let difference = |k: [i32; 3]| {
                    let sum = k[0] * sum[0] + k[1] * sum[1] + k[2] * sum[2];
                    (((sum + (1 << 18)) >> 19) + 128) as u8
                };
                self.u[row * half + column] = difference(U);
                self.v[row * half + column] = difference(V);
            }
        }
    }
}

impl YUVSource for Yuv {
    fn dimensions(&self) -> (usize, usize) {
        (self.width, self.height)
    }
    fn strides(&self) -> (usize, usize, usize) {
        (self.width, self.width / 2, self.width / 2)
    }
    fn y(&self) -> &[u8] {
        &self.y
    }
    fn u(&self) -> &[u8] {
        &self.u
    }
    fn v(&self) -> &[u8] {
        &self.v
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(color: [u8; 3]) -> [u8; 3] {
        let mut yuv = Yuv::new([4, 2]);
        yuv.fill(&color.repeat(8), [4, 2]);
        let even = |plane: &[u8]| plane.iter().all(|x| *x == plane[0]);
        assert!(even(&yuv.y) && even(&yuv.u) && even(&yuv.v));
        [yuv.y[0], yuv.u[0], yuv.v[0]]
    }

    #[test]
    fn the_colours_of_the_standard_have_the_values_of_the_standard() {
        // Colour bars at full brightness, by ITU-R BT.709-6, items 3.2 to 3.5.
        assert_eq!(of([255, 255, 255]), [235, 128, 128]);
        assert_eq!(of([0, 0, 0]), [16, 128, 128]);
        assert_eq!(of([255, 0, 0]), [63, 102, 240]);
        assert_eq!(of([0, 255, 0]), [173, 42, 26]);
        assert_eq!(of([0, 0, 255]), [32, 240, 118]);
        for grey in 0..=255 {
            assert_eq!(of([grey; 3])[1..], [128, 128]);
        }
    }

    #[test]
    fn odd_sizes_repeat_their_edge() {
        let mut yuv = Yuv::new([3, 1]);
        assert_eq!(yuv.dimensions(), (4, 2));
        let (black, white) = ([0; 3], [255; 3]);
        yuv.fill([black, black, white].as_flattened(), [3, 1]);
        assert_eq!(yuv.y, [16, 16, 235, 235, 16, 16, 235, 235]);
        assert_eq!((&yuv.u[..], &yuv.v[..]), (&[128; 2][..], &[128; 2][..]));
    }

    #[test]
    fn colour_lies_on_the_left_column() {
        let mut yuv = Yuv::new([4, 2]);
        let (grey, red) = ([0; 3], [255, 0, 0]);
        let row = [grey, red, grey, grey];
        yuv.fill([row, row].as_flattened().as_flattened(), [4, 2]);
        // A quarter of the red column each.
        assert_eq!(yuv.v, [156, 156]);
    }
}
