//! The camera: chosen by the user, or fitted to the subject.

use thixo_math::Vector;
use thixo_scene::{CameraChoice, NamedView};

use crate::extent::Extent;
use crate::surroundings::Surroundings;
use crate::vector::{Vec3, cross};
use crate::view::{Projection, View};

/// Vertical angle of view unless told otherwise \[degrees\].
const ANGLE: f64 = 30.0;
/// Share of the picture that matter may fill along each side.
pub const FILLED: [f32; 2] = [0.86, 0.86];
/// The same where a colour bar stands at the right.
pub const FILLED_BESIDE_BAR: [f32; 2] = [0.66, 0.86];
/// Directions from which a scene may be seen, the first one that no wall hides: azimuth from the
/// front \[degrees\].
const AZIMUTHS: [f32; 8] = [28.0, -28.0, 62.0, -62.0, 118.0, -118.0, 152.0, -152.0];
/// Elevation of the camera above the horizon \[degrees\].
const ELEVATION: f32 = 17.0;

/// A camera that may turn about its target.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Camera {
    /// Sees a plane scene along its third axis.
    Flat {
        /// Point in the centre of the picture \[m\].
        target: Vec3,
        /// Height of what is seen \[m\].
        height: f32,
    },
    /// Stands in space.
    Space {
        /// Position at the start \[m\].
        eye: Vec3,
        /// Point in the centre of the picture \[m\].
        target: Vec3,
        /// The axis that points upwards.
        up: usize,
        /// Vertical angle of view \[rad\].
        angle: f32,
        /// Turn about the upright through the target \[rad/s\].
        orbit: f32,
    },
}

/// Subject that a camera is fitted to.
#[derive(Clone, Copy, Debug)]
pub struct Subject<'a> {
    /// The box around the matter of all frames, and obstacles near it.
    pub extent: Extent,
    /// Obstacles that may hide it.
    pub surroundings: &'a Surroundings,
    /// The axis that points upwards.
    pub up: usize,
    /// Pixels of the picture.
    pub size: [usize; 2],
    /// Share of the picture that the subject may fill along each side.
    pub filled: [f32; 2],
}

impl Camera {
    /// Fits a camera to a plane scene where nothing is chosen.
    pub fn flat(choice: &CameraChoice, subject: Subject<'_>) -> Self {
        let sides = subject.extent.max - subject.extent.min;
        let aspect = subject.size[0] as f32 / subject.size[1] as f32;
        let [wide, tall] = subject.filled;
        let fitted = (sides[1] / tall).max(sides[0] / aspect / wide);
        Self::Flat {
            target: place(choice.target.as_deref()).unwrap_or(subject.extent.middle()),
            height: choice.height.map_or(fitted, |height| height as f32),
        }
    }

    /// Fits a camera to a scene in space where nothing is chosen.
    pub fn space(choice: &CameraChoice, subject: Subject<'_>) -> Self {
        let angle = choice.field_of_view.unwrap_or(ANGLE).to_radians() as f32;
        let target = place(choice.target.as_deref()).unwrap_or(subject.extent.middle());
        let orbit = choice.orbit.to_radians() as f32;
        let up = subject.up;
        let camera = |eye: Vec3| Self::Space {
            eye,
            target,
            up,
            angle,
            orbit,
        };
        if let Some(eye) = place(choice.position.as_deref()) {
            return camera(eye);
        }
        let named = match choice.view {
            Some(NamedView::Front) => Some([0.0, 0.0]),
            Some(NamedView::Side) => Some([90.0, 0.0]),
            Some(NamedView::Back) => Some([180.0, 0.0]),
            Some(NamedView::Left) => Some([-90.0, 0.0]),
            Some(NamedView::Top) => Some([0.0, 90.0]),
            Some(NamedView::ThreeQuarter) | None => None,
        };
        if let Some(angles) = named {
            return camera(fitted_eye(angles, camera, target, subject));
        }
        let fitted =
            AZIMUTHS.map(|azimuth| fitted_eye([azimuth, ELEVATION], camera, target, subject));
        let hidden = |eye: &Vec3| subject.surroundings.covering(*eye, 0.0);
        let mut best = fitted[0];
        for eye in fitted {
            if hidden(&eye) < hidden(&best) {
                best = eye;
            }
        }
        camera(best)
    }

    /// View at a time \[s\].
    pub fn view(&self, size: [usize; 2], time: f64) -> View {
        match *self {
            Self::Flat { target, height } => {
                let scale = size[1] as f32 / height;
                // Depths are positive: in front of all discs.
                let eye = target + Vector([0.0, 0.0, height * 4.0]);
                let up = Vector([0.0, 1.0, 0.0]);
                let flat = Vector([eye[0], eye[1], 0.0]);
                View::looking(eye, flat, up, Projection::Orthographic(scale), size)
            }
            Self::Space {
                eye,
                target,
                up,
                angle,
                orbit,
            } => {
                let axis = axis(up);
                let turn = (f64::from(orbit) * time) as f32;
                let from = eye - target;
                let along = axis * from.dot(axis);
                let across = from - along;
                let turned = across * turn.cos() + cross(axis, across) * turn.sin();
                let focal = 0.5 * size[1] as f32 / (0.5 * angle).tan();
                let projection = Projection::Perspective(focal);
                View::looking(target + along + turned, target, axis, projection, size)
            }
        }
    }
}

