//! `thixo bench`: particle-updates per second on scenes that other programs run too.

mod case;
mod integrators;
mod machine;
mod matter;
mod race;
mod report;
mod scenes;
mod suite;
mod transfers_table;

use anyhow::Result;
use clap::Args;
use serde_json::json;
use thixo::Setup;

use case::Case;
use machine::Machine;
use race::race;
use suite::Suite;

/// Options of `thixo bench`.
#[derive(Args)]
pub struct Bench {
    /// Series of measurements instead of one; the other options say what they have in common.
    /// `--suite materials,threads` runs two.
    #[arg(
        long,
        value_enum,
        value_delimiter = ',',
        conflicts_with = "interactive"
    )]
    suite: Vec<Suite>,
    #[command(flatten)]
    case: Case,
    /// Compare explicit and implicit steps on scenes of the gallery instead; takes minutes.
    #[arg(long, conflicts_with_all = ["suite", "interactive"])]
    integrators: bool,
    /// Run a lap for every line on standard input, for races against other programs.
    #[arg(long)]
    interactive: bool,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

impl Bench {
    /// Runs the measurements.
    pub fn run(&self) -> Result<()> {
        if self.interactive {
            return race(&self.case);
        }
        if self.integrators {
            return integrators::run(self.json);
        }
        let machine = Machine::measure(Setup::<3>::new(1.0).instruction_set()?);
        if !self.json {
            print!("{}", report::opening(&machine));
        }
        let mut all = Vec::new();
        if self.suite.is_empty() {
            let row = self.case.measure()?;
            if !self.json {
                print!("{}", report::one(&row, &machine));
            }
            all.push(row);
        }
        let mut table = Vec::new();
        for suite in &self.suite {
            if *suite == Suite::TransfersTable {
                table.extend(transfers_table::run(|text| {
                    if !self.json {
                        print!("{text}");
                    }
                })?);
                continue;
            }
            if !self.json {
                print!("\n{}", report::HEADER);
            }
            let rows = suite.run(self.case, |row| {
                if !self.json {
                    print!("{}", report::line(row, &machine));
                }
            })?;
            all.extend(rows);
        }
        if self.json {
            let rows: Vec<_> = all.iter().map(|row| report::json(row, &machine)).collect();
            let mut all = json!({"machine": machine.to_json(), "rows": rows});
            if !table.is_empty() {
                all["transfers_table"] = json!(table);
            }
            println!("{all:#}");
        }
        Ok(())
    }
}
