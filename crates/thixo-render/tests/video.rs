//! Videos and animations, read again by programs that did not write them.

#![allow(clippy::unwrap_used)] // a test may stop where its input is wrong

use std::fs;
use std::path::{Path, PathBuf};

use openh264::decoder::Decoder;
use openh264::formats::YUVSource;
use re_mp4::{Mp4, StsdBoxContent, TrackKind};
use thixo_math::Vector;
use thixo_render::apng::Animation;
use thixo_render::contact_sheet::ContactSheet;
use thixo_render::picture_writer::{Outputs, PictureWriter, QueuedPicture};
use thixo_render::video::{Quality, Video};
use thixo_render::{Picture, from_srgb};
use zune_png::PngDecoder;

const RED: [u8; 3] = [200, 30, 40];

fn place(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&path);
    fs::create_dir_all(&path).unwrap();
    path
}

/// A red square that moves to the right and down over a sky that brightens upwards.
fn picture([width, height]: [usize; 2], k: usize) -> Picture {
    let mut picture = Picture::filled(width, height, Vector([0.0; 3]));
    for y in 0..height {
        let share = y as f32 / height as f32;
        picture.fill([0, y], [width, 1], Vector([0.6 - 0.5 * share, 0.6, 0.8]));
    }
    let side = height / 3;
    picture.fill([5 + 3 * k, 4 + k], [side, side], from_srgb(RED));
    picture
}

fn video(path: &Path, size: [usize; 2], pictures: usize, quality: Quality) {
    let mut video = Video::create(path, size, quality, 24.0).unwrap();
    for k in 0..pictures {
        let picture = picture(size, k);
        video.add(&picture, &picture.to_srgb(), 3750).unwrap();
    }
    video.finish().unwrap();
}

/// Bytes of red, green and blue of a decoded picture, by ITU-R BT.709 in its limited range.
fn rgb(decoded: &impl YUVSource) -> Vec<[f64; 3]> {
    let ((width, height), (stride, half, _)) = (decoded.dimensions(), decoded.strides());
    let mut pixels = Vec::new();
    for k in 0..width * height {
        let (x, y) = (k % width, k / width);
        let at = y / 2 * half + x / 2;
        let luma = (f64::from(decoded.y()[y * stride + x]) - 16.0) / 219.0;
        let blue = (f64::from(decoded.u()[at]) - 128.0) / 224.0;
        let red = (f64::from(decoded.v()[at]) - 128.0) / 224.0;
        let [r, b] = [luma + 1.5748 * red, luma + 1.8556 * blue];
        let g = (luma - 0.2126 * r - 0.0722 * b) / 0.7152;
        pixels.push([r, g, b].map(|x| x * 255.0));
    }
    pixels
}

/// Size and pixels of all pictures of a file.
fn decoded(path: &Path) -> Vec<([usize; 2], Vec<[f64; 3]>)> {
    let (file, bytes) = Mp4::read_file(path).unwrap();
    let track = file.tracks().values().next().unwrap();
    let StsdBoxContent::Avc1(avc1) = &track.trak(&file).mdia.minf.stbl.stsd.contents else {
        panic!("H.264");
    };
    let start = [0, 0, 0, 1];
    let mut stream = Vec::new();
    let parameters = &avc1.avcc.contents;
    let sets = parameters.sequence_parameter_sets.iter();
    for set in sets.chain(&parameters.picture_parameter_sets) {
        stream.extend(start);
        stream.extend(&set.bytes);
    }
    let mut decoder = Decoder::new().unwrap();
    let mut pictures = Vec::new();
    for sample in &track.samples {
        let mut units = &bytes[sample.byte_range()];
        while let Some((length, rest)) = units.split_first_chunk() {
            let (unit, rest) = rest.split_at(u32::from_be_bytes(*length) as usize);
            stream.extend(start);
            stream.extend(unit);
            units = rest;
        }
        if let Some(picture) = decoder.decode(&stream).unwrap() {
            let (width, height) = picture.dimensions();
            pictures.push(([width, height], rgb(&picture)));
        }
        stream.clear();
    }
    for picture in decoder.flush_remaining().unwrap() {
        let (width, height) = picture.dimensions();
        pictures.push(([width, height], rgb(&picture)));
    }
    pictures
}

