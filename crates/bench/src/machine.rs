//! The machine that a table was made on.

/// What is told about the machine.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// The name of the processor.
    pub processor: String,
    /// How many cores may be used.
    pub cores: usize,
    /// Memory in bytes, where that is known.
    pub memory: Option<u64>,
    /// The operating system and the architecture.
    pub system: String,
    /// How busy the machine was in the last minute, where that is known.
    pub load: Option<String>,
}

impl Machine {
    /// This machine, now.
    pub fn here() -> Machine {
        let read = |file: &str| std::fs::read_to_string(file).unwrap_or_default();
        let load = read("/proc/loadavg");
        Machine {
            processor: processor(&read("/proc/cpuinfo")),
            cores: std::thread::available_parallelism().map_or(1, usize::from),
            memory: memory(&read("/proc/meminfo")),
            system: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
            load: load.split_whitespace().next().map(ToString::to_string),
        }
    }

    /// In one line.
    pub fn line(&self) -> String {
        let mut line = format!("{}, {} cores", self.processor, self.cores);
        if let Some(bytes) = self.memory {
            line += &format!(", {:.0} GiB", bytes as f64 / f64::from(1 << 30));
        }
        line += &format!(", {}", self.system);
        if let Some(load) = &self.load {
            line += &format!(", load {load} at the start");
        }
        line
    }
}

/// `model name : ...`.
fn processor(cpuinfo: &str) -> String {
    let line = cpuinfo.lines().find_map(|l| l.strip_prefix("model name"));
    let name = line.and_then(|l| l.split_once(':')).map(|(_, n)| n.trim());
    name.unwrap_or("an unknown processor").to_string()
}

/// `MemTotal:  1234 kB`.
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
        let machine = Machine {
            processor: processor("processor\t: 0\nmodel name\t: Some CPU @ 2GHz\n"),
            cores: 2,
            memory: memory("MemTotal:       25165824 kB\nMemFree: 1 kB\n"),
            system: "linux x86_64".to_string(),
            load: Some("0.50".to_string()),
        };
        assert_eq!(
            machine.line(),
            "Some CPU @ 2GHz, 2 cores, 24 GiB, linux x86_64, load 0.50 at the start"
        );
        assert_eq!(processor(""), "an unknown processor");
        assert!(Machine::here().cores > 0);
    }
}
