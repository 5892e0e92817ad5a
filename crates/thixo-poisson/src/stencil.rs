//! The faces of the cells of one colour of a piece: their conductances, and the values behind them.

use crate::rows::Piece;

/// Conductance of a face and value in the cell behind it, for each pair of a piece.
pub(crate) type Face<'a, T> = (&'a [T], &'a [T]);

/// The two faces along each axis; in two dimensions the last two entries repeat the first ones and
/// are not to be used.
pub(crate) type Faces<'a, T> = [Face<'a, T>; 6];

/// The faces of a piece's cells of a colour, given the conductances of both colours and the values
/// of the other colour.
#[inline(always)]
pub(crate) fn faces<'a, T, const D: usize>(
    piece: &Piece<D>,
    color: usize,
    upper: &'a [[Vec<T>; D]; 2],
    other: &'a [T],
) -> Faces<'a, T> {
    let (i, n) = (piece.first as usize, piece.pairs as usize);
    let (k, k_other) = (&upper[color], &upper[1 - color]);
    let z = D - 1;
    // Along the row: the other cell of the pair, and one of the pair before or after.
    let row = if piece.even as usize == color {
        [
            (&k[z][i..i + n], &other[i..i + n]),
            (&k_other[z][i - 1..i - 1 + n], &other[i - 1..i - 1 + n]),
        ]
    } else {
        [
            (&k_other[z][i..i + n], &other[i..i + n]),
            (&k[z][i..i + n], &other[i + 1..i + 1 + n]),
        ]
    };
    let beside = |a: usize| {
        let (upper, lower) = (piece.upper[a] as usize, piece.lower[a] as usize);
        [
            (&k[a][i..i + n], &other[upper..upper + n]),
            (&k_other[a][lower..lower + n], &other[lower..lower + n]),
        ]
    };
    let (x, y) = (beside(0), if D == 3 { beside(1) } else { row });
    [row[0], row[1], x[0], x[1], y[0], y[1]]
}

/// Faces cut to one length that the compiler knows to be that of the loop.
#[inline(always)]
pub(crate) fn cut<'a, T>(faces: Faces<'a, T>, n: usize) -> Faces<'a, T> {
    faces.map(|(k, values)| (&k[..n], &values[..n]))
}
