//! Work on Slurm: a cluster of one node with a configuration of its own, whose node crashes.
//!
//! It needs `slurm-wlm` and `munge` of Debian, and to be root; otherwise the test says so and passes.
#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr)]

use crate::common;
use crate::split::Work;

use common::{Ran, finished, sectile, started};
use sectile_bench::record::Record;
use std::fs::File;
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The daemons of a cluster. All of them, and their jobs, are gone when it is.
struct Cluster {
    folder: PathBuf,
    munged: Child,
    controller: Child,
    node: Child,
}

/// Ends a process that was started here.
fn end(child: &mut Child) {
    let _ = child.kill();
    let _ = child.wait();
}

/// Starts a daemon whose messages go to a file.
fn daemon(folder: &Path, program: &str, arguments: &[&str]) -> Option<Child> {
    let messages = || File::create(folder.join(format!("{program}.out")));
    let started = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .stdout(messages().ok()?)
        .stderr(messages().ok()?)
        .spawn();
    match started {
        Ok(child) => Some(child),
        Err(error) => {
            eprintln!("skipped: {program} cannot be started: {error}");
            None
        }
    }
}

fn free_port() -> u16 {
    let listener = TcpListener::bind("127.0.0.1:0").expect("there are free ports");
    listener.local_addr().expect("it has an address").port()
}

fn said(program: &str, arguments: &[&str]) -> String {
    let ran = Command::new(program).args(arguments).output();
    let out = ran.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
    out.unwrap_or_default()
}

impl Cluster {
    /// A cluster; `None`, said aloud, where there can be none.
    fn start() -> Option<Cluster> {
        if said("id", &["-u"]) != "0" {
            eprintln!("skipped: a node of Slurm needs root");
            return None;
        }
        let folder = std::env::temp_dir().join(format!("sectile-slurm-{}", std::process::id()));
        for part in ["state", "spool"] {
            std::fs::create_dir_all(folder.join(part)).expect("folders can be made");
        }
        let text = |name: &str| folder.join(name).to_string_lossy().into_owned();
        let key = text("munge.key");
        let seed = sectile_base::Rng::new(u64::from(std::process::id()));
        std::fs::write(&key, format!("{seed:?}").repeat(64)).expect("it can be written");
        let private = std::os::unix::fs::PermissionsExt::from_mode(0o600);
        std::fs::set_permissions(&key, private).expect("it is ours");
        let munge = [
            "--foreground".to_string(),
            "--force".to_string(),
            format!("--socket={}", text("munge.socket")),
            format!("--key-file={key}"),
            format!("--pid-file={}", text("munged.pid")),
            format!("--seed-file={}", text("munge.seed")),
        ];
        let munge: Vec<&str> = munge.iter().map(String::as_str).collect();
        let munged = daemon(&folder, "munged", &munge)?;
        let configuration = text("slurm.conf");
        std::fs::write(&configuration, configured(&folder)).expect("it can be written");
        std::fs::write(folder.join("cgroup.conf"), "").expect("it can be written");
        let options = ["-D", "-c", "-f", &configuration];
        let Some(controller) = daemon(&folder, "slurmctld", &options) else {
            let mut munged = munged;
            end(&mut munged);
            return None;
        };
        let Some(node) = daemon(&folder, "slurmd", &options) else {
            let (mut munged, mut controller) = (munged, controller);
            end(&mut controller);
            end(&mut munged);
            return None;
        };
        let cluster = Cluster {
            folder,
            munged,
            controller,
            node,
        };
        if cluster.wait_until_idle(Duration::from_secs(30)) {
            return Some(cluster);
        }
        for log in ["munged.out", "slurmctld.out", "slurmd.out"] {
            let text = std::fs::read_to_string(cluster.folder.join(log)).unwrap_or_default();
            eprintln!("--- {log}\n{text}");
        }
        eprintln!("skipped: the daemons of Slurm do not work here");
        None
    }

    fn configuration(&self) -> PathBuf {
        self.folder.join("slurm.conf")
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command.env("SLURM_CONF", self.configuration());
        command
    }

    fn said(&self, program: &str, arguments: &[&str]) -> String {
        let ran = self.command(program).args(arguments).output();
        let out = ran.map(|o| String::from_utf8_lossy(&o.stdout).trim().to_string());
        out.unwrap_or_default()
    }

    fn wait_until_idle(&self, most: Duration) -> bool {
        let begun = Instant::now();
        while begun.elapsed() < most {
            if self.said("sinfo", &["--noheader", "--format=%T"]) == "idle" {
                return true;
            }
            std::thread::sleep(Duration::from_millis(200));
        }
        false
    }

