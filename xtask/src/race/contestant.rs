//! A program in a race: a child process that takes orders and answers in lines of JSON (see
//! `peers/README.md`).

use std::io::{BufRead as _, BufReader, Lines, Write as _};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

use anyhow::{Context as _, Result, bail, ensure};
use serde_json::Value;

use crate::workspace::line;

/// The duration of one lap.
#[derive(Clone, Copy, Debug)]
pub struct Lap {
    /// Wall time, in seconds.
    pub seconds: f64,
    /// Processor time of all threads, in seconds.
    pub cpu_seconds: f64,
}

/// The results of a program when the race was over.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// The program's name and version, as it gives them.
    pub program: String,
    /// Height of the centre of mass, in metres.
    pub com_y: f64,
    /// Kinetic energy, in joules.
    pub kinetic: f64,
}

/// A running program that is warmed up and ready.
#[derive(Debug)]
pub struct Contestant {
    name: &'static str,
    program: String,
    particles: u64,
    child: Child,
    orders: Option<ChildStdin>,
    answers: Lines<BufReader<ChildStdout>>,
}

impl Contestant {
    /// Starts a program and waits until it is ready.
    pub fn start(name: &'static str, mut command: Command) -> Result<Self> {
        let mut child = command
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .with_context(|| format!("cannot start {name}: {}", line(&command)))?;
        let orders = child.stdin.take();
        let answers = child
            .stdout
            .take()
            .context("the program has no standard output")?;
        let answers = BufReader::new(answers).lines();
        let mut this = Self {
            name,
            program: name.to_owned(),
            particles: 0,
            child,
            orders,
            answers,
        };
        let ready = this
            .answer()
            .with_context(|| format!("starting {}", line(&command)))?;
        ensure!(
            ready["ready"] == true,
            "{name} should have said that it is ready, not {ready}"
        );
        this.particles = ready["particles"]
            .as_u64()
            .with_context(|| format!("{name} does not say how many particles it has: {ready}"))?;
        if let Some(program) = ready["program"].as_str() {
            this.program = program.to_owned();
        }
        Ok(this)
    }

    /// The particles it simulates.
    pub fn particles(&self) -> u64 {
        self.particles
    }

    /// Runs the agreed number of steps.
    pub fn lap(&mut self) -> Result<Lap> {
        let orders = self.orders.as_mut().context("the race is over")?;
        // A broken pipe means that the program is gone; reading its answer tells why.
        let _ = orders.write_all(b"\n").and_then(|()| orders.flush());
        let answer = self.answer()?;
        let lap = Lap {
            seconds: self.number(&answer, "seconds")?,
            cpu_seconds: self.number(&answer, "cpu_seconds")?,
        };
        ensure!(
            lap.seconds > 0.0,
            "{} says a lap took {} s",
            self.name,
            lap.seconds
        );
        Ok(lap)
    }

    /// Ends the race and collects the result, which must be that of `total_steps` steps.
    pub fn finish(mut self, total_steps: u64) -> Result<Outcome> {
        drop(self.orders.take());
        let answer = self.answer()?;
        let outcome = Outcome {
            program: self.program.clone(),
            com_y: self.number(&answer, "com_y")?,
            kinetic: self.number(&answer, "kinetic")?,
        };
        let taken = answer["total_steps"].as_u64();
        ensure!(
            taken == Some(total_steps),
            "{} should have taken {total_steps} steps: {answer}",
            self.name
        );
        let status = self
            .child
            .wait()
            .with_context(|| format!("waiting for {}", self.name))?;
        ensure!(
            status.success(),
            "{} failed at its end: {status}",
            self.name
        );
        Ok(outcome)
    }

    /// The next line of JSON; anything else a program prints is passed on.
    fn answer(&mut self) -> Result<Value> {
        for text in &mut self.answers {
            let text = text.with_context(|| format!("reading what {} prints", self.name))?;
            if text.starts_with('{') {
                return serde_json::from_str(&text).with_context(|| {
                    format!("{} printed a line that is not JSON: {text}", self.name)
                });
            }
            eprintln!("{}: {text}", self.name);
        }
        let status = self
            .child
            .wait()
            .with_context(|| format!("waiting for {}", self.name))?;
        bail!("{} ended in the middle of the race: {status}", self.name)
    }

    fn number(&self, answer: &Value, key: &str) -> Result<f64> {
        answer[key].as_f64().with_context(|| {
            format!(
                "{} should have given a number for {key}: {answer}",
                self.name
            )
        })
    }
}

impl Drop for Contestant {
    /// No program outlives the race. One that has ended already cannot be stopped, and that is no
    /// error.
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    fn shell(script: &str) -> Command {
        let mut command = Command::new("sh");
        command.args(["-c", script]);
        command
    }

    #[test]
    fn a_program_that_speaks_the_protocol_runs_laps_and_ends() {
        let script = r#"echo banner; echo '{"ready":true,"particles":8,"program":"x 1"}'
            while read -r _; do echo '{"seconds":0.5,"cpu_seconds":0.25}'; done
            echo '{"com_y":0.5,"kinetic":2,"total_steps":30}'"#;
        let mut contestant = Contestant::start("x", shell(script)).unwrap();
        assert_eq!(contestant.particles(), 8);
        for _ in 0..2 {
            let lap = contestant.lap().unwrap();
            assert_eq!((lap.seconds, lap.cpu_seconds), (0.5, 0.25));
        }
        let outcome = contestant.finish(30).unwrap();
        assert_eq!(
            (outcome.com_y, outcome.kinetic, outcome.program.as_str()),
            (0.5, 2.0, "x 1")
        );
    }

    #[test]
    fn a_program_that_dies_is_reported_with_its_status() {
        let error = Contestant::start("x", shell("exit 7")).unwrap_err();
        assert!(format!("{error:#}").contains("exit status: 7"), "{error:#}");
        let mut contestant =
            Contestant::start("x", shell(r#"echo '{"ready":true,"particles":8}'; exit 5"#))
                .unwrap();
        let error = contestant.lap().unwrap_err();
        assert!(format!("{error:#}").contains("exit status: 5"), "{error:#}");
    }

    #[test]
    fn a_wrong_number_of_steps_is_refused() {
        let script = r#"echo '{"ready":true,"particles":8}'; read -r _
            echo '{"com_y":0.5,"kinetic":2,"total_steps":29}'"#;
        let error = Contestant::start("x", shell(script))
            .unwrap()
            .finish(30)
            .unwrap_err();
        assert!(error.to_string().contains("30 steps"), "{error}");
    }
}