#[test]
fn other_readers_find_size_times_and_pixels_of_a_video() {
    let path = place("video").join("video.mp4");
    let (size, count) = ([160, 90], 60);
    video(&path, size, count, Quality::High);
    let (file, bytes) = Mp4::read_file(&path).unwrap();
    // The index comes before the pictures, so that browsers need not fetch them all.
    let find = |kind: &[u8]| bytes.windows(4).position(|w| w == kind).unwrap();
    assert!(find(b"moov") < find(b"mdat"));
    let tracks: Vec<_> = file.tracks().values().collect();
    let [track] = tracks[..] else {
        panic!("one track");
    };
    assert_eq!(track.kind, Some(TrackKind::Video));
    assert_eq!((track.width, track.height), (160, 90));
    assert_eq!(track.samples.len(), count);
    assert_eq!((track.timescale, track.duration), (90_000, 60 * 3750));
    assert!(track.samples.iter().all(|s| s.duration == 3750));
    assert!(track.codec_string(&file).unwrap().starts_with("avc1.42"));
    // One can jump into it every two seconds.
    let keys: Vec<usize> = (0..count).filter(|k| track.samples[*k].is_sync).collect();
    assert_eq!(keys, [0, 48]);
    let last = track.samples.last().unwrap().byte_range();
    assert_eq!(last.end, bytes.len());
    let pictures = decoded(&path);
    assert_eq!(pictures.len(), count);
    for (k, (found, pixels)) in pictures.iter().enumerate() {
        assert_eq!(*found, size);
        let drawn = picture(size, k).to_srgb();
        let mut difference = 0.0;
        for (a, b) in drawn.as_chunks::<3>().0.iter().zip(pixels) {
            difference += (0..3).map(|c| (f64::from(a[c]) - b[c]).abs()).sum::<f64>();
        }
        let mean = difference / drawn.len() as f64;
        assert!(mean < 2.5, "picture {k}: mean difference {mean} of 255");
        // The middle of the square is red, and what it left is sky again.
        let at = |x: usize, y: usize| pixels[y * size[0] + x];
        let near = |a: f64, b: u8| (a - f64::from(b)).abs() < 12.0;
        if 5 + 3 * k + 30 < 160 {
            let [r, g, b] = at(5 + 3 * k + 15, 4 + k + 15);
            assert!(
                near(r, RED[0]) && near(g, RED[1]) && near(b, RED[2]),
                "{r} {g} {b}"
            );
        }
        if k > 20 {
            let [r, _, b] = at(8, 20);
            assert!(b > r, "picture {k}");
        }
    }
}

#[test]
fn colours_are_announced_and_bytes_are_the_same_every_time() {
    let place = place("video-same");
    let [a, b] = ["a.mp4", "b.mp4"].map(|name| place.join(name));
    video(&a, [64, 48], 5, Quality::Medium);
    video(&b, [64, 48], 5, Quality::Medium);
    let bytes = fs::read(&a).unwrap();
    assert_eq!(bytes, fs::read(&b).unwrap());
    // Primaries and matrix of BT.709, the curve of sRGB, limited range.
    let colors = b"colrnclx\0\x01\0\x0d\0\x01\0";
    assert!(bytes.windows(colors.len()).any(|w| w == colors));
    let names: Vec<_> = fs::read_dir(&place).unwrap().collect();
    assert_eq!(names.len(), 2, "{names:?}");
}

#[test]
fn better_videos_are_larger() {
    let place = place("video-quality");
    let qualities = [Quality::Low, Quality::Medium, Quality::High];
    let sizes = qualities.map(|quality| {
        let path = place.join("video.mp4");
        video(&path, [160, 90], 10, quality);
        fs::metadata(&path).unwrap().len()
    });
    assert!(sizes[0] < sizes[1] && sizes[1] < sizes[2], "{sizes:?}");
}

#[test]
fn odd_sizes_become_even_and_single_pictures_have_their_time() {
    let place = place("video-odd");
    for size in [[161, 91], [16, 16], [17, 240], [641, 359]] {
        let path = place.join(format!("{}x{}.mp4", size[0], size[1]));
        video(&path, size, 1, Quality::Medium);
        let (file, _) = Mp4::read_file(&path).unwrap();
        let track = file.tracks().values().next().unwrap();
        let even = size.map(|n| n.next_multiple_of(2));
        assert_eq!([track.width, track.height].map(usize::from), even);
        assert_eq!(track.duration, 3750);
        let pictures = decoded(&path);
        assert_eq!(pictures.len(), 1);
        assert_eq!(pictures[0].0, even);
    }
}

