//! Files that are there as a whole or not at all.

use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

/// Writes a file under another name and renames it when all of it is there.
///
/// What is no file, such as a device or a pipe, is written as it is.
pub fn write(path: &Path, text: impl AsRef<[u8]>) -> io::Result<()> {
    let there = fs::metadata(path);
    // In a browser there are no other processes that could see a part of it.
    if cfg!(target_family = "wasm") || there.is_ok_and(|m| !m.is_file()) {
        return fs::write(path, text);
    }
    // A link stays a link: what it names is replaced.
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

/// A new file whose name begins like this. Processes of other machines may have our number, and those
/// that were killed leave their files behind: what exists already is another's.
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
