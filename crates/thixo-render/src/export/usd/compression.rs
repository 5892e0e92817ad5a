//! The compressed form of the tables of a crate file, without the effort: they are small.

/// Bytes as a block of LZ4 that is one run of literals, with its size before it.
pub fn packed(bytes: &[u8]) -> Vec<u8> {
    // The first byte says that there is one block only; the second begins a run.
    let mut block = vec![0, (bytes.len().min(15) as u8) << 4];
    if let Some(mut more) = bytes.len().checked_sub(15) {
        while more >= 255 {
            block.push(255);
            more -= 255;
        }
        block.push(more as u8);
    }
    block.extend(bytes);
    [&(block.len() as u64).to_le_bytes()[..], &block].concat()
}

/// Whole numbers as differences from one to the next, each in as many bytes as it needs: the
/// commonest difference, two bits per number that say how many bytes it has, and the bytes.
pub fn packed_integers(numbers: impl Iterator<Item = i32>) -> Vec<u8> {
    const COMMONEST: i32 = 1;
    let mut last = 0i32;
    let (mut sizes, mut differences) = (Vec::new(), Vec::new());
    for (k, number) in numbers.enumerate() {
        let difference = number.wrapping_sub(last);
        last = number;
        let size = if difference == COMMONEST {
            0
        } else if let Ok(small) = i8::try_from(difference) {
            differences.extend(small.to_le_bytes());
            1
        } else if let Ok(middle) = i16::try_from(difference) {
            differences.extend(middle.to_le_bytes());
            2
        } else {
            differences.extend(difference.to_le_bytes());
            3
        };
        if k % 4 == 0 {
            sizes.push(0u8);
        }
        if let Some(sizes) = sizes.last_mut() {
            *sizes |= size << (2 * (k % 4));
        }
    }
    packed(&[&COMMONEST.to_le_bytes()[..], &sizes, &differences].concat())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_of_literals_says_its_length() {
        assert_eq!(packed(b"abc"), *b"\x05\0\0\0\0\0\0\0\0\x30abc");
        let long = packed(&[7; 300]);
        assert_eq!(long[8..12], [0, 0xf0, 255, 30]);
        assert_eq!(long.len(), 8 + 4 + 300);
    }

    #[test]
    fn differences_take_the_bytes_they_need() {
        let bytes = packed_integers([1, 2, 1, 300, -70_000].into_iter());
        // Size, one block, a run of 14: 1; 0, 0, 1 byte, 2 bytes, 4 bytes.
        let body = [&1i32.to_le_bytes()[..], &[0b1001_0000, 0b11], &[255]].concat();
        let rest = [&299i16.to_le_bytes()[..], &(-70_300i32).to_le_bytes()].concat();
        assert_eq!(bytes[10..], [body, rest].concat());
    }
}