    /// The node goes down with all that runs on it, and comes back.
    fn crash(&mut self) {
        end(&mut self.node);
        self.kill_jobs();
        // Jobs that began less than three seconds before are not missed yet.
        std::thread::sleep(Duration::from_secs(4));
        let configuration = self.configuration().to_string_lossy().into_owned();
        let options = ["-D", "-c", "-f", &configuration];
        self.node = daemon(&self.folder, "slurmd", &options).expect("it started before");
    }

    /// Kills jobs and those who look after them: the processes that slurmd started.
    fn kill_jobs(&self) {
        let ours = self.folder.to_string_lossy().into_owned();
        for entry in std::fs::read_dir("/proc").expect("it is there").flatten() {
            let Ok(number) = entry.file_name().to_string_lossy().parse::<i32>() else {
                continue;
            };
            let read = |name: &str| std::fs::read(entry.path().join(name)).unwrap_or_default();
            let surroundings = String::from_utf8_lossy(&read("environ")).into_owned();
            let name = String::from_utf8_lossy(&read("comm")).into_owned();
            let is_job = surroundings.contains("SLURM_JOB_ID=") || name.starts_with("slurmstepd");
            if is_job && surroundings.contains(&ours) {
                let number = nix::unistd::Pid::from_raw(number);
                let _ = nix::sys::signal::kill(number, nix::sys::signal::Signal::SIGKILL);
            }
        }
    }

    /// Starts `sectile` in the project's folder, on this cluster.
    fn sectile(&self, arguments: &[&str]) -> Child {
        let program = self.command(env!("CARGO_BIN_EXE_sectile"));
        started(program, arguments)
    }

    fn ran(&self, arguments: &[&str]) -> Ran {
        finished(self.sectile(arguments))
    }
}

