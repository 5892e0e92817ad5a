//! A sheet as SVG 1.1: text stays text, lines have their names.

use std::fmt::Write;

use super::Ink;
use super::marks::{Anchor, Mark, Sheet, TextDirection};
use crate::text::{RAISED_BY, RAISED_SIZE, Weight, spans};

impl Sheet {
    /// The sheet as the text of an SVG file.
    pub fn to_svg(&self) -> String {
        let [width, height] = self.size.map(short);
        let mut out = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" font-family=\"Roboto, Helvetica, Arial, sans-serif\">\n\
             <rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        for mark in &self.marks {
            // Writing to a string cannot fail.
            let _ = match mark {
                Mark::Line {
                    name,
                    points,
                    ink,
                    width,
                    dashes,
                } => line(&mut out, name, points, (*ink, *width, dashes)),
                Mark::Dot {
                    name,
                    at: [x, y],
                    ink,
                    radius,
                } => writeln!(
                    out,
                    "<circle class=\"series\" cx=\"{}\" cy=\"{}\" r=\"{}\" fill=\"{}\"><title>{}</title></circle>",
                    short(*x),
                    short(*y),
                    short(*radius),
                    hex(*ink),
                    escaped(name)
                ),
                Mark::Text {
                    text,
                    at,
                    anchor,
                    size,
                    ink,
                    weight,
                    direction,
                } => {
                    let anchor = match anchor {
                        Anchor::Start => "start",
                        Anchor::Middle => "middle",
                        Anchor::End => "end",
                    };
                    let weight = match weight {
                        Weight::Regular => "",
                        Weight::Medium => " font-weight=\"500\"",
                    };
                    let [x, y] = at.map(short);
                    let place = match direction {
                        TextDirection::Right => format!("x=\"{x}\" y=\"{y}\""),
                        TextDirection::Up => {
                            format!("transform=\"translate({x} {y}) rotate(-90)\"")
                        }
                    };
                    writeln!(
                        out,
                        "<text {place} font-size=\"{}\"{weight} text-anchor=\"{anchor}\" fill=\"{}\">{}</text>",
                        short(*size),
                        hex(*ink),
                        rich(text, *size)
                    )
                }
            };
        }
        out.push_str("</svg>\n");
        out
    }
}

fn line(
    out: &mut String,
    name: &str,
    points: &[[f64; 2]],
    (ink, width, dashes): (Ink, f64, &[f64]),
) -> std::fmt::Result {
    let mut path = String::new();
    for (k, [x, y]) in points.iter().enumerate() {
        let command = if k == 0 { "M" } else { "L" };
        write!(path, "{command}{} {}", short(*x), short(*y))?;
    }
    let class = if name.is_empty() {
        ""
    } else {
        " class=\"series\""
    };
    let dashes = match dashes {
        [] => String::new(),
        dashes => {
            let lengths: Vec<String> = dashes.iter().map(|length| short(*length)).collect();
            format!(" stroke-dasharray=\"{}\"", lengths.join(" "))
        }
    };
    let title = match name {
        "" => String::new(),
        name => format!("<title>{}</title>", escaped(name)),
    };
    writeln!(
        out,
        "<path{class} d=\"{path}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{}\" stroke-linejoin=\"round\" stroke-linecap=\"butt\"{dashes}>{title}</path>",
        hex(ink),
        short(width)
    )
}

/// A text with its raised parts.
fn rich(text: &str, size: f64) -> String {
    let mut out = String::new();
    let mut is_up = false;
    for span in spans(text) {
        let text = escaped(span.text);
        let shift = match (is_up, span.is_raised) {
            (false, true) => -RAISED_BY * size,
            (true, false) => RAISED_BY * size,
            _ => 0.0,
        };
        is_up = span.is_raised;
        if shift == 0.0 && !span.is_raised {
            out.push_str(&text);
            continue;
        }
        let size = if span.is_raised {
            RAISED_SIZE * size
        } else {
            size
        };
        let (shift, size) = (short(shift), short(size));
        out.push_str(&format!(
            "<tspan dy=\"{shift}\" font-size=\"{size}\">{text}</tspan>"
        ));
    }
    out
}

/// A length with two digits at most.
fn short(x: f64) -> String {
    let text = format!("{x:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0" } else { text }.to_owned()
}

fn hex([r, g, b]: Ink) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// A text without what means something else in XML.
fn escaped(text: &str) -> String {
    let mut out = String::new();
    for letter in text.chars() {
        match letter {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            letter if letter.is_control() => out.push(' '),
            letter => out.push(letter),
        }
    }
    out
}
