//! `--cut "point=0,0.5,0 normal=0,0,1"` and `--slice "quantity=speed normal=z at=0.5"`: views into
//! the matter.

use std::str::FromStr;

use thixo_scene::{Axis, Cut, GridQuantity, Slice};

use super::camera_argument::{number, place};

/// A plane beyond which nothing is drawn.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CutArgument(pub Cut);

/// A slice through the grid.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SliceArgument(pub Slice);

/// The parts of `key=value key=value`.
fn pairs<'a>(text: &'a str, form: &str) -> Result<Vec<(&'a str, &'a str)>, String> {
    let parts = text.split_whitespace();
    let pair = |part: &'a str| {
        let wrong = || format!("\"{part}\" is not of the form {form}");
        part.split_once('=').ok_or_else(wrong)
    };
    parts.map(pair).collect()
}

impl FromStr for CutArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "point=X,Y,Z normal=X,Y,Z";
        let (mut point, mut normal) = (None, None);
        for (key, value) in pairs(text, form)? {
            let place = place(key, value)?;
            let three = <[f64; 3]>::try_from(place);
            let three = three.map_err(|_| format!("{key}: there must be three numbers"))?;
            match key {
                "point" => point = Some(three),
                "normal" => normal = Some(three),
                _ => return Err(format!("there is no \"{key}\"; write {form}")),
            }
        }
        let (Some(point), Some(normal)) = (point, normal) else {
            return Err(format!("write {form}"));
        };
        if normal == [0.0; 3] {
            return Err("the normal must not be zero".to_owned());
        }
        Ok(Self(Cut { point, normal }))
    }
}

impl FromStr for SliceArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let form = "quantity=NAME normal=x|y|z at=M";
        let (mut quantity, mut normal, mut at) = (None, Slice::default_normal(), None);
        for (key, value) in pairs(text, form)? {
            match key {
                "quantity" => {
                    let known = GridQuantity::ALL.iter().find(|(name, _)| *name == value);
                    let names = GridQuantity::ALL.map(|(name, _)| name).join(", ");
                    let known = known.ok_or_else(|| {
                        format!("there is no quantity \"{value}\" of the grid; there are {names}")
                    });
                    quantity = Some(known?.1);
                }
                "normal" => {
                    normal = match value {
                        "x" => Axis::X,
                        "y" => Axis::Y,
                        "z" => Axis::Z,
                        _ => return Err(format!("normal: \"{value}\" is none of x, y, z")),
                    }
                }
                "at" => at = Some(number(key, value)?),
                _ => return Err(format!("there is no \"{key}\"; write {form}")),
            }
        }
        let quantity = quantity.ok_or_else(|| format!("write {form}"))?;
        Ok(Self(Slice {
            quantity,
            normal,
            at,
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_and_slices_are_read_and_nonsense_is_refused() {
        let CutArgument(cut) = "normal=0,0,1 point=1,2,3".parse().unwrap();
        assert_eq!((cut.point, cut.normal), ([1.0, 2.0, 3.0], [0.0, 0.0, 1.0]));
        for wrong in [
            "",
            "point=1,2,3",
            "point=1,2 normal=0,0,1",
            "point=0,0,0 normal=0,0,0",
        ] {
            assert!(wrong.parse::<CutArgument>().is_err(), "{wrong}");
        }
        let SliceArgument(slice) = "quantity=vx normal=x at=-0.5".parse().unwrap();
        assert_eq!((slice.quantity, slice.normal), (GridQuantity::Vx, Axis::X));
        assert_eq!(slice.at, Some(-0.5));
        let SliceArgument(slice) = "quantity=mass".parse().unwrap();
        assert_eq!((slice.normal, slice.at), (Axis::Z, None));
        for wrong in [
            "",
            "mass",
            "quantity=j",
            "quantity=mass normal=w",
            "quantity=mass at=x",
        ] {
            assert!(wrong.parse::<SliceArgument>().is_err(), "{wrong}");
        }
    }
}
