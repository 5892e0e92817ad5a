//! `--camera "position=3,1,2 target=0,0.5,0 fov=30 orbit=45"` or `--camera top`: where to look
//! from.

use std::str::FromStr;

use thixo_scene::{CameraChoice, NamedView};

/// The camera as given on the command line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CameraArgument(CameraChoice);

impl CameraArgument {
    /// Puts what was said in the place of what there is, if it fits a scene of a dimension.
    pub fn change(&self, camera: &mut CameraChoice, dimension: usize) -> Result<(), String> {
        let said = self.0.clone();
        for (key, place) in [("position", &said.position), ("target", &said.target)] {
            if let Some(place) = place
                && place.len() != dimension
            {
                let example = ["1", "2", "0.5"][..dimension.min(3)].join(",");
                return Err(format!(
                    "{key} has {} coordinates where this {dimension}D scene needs {dimension}: {key}={example}",
                    place.len()
                ));
            }
        }
        // A side and a place exclude each other.
        if said.view.is_some() {
            camera.position = None;
        }
        if said.position.is_some() {
            camera.view = None;
        }
        camera.view = said.view.or(camera.view);
        camera.position = said.position.or(camera.position.take());
        camera.target = said.target.or(camera.target.take());
        camera.field_of_view = said.field_of_view.or(camera.field_of_view);
        camera.height = said.height.or(camera.height);
        if said.orbit != 0.0 {
            camera.orbit = said.orbit;
        }
        match &camera.position {
            // The one may come from the scene, and the other not.
            Some(position) if camera.target.as_ref() == Some(position) => {
                Err("position and target must not be the same".to_owned())
            }
            _ => Ok(()),
        }
    }
}

impl FromStr for CameraArgument {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut camera = CameraChoice::default();
        for part in text.split_whitespace() {
            let keys = "position=X,Y,Z, target=X,Y,Z, fov=DEGREES, orbit=DEGREES/S or height=M";
            let named = NamedView::ALL.iter().find(|(name, _)| *name == part);
            if let Some((_, view)) = named {
                camera.view = Some(*view);
                continue;
            }
            let Some((key, value)) = part.split_once('=') else {
                let names = NamedView::ALL.map(|(name, _)| name).join(", ");
                return Err(format!(
                    "\"{part}\" is none of {names}, nor of the form {keys}"
                ));
            };
            match key {
                "position" => camera.position = Some(place(key, value)?),
                "target" => camera.target = Some(place(key, value)?),
                "fov" => camera.field_of_view = Some(within(key, value, 1.0, 120.0)?),
                "height" => camera.height = Some(within(key, value, f64::MIN_POSITIVE, 1e12)?),
                "orbit" => camera.orbit = within(key, value, -1e6, 1e6)?,
                _ => return Err(format!("there is no \"{key}\"; there are {keys}")),
            }
        }
        if camera.position.is_some() && camera.position == camera.target {
            return Err("position and target must not be the same".to_owned());
        }
        if camera.position.is_some() && camera.view.is_some() {
            return Err("a position and the name of a view exclude each other".to_owned());
        }
        Ok(Self(camera))
    }
}

pub(super) fn number(key: &str, text: &str) -> Result<f64, String> {
    let parsed = text.trim().parse::<f64>().ok().filter(|x| x.is_finite());
    parsed.ok_or_else(|| format!("{key}: \"{text}\" is no number"))
}

fn within(key: &str, text: &str, low: f64, high: f64) -> Result<f64, String> {
    let value = number(key, text)?;
    match (low..=high).contains(&value) {
        true => Ok(value),
        false => Err(format!("{key}: {value} is not within {low} to {high}")),
    }
}

pub(super) fn place(key: &str, text: &str) -> Result<Vec<f64>, String> {
    let place: Vec<f64> = text
        .split(',')
        .map(|part| number(key, part))
        .collect::<Result<_, _>>()?;
    match place.len() {
        2 | 3 => Ok(place),
        other => Err(format!(
            "{key}: {other} coordinates where 3 (2 in 2D) are needed"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_read_in_any_order_and_leave_others_as_they_are() {
        let said: CameraArgument = "fov=40 position=1,2,3".parse().unwrap();
        let mut camera = CameraChoice::default();
        camera.orbit = 5.0;
        camera.field_of_view = Some(10.0);
        said.change(&mut camera, 3).unwrap();
        assert_eq!(camera.position, Some(vec![1.0, 2.0, 3.0]));
        assert_eq!((camera.field_of_view, camera.orbit), (Some(40.0), 5.0));
        let side: CameraArgument = "side orbit=3".parse().unwrap();
        side.change(&mut camera, 3).unwrap();
        assert_eq!(camera.view, Some(NamedView::Side));
        assert_eq!((camera.position.clone(), camera.orbit), (None, 3.0));
        for wrong in [
            "fov=0",
            "sideways",
            "top position=1,2,3",
            "fov",
            "zoom=3",
            "target=1",
            "position=1,x,2",
            "position=1,1 target=1,1",
        ] {
            assert!(wrong.parse::<CameraArgument>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn places_need_the_dimension_of_the_scene() {
        let change = |text: &str, dimension: usize| {
            let mut camera = CameraChoice::default();
            camera.target = Some(vec![1.0; dimension]);
            let said: CameraArgument = text.parse().unwrap();
            said.change(&mut camera, dimension)
        };
        assert_eq!(change("position=1,2,3", 3), Ok(()));
        assert_eq!(change("target=1,2", 2), Ok(()));
        assert_eq!(
            change("position=1,2", 3).unwrap_err(),
            "position has 2 coordinates where this 3D scene needs 3: position=1,2,0.5"
        );
        let flat = change("target=1,2,3", 2).unwrap_err();
        assert!(
            flat.contains("3 coordinates where this 2D scene needs 2"),
            "{flat}"
        );
        let same = change("position=1,1,1", 3).unwrap_err();
        assert!(same.contains("must not be the same"), "{same}");
    }
}