/// The nearest place in a direction, given by azimuth and elevation \[degrees\], from which the
/// whole subject is seen.
fn fitted_eye(
    [azimuth, elevation]: [f32; 2],
    camera: impl Fn(Vec3) -> Camera,
    target: Vec3,
    subject: Subject<'_>,
) -> Vec3 {
    let (sine, cosine) = azimuth.to_radians().sin_cos();
    let (rise, level) = elevation.to_radians().sin_cos();
    let mut direction = Vec3::zero();
    // y up: seen from +z. z up: from −y. x up: from +z.
    let (across, front, sign) = match subject.up {
        2 => (0, 1, -1.0),
        0 => (1, 2, 1.0),
        _ => (0, 2, 1.0),
    };
    direction[across] = level * sine;
    direction[front] = sign * level * cosine;
    direction[subject.up] = rise;
    let size = subject.extent.diagonal();
    let fits = |distance: f32| {
        let view = camera(target + direction * distance).view(subject.size, 0.0);
        subject.extent.corners().into_iter().all(|corner| {
            view.project(corner).is_some_and(|([x, y, _], _)| {
                let inside = |x: f32, a: usize| {
                    (x / subject.size[a] as f32 - 0.5).abs() < 0.5 * subject.filled[a]
                };
                inside(x, 0) && inside(y, 1)
            })
        })
    };
    let (mut near, mut far) = (0.0, 64.0 * size);
    for _ in 0..40 {
        let middle = 0.5 * (near + far);
        if fits(middle) {
            far = middle;
        } else {
            near = middle;
        }
    }
    target + direction * far
}

/// The unit vector along an axis.
pub fn axis(index: usize) -> Vec3 {
    let mut axis = Vec3::zero();
    axis[index.min(2)] = 1.0;
    axis
}

/// Two or three coordinates as a place.
fn place(coordinates: Option<&[f64]>) -> Option<Vec3> {
    match coordinates? {
        [x, y] => Some(Vector([*x as f32, *y as f32, 0.0])),
        [x, y, z] => Some(Vector([*x as f32, *y as f32, *z as f32])),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::surroundings::Plane;

    fn subject(surroundings: &Surroundings) -> Subject<'_> {
        Subject {
            extent: Extent {
                min: Vector([-1.0, 0.0, -0.5]),
                max: Vector([2.0, 1.0, 0.5]),
            },
            surroundings,
            up: 1,
            size: [320, 180],
            filled: FILLED,
        }
    }

    #[test]
    fn everything_is_seen_and_nearly_fills_the_picture() {
        let surroundings = Surroundings::default();
        let subject = subject(&surroundings);
        let flat = Camera::flat(&CameraChoice::default(), subject);
        let space = Camera::space(&CameraChoice::default(), subject);
        for camera in [flat, space] {
            let view = camera.view(subject.size, 0.0);
            let corners = subject.extent.corners();
            let places = corners.map(|corner| view.project(corner).unwrap().0);
            let inside =
                |p: &[f32; 3]| (0.0..320.0).contains(&p[0]) && (0.0..180.0).contains(&p[1]);
            assert!(places.iter().all(inside), "{places:?}");
            let width = |a: usize| {
                let all = places.iter().map(|p| p[a]);
                all.clone().fold(f32::MIN, f32::max) - all.fold(f32::MAX, f32::min)
            };
            assert!(width(0) > 200.0 || width(1) > 110.0, "{places:?}");
        }
    }

    #[test]
    fn the_camera_does_not_stand_behind_a_wall() {
        let surroundings = Surroundings {
            walls: vec![Plane {
                axis: 0,
                position: 2.0,
                side: -1.0,
            }],
            ..Surroundings::default()
        };
        let Camera::Space { eye, .. } =
            Camera::space(&CameraChoice::default(), subject(&surroundings))
        else {
            panic!("a camera in space");
        };
        assert!(eye[0] < 2.0, "{eye:?}");
    }

    #[test]
    fn an_orbit_keeps_distance_and_height() {
        let mut choice = CameraChoice::default();
        choice.position = Some(vec![4.0, 2.0, 0.0]);
        choice.target = Some(vec![1.0, 0.5, 0.0]);
        choice.orbit = 90.0;
        let surroundings = Surroundings::default();
        let view = Camera::space(&choice, subject(&surroundings)).view([320, 180], 1.0);
        assert!(
            (view.eye - Vector([1.0, 2.0, -3.0])).norm() < 1e-5,
            "{view:?}"
        );
        let ([x, y, _], _) = view.project(Vector([1.0, 0.5, 0.0])).unwrap();
        assert!((x - 160.0).abs() < 1e-2 && (y - 90.0).abs() < 1e-2);
    }

    #[test]
    fn named_views_look_from_where_they_say() {
        let surroundings = Surroundings::default();
        let axes = |view: NamedView| {
            let mut choice = CameraChoice::default();
            choice.view = Some(view);
            Camera::space(&choice, subject(&surroundings))
                .view([640, 360], 0.0)
                .axes
        };
        let close = |a: Vec3, b: [f32; 3]| (a - Vector(b)).norm() < 1e-3;
        let [right, up, forward] = axes(NamedView::Front);
        assert!(close(forward, [0.0, 0.0, -1.0]) && close(right, [1.0, 0.0, 0.0]));
        assert!(close(up, [0.0, 1.0, 0.0]));
        assert!(close(axes(NamedView::Back)[2], [0.0, 0.0, 1.0]));
        assert!(close(axes(NamedView::Side)[2], [-1.0, 0.0, 0.0]));
        assert!(close(axes(NamedView::Left)[2], [1.0, 0.0, 0.0]));
        let [right, up, forward] = axes(NamedView::Top);
        assert!(close(forward, [0.0, -1.0, 0.0]) && close(right, [1.0, 0.0, 0.0]));
        assert!(close(up, [0.0, 0.0, -1.0]));
    }
}
