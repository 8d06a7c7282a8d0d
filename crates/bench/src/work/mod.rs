//! Work that many processes share, on one machine or many, without a coordinator.
//!
//! A directory contains a file [`LINES`] with a line of JSON for every piece of work, and in
//! `results` a file for every finished line. A result is written under another name and then
//! renamed, so that it is either complete or absent. A result contains a hash of its line, so that
//! results of an earlier file of lines are not mistaken for current ones. Lines without a result are
//! executed again. There is no other state, so nothing is lost when a process is killed.
//!
//! | file | what |
//! |---|---|
//! | this | the directory, its lines and results |
//! | [`place`] | executing the needed lines, somewhere |
//! | `local`, `parallel`, `slurm` | our own processes, GNU parallel, a job array of Slurm |

pub mod place;

mod local;
mod parallel;
mod slurm;

pub use local::PARENT;

use sectile_base::files;
use serde_json::{Value, json};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};

/// The file of lines.
pub const LINES: &str = "work.jsonl";

/// The folder of results.
const RESULTS: &str = "results";

/// A directory of work. Lines are counted from 1, as in job arrays and `seq`.
#[derive(Clone, Debug)]
pub struct Directory {
    path: PathBuf,
    lines: Vec<String>,
}

impl Directory {
    /// Creates a directory with these lines. The file of lines is written last, when everything that
    /// belongs to them exists.
    pub fn create(path: &Path, lines: Vec<String>) -> io::Result<Directory> {
        fs::create_dir_all(path.join(RESULTS))?;
        let text: String = lines.iter().map(|l| format!("{l}\n")).collect();
        if fs::read_to_string(path.join(LINES)).ok().as_deref() != Some(&text) {
            files::write(&path.join(LINES), &text)?;
        }
        let path = fs::canonicalize(path)?;
        Ok(Directory { path, lines })
    }

    /// Opens an existing directory.
    pub fn open(path: &Path) -> io::Result<Directory> {
        let text = fs::read_to_string(path.join(LINES))?;
        let lines = text.lines().map(ToString::to_string).collect();
        let path = fs::canonicalize(path)?;
        Ok(Directory { path, lines })
    }

    /// Its path.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The number of lines.
    pub fn count(&self) -> usize {
        self.lines.len()
    }

    /// All lines, in order.
    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    /// The line with this number.
    pub fn line(&self, number: usize) -> Option<&str> {
        let line = self.lines.get(number.checked_sub(1)?);
        line.map(String::as_str)
    }

    /// The name of the whole work, the same from wherever the directory is opened.
    pub(crate) fn name(&self) -> String {
        let path = self.path.to_string_lossy();
        format!(
            "sectile-{}",
            hash(format!("{path}\n{}", self.lines.join("\n")))
        )
    }

    fn file(&self, number: usize) -> PathBuf {
        self.path.join(RESULTS).join(format!("{number}.json"))
    }

    /// Writes the result of a line.
    pub fn write(&self, number: usize, result: &Value) -> io::Result<()> {
        let line = hash(self.line(number).unwrap_or_default());
        let text = json!({ "line": line, "result": result }).to_string();
        fs::create_dir_all(self.path.join(RESULTS))?;
        files::write(&self.file(number), text + "\n")
    }

    /// The result of a line, if there is one.
    pub fn read(&self, number: usize) -> Found {
        let Ok(text) = fs::read_to_string(self.file(number)) else {
            return Found::Nothing;
        };
        let line = hash(self.line(number).unwrap_or_default());
        match serde_json::from_str::<Value>(&text) {
            Ok(Value::Object(mut map)) if map.get("line") == Some(&json!(line)) => {
                map.remove("result").map_or(Found::Broken, Found::Result)
            }
            _ => Found::Broken,
        }
    }

    /// Renames a result that must not count.
    pub fn put_aside(&self, number: usize) -> io::Result<()> {
        let file = self.file(number);
        fs::rename(&file, file.with_extension("refused"))
    }

