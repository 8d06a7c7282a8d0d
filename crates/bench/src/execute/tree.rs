//! The descendants of a process, from `/proc`.

use std::collections::BTreeMap;
use std::time::Duration;

/// The current resource usage of a set of processes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Usage {
    /// CPU time of the living processes and of their children that ended.
    pub cpu: Duration,
    /// Resident memory, in bytes.
    pub memory: u64,
}

/// The relevant parts of `/proc/PID/stat`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stat {
    parent: i32,
    ticks: u64,
}

/// All descendants of `root`, without `root` itself.
pub fn descendants(root: i32) -> Vec<i32> {
    let parents = all();
    let mut found = vec![root];
    // Parents come before their children, so one pass over the list suffices.
    let mut next = 0;
    while let Some(&parent) = found.get(next) {
        let children = parents.iter().filter(|(_, s)| s.parent == parent);
        found.extend(children.map(|(&pid, _)| pid).filter(|p| *p != root));
        next += 1;
    }
    found.remove(0);
    found
}

/// The resource usage of these processes.
pub fn usage(processes: &[i32]) -> Usage {
    let mut usage = Usage::default();
    for pid in processes {
        let stat = read(&format!("/proc/{pid}/stat")).and_then(|t| parse_stat(&t));
        usage.cpu += stat.map_or(Duration::ZERO, |s| ticks(s.ticks));
        let status = read(&format!("/proc/{pid}/status"));
        usage.memory += status.map_or(0, |t| resident(&t));
    }
    usage
}

fn all() -> BTreeMap<i32, Stat> {
    let Ok(entries) = std::fs::read_dir("/proc") else {
        return BTreeMap::new();
    };
    let pids = entries
        .flatten()
        .filter_map(|e| e.file_name().to_str()?.parse::<i32>().ok());
    pids.filter_map(|pid| Some((pid, parse_stat(&read(&format!("/proc/{pid}/stat"))?)?)))
        .collect()
}

/// Processes may end in the meantime: a file that cannot be read belongs to one that is gone.
fn read(file: &str) -> Option<String> {
    let bytes = std::fs::read(file).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Parses `pid (name) state ppid ...`; the name may contain anything, including parentheses.
fn parse_stat(text: &str) -> Option<Stat> {
    let (_, behind) = text.rsplit_once(')')?;
    let fields: Vec<&str> = behind.split_whitespace().collect();
    // Fields are numbered from 1 in the whole line; the state is field 3.
    let number = |i: usize| fields.get(i - 3)?.parse::<u64>().ok();
    let times = [14, 15, 16, 17].map(number);
    Some(Stat {
        parent: fields.get(1)?.parse().ok()?,
        ticks: times.iter().map(|t| t.unwrap_or(0)).sum(),
    })
}

/// The kernel reports times in hundredths of a second on every platform we know.
fn ticks(count: u64) -> Duration {
    Duration::from_millis(count * 10)
}

/// Parses `VmRSS:  1234 kB`.
fn resident(status: &str) -> u64 {
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|l| l.split_whitespace().next()?.parse::<u64>().ok());
    kilobytes.unwrap_or(0) * 1024
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn odd_names_do_not_disturb() {
        let text = "42 (a) (b c) R 7 42 42 0 -1 4194304 1 2 3 4 10 20 30 40 20 0 1 0";
        let stat = parse_stat(text).unwrap();
        assert_eq!(
            stat,
            Stat {
                parent: 7,
                ticks: 100
            }
        );
        assert_eq!(ticks(stat.ticks), Duration::from_secs(1));
        assert_eq!(parse_stat("nonsense"), None);
        assert_eq!(resident("Name:\tx\nVmRSS:\t  2 kB\n"), 2048);
        assert_eq!(resident("Name:\tzombie\n"), 0);
    }

    #[test]
    fn we_see_our_own_children() {
        let mut child = std::process::Command::new("sleep")
            .arg("5")
            .spawn()
            .unwrap();
        let me = i32::try_from(std::process::id()).unwrap();
        let pid = i32::try_from(child.id()).unwrap();
        assert!(descendants(me).contains(&pid));
        assert!(usage(&[me]).memory > 0);
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants(me).contains(&pid));
    }
}
