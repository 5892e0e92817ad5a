//! The workspace, and running other programs in it.

use std::env;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Stdio};

use anyhow::{Context as _, Result, bail};
use serde_json::Value;

/// The Cargo workspace this program was built in.
pub struct Workspace {
    root: PathBuf,
}

impl Workspace {
    /// The workspace of the crate `xtask`.
    pub fn find() -> Result<Self> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR"))
            .parent()
            .context("the crate xtask is not inside a workspace")?;
        Ok(Self {
            root: root.to_owned(),
        })
    }

    /// Directory of the workspace's `Cargo.toml`.
    pub fn root(&self) -> &Path {
        &self.root
    }

    /// The same Cargo that runs this program, in the root of the workspace.
    pub fn cargo(&self) -> Command {
        let mut cargo = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
        cargo.current_dir(&self.root);
        cargo
    }

    /// Directory of Cargo's products.
    pub fn target_directory(&self) -> Result<PathBuf> {
        let metadata =
            stdout_of(
                self.cargo()
                    .args(["metadata", "--no-deps", "--format-version=1"]),
            )?;
        let metadata: Value =
            serde_json::from_str(&metadata).context("cargo metadata printed no JSON")?;
        let directory = metadata["target_directory"].as_str();
        Ok(directory
            .context("cargo metadata names no target directory")?
            .into())
    }

    /// Files under version control and new ones that are not ignored, by their paths from the root.
    pub fn tracked_files(&self) -> Result<Vec<String>> {
        let listed = stdout_of(
            Command::new("git")
                .args(["ls-files", "--cached", "--others", "--exclude-standard"])
                .current_dir(&self.root),
        )?;
        Ok(listed.lines().map(str::to_owned).collect())
    }

    /// The program `thixo`: the given one, or else the one that is built in release mode.
    pub fn thixo(&self, given: Option<&Path>) -> Result<PathBuf> {
        match given {
            Some(path) => Ok(path.to_owned()),
            None => self.build_thixo(),
        }
    }

    /// Builds the program `thixo` in release mode; returns where it is.
    fn build_thixo(&self) -> Result<PathBuf> {
        let messages = stdout_of(self.cargo().args([
            "build",
            "--release",
            "--bin=thixo",
            "--message-format=json-render-diagnostics",
        ]))
        .context("building thixo in release mode")?;
        executable_named("thixo", &messages).context("cargo built no program called thixo")
    }
}

/// The path of the program `name` among Cargo's build messages.
fn executable_named(name: &str, messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .filter(|message| {
            message["reason"] == "compiler-artifact" && message["target"]["name"] == name
        })
        .find_map(|message| message["executable"].as_str().map(PathBuf::from))
}

/// The standard output of `command`; an error if it fails. Its standard error is passed through.
pub fn stdout_of(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .stderr(Stdio::inherit())
        .output()
        .with_context(|| format!("cannot start {}", line(command)))?;
    if !output.status.success() {
        bail!("{} failed: {}", line(command), output.status);
    }
    String::from_utf8(output.stdout).with_context(|| format!("{} printed no UTF-8", line(command)))
}

/// Runs `command` to its end and returns its exit code as ours.
pub fn exit_code(command: &mut Command) -> Result<ExitCode> {
    let status = command
        .status()
        .with_context(|| format!("cannot start {}", line(command)))?;
    match status.code() {
        Some(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(u8::MAX))),
        None => bail!("{} was stopped: {status}", line(command)),
    }
}

/// A command as one would type it, for messages.
pub fn line(command: &Command) -> String {
    let mut words = vec![command.get_program().to_string_lossy()];
    words.extend(
        command
            .get_args()
            .map(|argument| argument.to_string_lossy()),
    );
    words.join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_executable_is_found_among_the_build_messages() {
        let messages = r#"{"reason":"compiler-artifact","target":{"name":"thixo"},"executable":null}
{"reason":"compiler-artifact","target":{"name":"other"},"executable":"/t/other"}
{"reason":"compiler-artifact","target":{"name":"thixo"},"executable":"/t/release/thixo"}
{"reason":"build-finished","success":true}"#;
        assert_eq!(
            executable_named("thixo", messages),
            Some("/t/release/thixo".into())
        );
        assert_eq!(executable_named("missing", messages), None);
    }

    #[cfg(unix)]
    #[test]
    fn failures_name_the_command() {
        let error = stdout_of(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert!(error.to_string().contains("sh -c exit 3 failed"), "{error}");
        let error = stdout_of(&mut Command::new("no-such-program-anywhere")).unwrap_err();
        assert!(
            error.to_string().contains("no-such-program-anywhere"),
            "{error}"
        );
    }
}