#[test]
fn a_video_that_nobody_finished_does_not_exist() {
    let place = place("video-unfinished");
    let path = place.join("video.mp4");
    let sheet = place.join("contact.png");
    let file = place.join("frame_00000.png");
    let outputs = Outputs::default()
        .with_video(Video::create(&path, [64, 48], Quality::Low, 24.0).unwrap())
        .with_animation(Animation::create(&place.join("a.png"), [64, 48], 2).unwrap())
        .with_sheet(ContactSheet::new(2, [64, 48], 64), &sheet);
    let mut writer = PictureWriter::start(outputs).unwrap();
    let queued = QueuedPicture {
        picture: picture([64, 48], 0),
        file: Some(file.clone()),
        ticks: Some(3750),
        caption: Some("frame 0".to_owned()),
    };
    writer.add(queued).unwrap();
    drop(writer);
    let left: Vec<_> = fs::read_dir(&place).unwrap().collect();
    assert_eq!(left.len(), 1, "{left:?}");
    assert!(file.exists());
}

#[test]
fn what_cannot_be_written_is_said_with_its_name() {
    let place = place("video-nowhere");
    let path = place.join("gone/video.mp4");
    let error = Video::create(&path, [64, 48], Quality::Low, 24.0)
        .err()
        .unwrap();
    assert!(error.to_string().contains("gone/video.mp4"), "{error}");
    let mut writer = PictureWriter::start(Outputs::default()).unwrap();
    let queued = QueuedPicture {
        picture: picture([64, 48], 0),
        file: Some(place.join("gone/frame_00000.png")),
        ticks: None,
        caption: None,
    };
    // The thread tells when it is asked next.
    let outcome = writer.add(queued).and_then(|()| writer.finish());
    let error = outcome.unwrap_err().to_string();
    assert!(error.contains("gone/frame_00000.png"), "{error}");
}

#[test]
fn another_reader_finds_times_and_exact_pixels_of_an_animation() {
    let path = place("animation").join("animation.png");
    let (size, ticks) = ([75, 51], [3750, 1500, 1530, 90_000]);
    let mut animation = Animation::create(&path, size, 4).unwrap();
    let pictures: Vec<Vec<u8>> = [0, 1, 1, 6].map(|k| picture(size, k).to_srgb()).into();
    for (k, ticks) in [0, 1, 1, 6].into_iter().zip(ticks) {
        let picture = picture(size, k);
        animation.add(&picture, &picture.to_srgb(), ticks).unwrap();
    }
    animation.finish().unwrap();
    let bytes = fs::read(&path).unwrap();
    let mut decoder = PngDecoder::new(std::io::Cursor::new(&bytes));
    decoder.decode_headers().unwrap();
    assert!(decoder.is_animated());
    assert_eq!(decoder.dimensions(), Some((75, 51)));
    let mut canvas = vec![0; 3 * 75 * 51];
    let mut shown = 0;
    let mut sizes = Vec::new();
    while decoder.more_frames() {
        decoder.decode_headers().unwrap();
        let frame = decoder.frame_info().unwrap();
        let pixels = decoder.decode_raw().unwrap();
        let (numerator, denominator) = (frame.delay_num, frame.delay_denom);
        let expected = f64::from(ticks[shown]) / 90_000.0;
        let delay = f64::from(numerator) / f64::from(denominator);
        assert!((delay - expected).abs() < 1e-9, "{delay} {expected}");
        for y in 0..frame.height {
            let from = &pixels[3 * y * frame.width..][..3 * frame.width];
            let at = 3 * ((frame.y_offset + y) * 75 + frame.x_offset);
            canvas[at..at + from.len()].copy_from_slice(from);
        }
        assert_eq!(canvas, pictures[shown], "picture {shown}");
        sizes.push([frame.width, frame.height]);
        shown += 1;
    }
    assert_eq!(shown, 4);
    // Only what changes is stored: the square and where it was.
    assert_eq!(sizes, [[75, 51], [20, 18], [1, 1], [32, 22]]);
}