impl Drop for Cluster {
    fn drop(&mut self) {
        end(&mut self.node);
        end(&mut self.controller);
        self.kill_jobs();
        end(&mut self.munged);
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

/// What a node lost is noticed when it comes back, and what is requeued starts again after five
/// seconds.
fn configured(folder: &Path) -> String {
    let folder = folder.display();
    let host = said("hostname", &[]);
    let host = host.split('.').next().unwrap_or("localhost");
    let (controller, node) = (free_port(), free_port());
    // A little less than there is.
    let total = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = total.split_whitespace().nth(1).unwrap_or_default();
    let memory = total.parse::<u64>().unwrap_or(0) / 1024 * 9 / 10;
    format!(
        "ClusterName=sectile
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller}
SlurmdPort={node}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
CredType=cred/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerParameters=sched_min_interval=100000,batch_sched_delay=0,bf_interval=1
MinJobAge=2
SlurmdTimeout=6
BatchStartTimeout=1
MessageTimeout=2
KillWait=1
ReturnToService=2
JobRequeue=1
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 RealMemory={memory} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES State=UP
"
    )
}

/// One cluster for all, because only one is started.
#[test]
fn work_on_slurm() {
    let Some(mut cluster) = Cluster::start() else {
        return;
    };
    a_node_crashes(&mut cluster, "models/fischer.sct", &["-D", "n=4"], 1);
    a_node_crashes(&mut cluster, "models/airport-ticket.sct", &[], 8);
    needless_jobs_are_cancelled(&cluster);
    the_table_is_the_same(&cluster);
}

/// The node crashes in the middle of an array; what ran is requeued, and all is joined.
fn a_node_crashes(cluster: &mut Cluster, file: &str, options: &[&str], properties: usize) {
    let work = Work::new(&file.replace(['/', '.'], "-"));
    let limits = ["--timeout", "300s", "--memory", "1GiB", "--slurm"];
    let arguments = [&["split", file, work.path()], &limits[..], options].concat();
    let waiting = cluster.sectile(&arguments);
    let begun = Instant::now();
    let running = |cluster: &Cluster| {
        let states = cluster.said("squeue", &["--noheader", "--array", "--format=%t"]);
        states.lines().filter(|s| *s == "R").count()
    };
    while running(cluster) == 0 && begun.elapsed() < Duration::from_secs(60) {
        std::thread::sleep(Duration::from_millis(20));
    }
    // In the middle of the work of somebody.
    std::thread::sleep(Duration::from_millis(400));
    let lost = running(cluster);
    cluster.crash();
    let joined = finished(waiting);
    eprintln!(
        "{file}: {lost} jobs ran when the node crashed; {:?} in all",
        begun.elapsed()
    );
    let check = sectile(&[&["check", file, "--timeout", "300s", "--quiet"], options].concat());
    assert_eq!(
        (joined.code, &joined.out),
        (check.code, &check.out),
        "{}",
        joined.err
    );
    work.accepted(file, options, properties);
    let log = std::fs::read_to_string(cluster.folder.join("slurmctld.log")).unwrap_or_default();
    if lost > 0 {
        assert!(log.contains("equeu"), "nothing was requeued:\n{log}");
    }
}

/// The first verdict ends the alternatives; a process that waits can be stopped, and another one goes
/// on waiting.
fn needless_jobs_are_cancelled(cluster: &Cluster) {
    let work = Work::new("needless");
    let endless = "var x : int = 0\nvar y : int = 0\nup: x >= 0 --> x := x + 1, y := y + x\ninvariant p: y >= 0\n";
    let model = common::temporary("needless.sct", endless);
    let model = model.to_str().expect("paths are text");
    // `explicit` never ends here; the only line at first.
    let asked = [
        "split",
        model,
        work.path(),
        "--engine",
        "explicit",
        "--slurm",
    ];
    let queue = || cluster.said("squeue", &["--noheader", "--array", "--format=%j"]);
    let mut waiting = cluster.sectile(&asked);
    let begun = Instant::now();
    while queue().is_empty() && begun.elapsed() < Duration::from_secs(30) {
        std::thread::sleep(Duration::from_millis(100));
    }
    waiting.kill().expect("it waits");
    waiting.wait().expect("it ends");
    assert_eq!(queue().lines().count(), 1, "{}", queue());
    // Whoever comes back waits for the same job.
    let mut again = cluster.sectile(&asked);
    std::thread::sleep(Duration::from_secs(4));
    assert_eq!(queue().lines().count(), 1, "{}", queue());
    let signal = nix::sys::signal::Signal::SIGTERM;
    let number = i32::try_from(again.id()).expect("it is a number");
    nix::sys::signal::kill(nix::unistd::Pid::from_raw(number), signal).expect("it runs");
    assert_eq!(again.wait().expect("it ends").code(), Some(20));
    let name = queue();
    cluster.said("scancel", &[&format!("--name={name}")]);
    let asked = [
        "--engine",
        "explicit,kinduction",
        "--slurm",
        "--replace",
        "--quiet",
    ];
    let joined = cluster.ran(&[&["split", model, work.path()], &asked[..]].concat());
    assert_eq!(
        (joined.code, joined.out.as_str()),
        (0, "p: holds\n"),
        "{}",
        joined.err
    );
    let begun = Instant::now();
    while !queue().is_empty() && begun.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(200));
    }
    assert_eq!(queue(), "", "what is not needed was cancelled");
}

/// The runs of a suite give the same table as locally.
fn the_table_is_the_same(cluster: &Cluster) {
    let folder = Work::new("smoke");
    let outcomes = |name: &str| {
        let text = std::fs::read_to_string(folder.0.join(name).join("runs.jsonl"));
        let text = text.expect("the runs are there");
        let records = text.lines().filter_map(Record::of_line);
        let mut all: Vec<String> = records
            .map(|r| {
                format!(
                    "{}, {}: {} {:?}",
                    r.task,
                    r.contender,
                    r.outcome.word(),
                    r.statistics.get("states")
                )
            })
            .collect();
        all.sort();
        all
    };
    // Tasks and verdicts without times and memory. A rule is as wide as the widest number above it, and
    // which of two limits was met first depends on how busy the machine is.
    let table = |out: &str| -> Vec<String> {
        let is_word = |w: &&str| {
            let is_number = w.parse::<f64>().is_ok();
            !is_number && !w.trim_matches('-').is_empty() && *w != "(wall)"
        };
        let rows = out.lines().map(|l| {
            let words = l.split_whitespace().filter(is_word);
            words.collect::<Vec<_>>().join(" ")
        });
        rows.collect()
    };
    std::fs::create_dir_all(&folder.0).expect("it can be made");
    let (here, there) = (folder.file("here"), folder.file("there"));
    let local = sectile(&["bench", "bench/smoke.toml", "-o", &here, "--quiet"]);
    let slurm = cluster.ran(&[
        "bench",
        "bench/smoke.toml",
        "-o",
        &there,
        "--on",
        "slurm",
        "--quiet",
    ]);
    assert_eq!(slurm.code, local.code, "{}", slurm.err);
    assert_eq!(outcomes("there"), outcomes("here"));
    assert_eq!(table(&slurm.out), table(&local.out));
}
