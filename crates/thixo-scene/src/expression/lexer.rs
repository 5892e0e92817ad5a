//! From characters to words and signs.

use std::ops::Range;

use super::error::{ExpressionError, ExpressionProblem};

/// A word or sign with its place in the text.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Token {
    pub(crate) kind: TokenKind,
    pub(crate) span: Range<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum TokenKind {
    Number(f64),
    Name,
    Plus,
    Minus,
    Times,
    Divide,
    Modulo,
    Power,
    Less,
    LessEqual,
    Greater,
    GreaterEqual,
    Equal,
    NotEqual,
    And,
    Or,
    /// The word `not`, weaker than comparisons.
    NotWord,
    /// The sign `!`, as strong as a minus sign.
    NotSign,
    Question,
    Colon,
    Comma,
    Open,
    Close,
    Assign,
    End,
}

/// Signs, longer ones first.
const SIGNS: [(&str, TokenKind); 25] = [
    ("**", TokenKind::Power),
    ("<=", TokenKind::LessEqual),
    (">=", TokenKind::GreaterEqual),
    ("==", TokenKind::Equal),
    ("!=", TokenKind::NotEqual),
    ("&&", TokenKind::And),
    ("||", TokenKind::Or),
    ("and", TokenKind::And),
    ("or", TokenKind::Or),
    ("not", TokenKind::NotWord),
    ("+", TokenKind::Plus),
    ("-", TokenKind::Minus),
    ("*", TokenKind::Times),
    ("/", TokenKind::Divide),
    ("%", TokenKind::Modulo),
    ("^", TokenKind::Power),
    ("<", TokenKind::Less),
    (">", TokenKind::Greater),
    ("!", TokenKind::NotSign),
    ("?", TokenKind::Question),
    (":", TokenKind::Colon),
    (",", TokenKind::Comma),
    ("(", TokenKind::Open),
    (")", TokenKind::Close),
    ("=", TokenKind::Assign),
];

/// All tokens of a text, the last one being its end.
pub(crate) fn tokens(text: &str) -> Result<Vec<Token>, ExpressionError> {
    let mut tokens = Vec::new();
    let mut start = 0;
    while let Some(first) = text[start..].chars().next() {
        let rest = &text[start..];
        let (kind, length) = if first.is_whitespace() {
            start += first.len_utf8();
            continue;
        } else if first.is_alphabetic() || first == '_' {
            let length = prefix(rest, |c| {
                c.is_alphabetic() || c.is_ascii_digit() || c == '_'
            });
            let word = SIGNS.iter().find(|(sign, _)| *sign == &rest[..length]);
            (word.map_or(TokenKind::Name, |&(_, kind)| kind), length)
        } else if first.is_ascii_digit() || first == '.' {
            number(text, start)?
        } else if let Some(&(sign, kind)) = SIGNS.iter().find(|(sign, _)| rest.starts_with(sign)) {
            (kind, sign.len())
        } else {
            let problem = ExpressionProblem::UnknownCharacter {
                character: first,
                help: replacement(first),
            };
            return Err(error(text, start..start + first.len_utf8(), problem));
        };
        let span = start..start + length;
        start = span.end;
        tokens.push(Token { kind, span });
    }
    tokens.push(Token {
        kind: TokenKind::End,
        span: text.trim_end().len()..text.len(),
    });
    Ok(tokens)
}

fn error(text: &str, span: Range<usize>, problem: ExpressionProblem) -> ExpressionError {
    let text = text.to_owned();
    ExpressionError {
        text,
        span,
        problem,
    }
}

/// Bytes of the longest beginning whose characters are all of a kind.
fn prefix(text: &str, kind: impl Fn(char) -> bool) -> usize {
    text.find(|c| !kind(c)).unwrap_or(text.len())
}

/// Digits with at most one point and an exponent.
fn number(text: &str, start: usize) -> Result<(TokenKind, usize), ExpressionError> {
    let rest = &text[start..];
    let digits = |from: usize| from + prefix(&rest[from..], |c| c.is_ascii_digit());
    let mut end = digits(0);
    if rest[end..].starts_with('.') {
        end = digits(end + 1);
    }
    if rest[end..].starts_with(['e', 'E']) {
        let sign = usize::from(rest[end + 1..].starts_with(['+', '-']));
        let exponent = digits(end + 1 + sign);
        // Without digits, the letter is a name.
        if exponent > end + 1 + sign {
            end = exponent;
        }
    }
    let whole = end + prefix(&rest[end..], |c| c.is_ascii_digit() || c == '.');
    let value = rest[..whole].parse::<f64>();
    let problem = match value {
        Ok(value) if value.is_finite() => return Ok((TokenKind::Number(value), end)),
        Ok(_) => ExpressionProblem::NumberTooLarge {
            text: rest[..whole].to_owned(),
        },
        Err(_) => ExpressionProblem::BadNumber {
            text: rest[..whole].to_owned(),
        },
    };
    Err(error(text, start..start + whole, problem))
}

/// Text to write in place of a character that word processors and other languages use.
fn replacement(character: char) -> Option<&'static str> {
    Some(match character {
        '−' | '–' | '—' => "write \"-\"",
        '×' | '·' | '∙' | '⋅' => "write \"*\"",
        '÷' => "write \"/\"",
        '≤' => "write \"<=\"",
        '≥' => "write \">=\"",
        '≠' => "write \"!=\"",
        '²' => "write \"^2\"",
        '³' => "write \"^3\"",
        '√' => "write \"sqrt(…)\"",
        '&' => "write \"and\"",
        '|' => "write \"or\", or \"abs(…)\" for the absolute value",
        '[' | ']' | '{' | '}' => "parentheses are round",
        ';' => "arguments are separated by commas",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kinds(text: &str) -> Vec<TokenKind> {
        tokens(text).unwrap().iter().map(|t| t.kind).collect()
    }

    #[test]
    fn numbers_have_points_and_exponents() {
        for (text, value) in [
            ("2", 2.0),
            ("0.5", 0.5),
            (".5", 0.5),
            ("2.", 2.0),
            ("1e3", 1000.0),
            ("1.5E-2", 0.015),
            ("2e+1", 20.0),
        ] {
            assert_eq!(kinds(text), [TokenKind::Number(value), TokenKind::End]);
        }
        for text in ["1.2.3", ".", "1..2", "1e5.5"] {
            let problem = tokens(text).unwrap_err().problem;
            assert!(matches!(problem, ExpressionProblem::BadNumber { .. }));
        }
        let problem = tokens("1e999").unwrap_err().problem;
        assert!(matches!(problem, ExpressionProblem::NumberTooLarge { .. }));
    }

    #[test]
    fn an_exponent_without_digits_is_a_name() {
        let number = TokenKind::Number(2.0);
        assert_eq!(kinds("2e"), [number, TokenKind::Name, TokenKind::End]);
    }

    #[test]
    fn words_are_read_whole() {
        assert_eq!(kinds("order"), [TokenKind::Name, TokenKind::End]);
        assert_eq!(kinds("or"), [TokenKind::Or, TokenKind::End]);
        assert_eq!(kinds("nothing"), [TokenKind::Name, TokenKind::End]);
    }
}
