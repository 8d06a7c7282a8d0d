//! Describes the machine on which a table was made.

/// This machine and its current load, in one line.
pub fn line() -> String {
    let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let files = ["/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg"];
    described(cores, &files.map(read))
}

/// The processor, its cores, the memory, the operating system, and the load in the last minute, as
/// far as the system reports them.
fn described(cores: usize, [cpuinfo, meminfo, loadavg]: &[String; 3]) -> String {
    let mut line = format!("{}, {cores} cores", processor(cpuinfo));
    if let Some(bytes) = memory(meminfo) {
        line += &format!(", {:.0} GiB", bytes as f64 / f64::from(1 << 30));
    }
    line += &format!(", {} {}", std::env::consts::OS, std::env::consts::ARCH);
    if let Some(load) = loadavg.split_whitespace().next() {
        line += &format!(", load {load} at the start");
    }
    line
}

/// Parses `model name : ...`.
fn processor(cpuinfo: &str) -> String {
    let line = cpuinfo.lines().find_map(|l| l.strip_prefix("model name"));
    let name = line.and_then(|l| l.split_once(':')).map(|(_, n)| n.trim());
    name.unwrap_or("an unknown processor").to_string()
}

/// Parses `MemTotal:  1234 kB`.
fn memory(meminfo: &str) -> Option<u64> {
    let line = meminfo.lines().find_map(|l| l.strip_prefix("MemTotal:"))?;
    let kilobytes: u64 = line.split_whitespace().next()?.parse().ok()?;
    Some(kilobytes * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_is_described() {
        let files = [
            "processor\t: 0\nmodel name\t: Some CPU @ 2GHz\n",
            "MemTotal:       25165824 kB\nMemFree: 1 kB\n",
            "0.50 0.40 0.30 1/2 3\n",
        ];
        let (os, arch) = (std::env::consts::OS, std::env::consts::ARCH);
        assert_eq!(
            described(2, &files.map(String::from)),
            format!("Some CPU @ 2GHz, 2 cores, 24 GiB, {os} {arch}, load 0.50 at the start")
        );
        assert_eq!(processor(""), "an unknown processor");
        assert!(line().contains(" cores"));
    }
}
