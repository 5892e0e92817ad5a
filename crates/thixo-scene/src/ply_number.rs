//! Numbers of PLY files, whether these hold meshes or particles.

/// A type of number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlyNumber {
    I8,
    U8,
    I16,
    U16,
    I32,
    U32,
    F32,
    F64,
}

/// The order of the bytes of a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ByteOrder {
    LittleEndian,
    BigEndian,
}

impl PlyNumber {
    /// The type of a name: those of the format's first description, and those with numbers of bits.
    pub fn from_name(name: &[u8]) -> Option<Self> {
        Some(match name {
            b"char" | b"int8" => Self::I8,
            b"uchar" | b"uint8" => Self::U8,
            b"short" | b"int16" => Self::I16,
            b"ushort" | b"uint16" => Self::U16,
            b"int" | b"int32" => Self::I32,
            b"uint" | b"uint32" => Self::U32,
            b"float" | b"float32" => Self::F32,
            b"double" | b"float64" => Self::F64,
            _ => return None,
        })
    }

    /// Bytes of a number.
    pub fn width(self) -> usize {
        match self {
            Self::I8 | Self::U8 => 1,
            Self::I16 | Self::U16 => 2,
            Self::I32 | Self::U32 | Self::F32 => 4,
            Self::F64 => 8,
        }
    }

    /// The number that the bytes begin with; there must be enough of them.
    #[inline]
    pub fn read(self, bytes: &[u8], order: ByteOrder) -> f64 {
        fn first<const N: usize>(bytes: &[u8], order: ByteOrder) -> [u8; N] {
            let mut own = [0; N];
            own.copy_from_slice(&bytes[..N]);
            if order == ByteOrder::BigEndian {
                own.reverse();
            }
            own
        }
        match self {
            Self::I8 => f64::from(i8::from_le_bytes(first(bytes, order))),
            Self::U8 => f64::from(bytes[0]),
            Self::I16 => f64::from(i16::from_le_bytes(first(bytes, order))),
            Self::U16 => f64::from(u16::from_le_bytes(first(bytes, order))),
            Self::I32 => f64::from(i32::from_le_bytes(first(bytes, order))),
            Self::U32 => f64::from(u32::from_le_bytes(first(bytes, order))),
            Self::F32 => f64::from(f32::from_le_bytes(first(bytes, order))),
            Self::F64 => f64::from_le_bytes(first(bytes, order)),
        }
    }
}
