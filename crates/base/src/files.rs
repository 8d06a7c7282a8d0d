//! Atomic writing of files.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file under a temporary name and renames it when it is complete.
///
/// Devices and pipes are written directly.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let there = fs::metadata(path);
    // In a browser no other process could read a partial file.
    if cfg!(target_family = "wasm") || there.is_ok_and(|m| !m.is_file()) {
        return fs::write(path, text);
    }
    // A symbolic link stays: its target is replaced.
    let path = fs::canonicalize(path).unwrap_or(path.to_path_buf());
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let (temporary, mut file) = fresh(&path.with_file_name(format!(".{name}")))?;
    let write = || {
        file.write_all(text.as_ref())?;
        drop(file);
        fs::rename(&temporary, &path)
    };
    write().inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

/// Creates a file whose name begins like this. It never reuses an existing one: processes on other
/// machines may have the same process id, and killed processes leave their files behind.
fn fresh(name: &Path) -> io::Result<(PathBuf, fs::File)> {
    let mut tries = 0;
    loop {
        let path = PathBuf::from(format!("{}.{}-{tries}", name.display(), std::process::id()));
        match fs::File::create_new(&path) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => tries += 1,
            created => return created.map(|file| (path, file)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_replaced_as_a_whole_and_nothing_is_left_beside_it() {
        let folder = std::env::temp_dir().join(format!("sectile-files-{}", std::process::id()));
        fs::create_dir_all(&folder).expect("a folder");
        let file = folder.join("result.txt");
        write(&file, "old").expect("it can be written");
        write(&file, "new").expect("it can be written");
        assert_eq!(fs::read_to_string(&file).expect("it is there"), "new");
        assert_eq!(fs::read_dir(&folder).expect("a folder").count(), 1);
        assert!(write(&folder.join("no/such/folder"), "").is_err());
        fs::remove_dir_all(&folder).expect("it can be removed");
    }
}
