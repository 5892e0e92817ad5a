//! Memory that a process may take: the machine's, or less where a limit is set.

use std::fs::read_to_string;
use std::path::Path;

/// The most memory that this process may take \[bytes\], by the machine's, by its control group
/// and by its limit of addresses (`ulimit -v`); none where the system does not tell.
pub(crate) fn machine_memory() -> Option<u64> {
    let read = |path: &str| read_to_string(path).ok();
    let machine = read("/proc/meminfo").and_then(|text| of_meminfo(&text));
    let addresses = read("/proc/self/limits").and_then(|text| of_limits(&text));
    let group = read("/proc/self/cgroup").and_then(|text| {
        let root = Path::new("/sys/fs/cgroup");
        groups(&text)
            .filter_map(|group| {
                let limit = root.join(group).join("memory.max");
                read_to_string(limit).ok()?.trim().parse().ok()
            })
            .min()
    });
    [machine, addresses, group].into_iter().flatten().min()
}

/// Memory of the machine: `MemTotal` in `/proc/meminfo`.
fn of_meminfo(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("MemTotal:"))?;
    let kib: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kib.checked_mul(1024)
}

/// The soft limit of addresses in `/proc/self/limits`; none if it is unlimited.
fn of_limits(text: &str) -> Option<u64> {
    let line = text
        .lines()
        .find_map(|line| line.strip_prefix("Max address space"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The control group of version 2 in `/proc/self/cgroup` and those around it, without the slash
/// that they begin with.
fn groups(text: &str) -> impl Iterator<Item = &Path> {
    let own = text.lines().find_map(|line| line.strip_prefix("0::/"));
    own.into_iter()
        .flat_map(|own| Path::new(own.trim_end()).ancestors())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_read() {
        let meminfo = "MemTotal:       24661008 kB\nMemFree:        12 kB\n";
        assert_eq!(of_meminfo(meminfo), Some(24_661_008 * 1024));
        assert_eq!(of_meminfo("MemTotal: many"), None);
        let limits = "Limit                     Soft Limit           Hard Limit           Units     \n\
                      Max address space         2147483648           unlimited            bytes     \n";
        assert_eq!(of_limits(limits), Some(1 << 31));
        let unlimited = limits.replace("2147483648", "unlimited ");
        assert_eq!(of_limits(&unlimited), None);
        let found: Vec<_> = groups("1:cpu:/x\n0::/user.slice/run\n").collect();
        assert_eq!(
            found,
            [
                Path::new("user.slice/run"),
                Path::new("user.slice"),
                Path::new("")
            ]
        );
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn this_machine_has_memory() {
        let bytes = machine_memory().unwrap();
        assert!(bytes > 1 << 28, "{bytes}");
    }
}