    /// Removes temporary files of writers that were killed. There must be no writers now.
    pub fn clean(&self) {
        let entries = fs::read_dir(self.path.join(RESULTS));
        for entry in entries.into_iter().flatten().flatten() {
            if entry.file_name().to_string_lossy().starts_with('.') {
                // A file that cannot be removed does no harm.
                let _ = fs::remove_file(entry.path());
            }
        }
    }
}

/// The state of a result.
#[derive(Clone, Debug, PartialEq)]
pub enum Found {
    /// There is no file.
    Nothing,
    /// The file is not a result of this line.
    Broken,
    /// The result.
    Result(Value),
}

/// The results read so far.
pub struct Results<'d> {
    /// The directory.
    pub directory: &'d Directory,
    seen: Vec<Option<Value>>,
}

impl<'d> Results<'d> {
    /// Reads the results that exist now.
    pub fn new(directory: &'d Directory) -> Results<'d> {
        let seen = vec![None; directory.count()];
        let mut results = Results { directory, seen };
        results.look();
        results
    }

    /// Reads new results. Results that were read before are not read again.
    pub fn look(&mut self) {
        for (k, seen) in self.seen.iter_mut().enumerate() {
            if seen.is_none()
                && let Found::Result(value) = self.directory.read(k + 1)
            {
                *seen = Some(value);
            }
        }
    }

    /// The result of a line.
    pub fn get(&self, number: usize) -> Option<&Value> {
        self.seen.get(number.checked_sub(1)?)?.as_ref()
    }

    /// The lines without a result.
    pub fn missing(&self) -> Vec<usize> {
        let all = 1..=self.seen.len();
        all.filter(|&n| self.get(n).is_none()).collect()
    }
}

/// A short hash of a text. It distinguishes texts that differ by accident; it is no protection
/// against malicious changes, and need not be, because evidence is checked.
///
/// The function is FNV-1a, which never changes between versions.
pub fn hash(text: impl AsRef<[u8]>) -> String {
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for byte in text.as_ref() {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    }
    format!("{hash:016x}")
}

/// Formats ascending numbers in the notation of Slurm: `1-3,7`.
pub fn ranges(numbers: &[usize]) -> String {
    let mut found: Vec<(usize, usize)> = Vec::new();
    for &n in numbers {
        match found.last_mut() {
            Some((_, last)) if *last + 1 == n => *last = n,
            _ => found.push((n, n)),
        }
    }
    let text = |&(first, last): &(usize, usize)| match first == last {
        true => first.to_string(),
        false => format!("{first}-{last}"),
    };
    found.iter().map(text).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_of_their_line_or_do_not_count() {
        let folder = std::env::temp_dir().join(format!("sectile-work-{}", std::process::id()));
        let lines = ["{\"a\":1}", "{\"a\":2}"].map(String::from).to_vec();
        let directory = Directory::create(&folder, lines.clone()).expect("it can be made");
        assert_eq!(directory.read(1), Found::Nothing);
        directory
            .write(1, &json!("yes"))
            .expect("it can be written");
        assert_eq!(directory.read(1), Found::Result(json!("yes")));
        assert_eq!(Results::new(&directory).missing(), [2]);
        // Half of a file, and a result of another line.
        let text = fs::read_to_string(directory.file(1)).expect("it is there");
        fs::write(directory.file(2), &text).expect("it can be written");
        assert_eq!(directory.read(2), Found::Broken);
        for end in 1..text.len() - 1 {
            fs::write(directory.file(1), &text[..end]).expect("it can be written");
            assert_eq!(directory.read(1), Found::Broken, "{}", &text[..end]);
        }
        let again = Directory::open(&folder).expect("it is there");
        assert_eq!(again.lines(), lines);
        assert_eq!(again.name(), directory.name());
        fs::remove_dir_all(&folder).expect("it can be removed");
    }

    #[test]
    fn numbers_are_written_as_ranges() {
        assert_eq!(ranges(&[1, 2, 3, 7, 9, 10]), "1-3,7,9-10");
        assert_eq!(ranges(&[]), "");
        assert_eq!(hash(""), "cbf29ce484222325");
        assert_ne!(hash("a"), hash("b"));
    }
}
