//! Exports rows to a file, page by page, with at most two pages in memory.
//!
//! The file is written as `NAME.partial`, private to its owner, and renamed when it is complete; an
//! existing file is never touched. After a cancellation or failure the `.partial` file stays, and
//! the export can be resumed from its last page.
//!
//! Never here: which rows, and at what price (`app`); how a row is formatted (`export`).

use std::collections::HashSet;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use uuid::Uuid;

use crate::app::msg::Reply;
use crate::client::paging::Pager;
use crate::client::{Client, search};
use crate::config;
use crate::domain::export::{ExportFormat, ExportProgress, ExportRequest};
use crate::domain::records::Record;
use crate::domain::request_error::RequestError;
use crate::domain::search::MAX_SEARCH_PAGE_ROWS;
use crate::export::{csv, json};
use crate::platform::files::{describe_read_failure, private_file_options};
use crate::platform::tasks;

/// Numbered file names to try before giving up.
const MAX_FILE_NAMES_TRIED: u32 = 1_000;

/// Runs an export and reports progress after each page.
///
/// # Errors
/// The failure of the service or the disk. Everything reported until then is in the file.
pub async fn run_export(
    client: Client,
    export: ExportRequest,
    told: impl Fn(ExportProgress),
) -> Result<Reply, RequestError> {
    let ExportRequest {
        path,
        format,
        fields,
        rows,
        rest,
        written,
    } = export;
    // A file that is resumed without a cursor already has all its rows.
    let mut whole = rest.is_none()
        || written
            .as_ref()
            .is_some_and(|written| written.after.is_none());
    let mut file = ExportFile::open(&path, format, fields, written)
        .map_err(|error| disk_failure(&path, &error))?;
    if file.progress.after.is_none() {
        file.progress.after = rest.as_ref().and_then(|rest| rest.after.clone());
    }
    if !rows.is_empty() || rest.is_none() {
        file = file.append_rows(rows).await?;
        told(file.progress.clone());
    }
    while let Some(rest) = rest.as_ref().filter(|_| !whole) {
        let request = search::search_page(
            &rest.source,
            &rest.search,
            file.progress.after.as_deref(),
            MAX_SEARCH_PAGE_ROWS,
        );
        let mut pages = Pager::<Record>::new(&client, request, u32::MAX, MAX_SEARCH_PAGE_ROWS);
        let before = file.progress.rows;
        while let Some(answer) = pages.next().await? {
            let page = answer.value;
            let credits = answer.credits.unwrap_or(page.rows.len() as u64);
            file.progress.credits = file.progress.credits.saturating_add(credits);
            let after = pages.resume_cursor();
            file = file.append_rows(page.rows).await?;
            file.progress.after = after;
            told(file.progress.clone());
        }
        whole = pages.is_complete();
        if pages.is_withheld() {
            return Err(RequestError::new_ambiguous(
                "the service reports more rows but sends none",
            ));
        }
        // A long list is read in sections; one that never ends is given up.
        if !whole && (pages.is_repeating() || file.progress.rows == before) {
            return Err(RequestError::new_ambiguous(
                "the service keeps sending the same rows",
            ));
        }
    }
    let progress = file.finish().await?;
    Ok(Reply::Exported(progress))
}

/// The file being written.
struct ExportFile {
    file: File,
    format: ExportFormat,
    seen: HashSet<Uuid>,
    progress: ExportProgress,
}

impl ExportFile {
    fn open(
        path: &Path,
        format: ExportFormat,
        fields: Vec<String>,
        written: Option<ExportProgress>,
    ) -> io::Result<ExportFile> {
        if let Some(progress) = written {
            let mut file = OpenOptions::new()
                .write(true)
                .open(partial_path(&progress.path))?;
            if file.metadata()?.len() < progress.bytes {
                return Err(io::Error::other(
                    "it is shorter than what was written to it",
                ));
            }
            file.set_len(progress.bytes)?;
            file.seek(SeekFrom::End(0))?;
            return Ok(ExportFile {
                file,
                format,
                seen: HashSet::new(),
                progress,
            });
        }
        let (file, path) = create_unique_file(&expand_home(path))?;
        Ok(ExportFile {
            file,
            format,
            seen: HashSet::new(),
            progress: ExportProgress {
                path,
                fields,
                ..ExportProgress::default()
            },
        })
    }

    /// Appends new rows, on a thread that may block on the disk.
    async fn append_rows(mut self, rows: Vec<Record>) -> Result<ExportFile, RequestError> {
        let written = run_blocking("writing a page", move || {
            let rows: Vec<Record> = rows
                .into_iter()
                .filter(|row| self.seen.insert(row.id))
                .collect();
            let text = self.format_rows(&rows);
            self.file
                .write_all(text.as_bytes())
                .map_err(|error| disk_failure(&self.progress.path, &error))?;
            self.progress.bytes += text.len() as u64;
            self.progress.rows += rows.len() as u64;
            Ok(self)
        });
        written.await
    }

    /// Rows in the file's format. CSV begins with a header: the requested fields, then the other
    /// fields of the first rows.
    fn format_rows(&mut self, rows: &[Record]) -> String {
        // Markdown is only of rows as they are shown; see `app::console::shown_rows`.
        if self.format != ExportFormat::Csv {
            return rows
                .iter()
                .map(|row| json::format_json(row.json(), false) + "\n")
                .collect();
        }
        let rows: Vec<json::RawFields> = rows
            .iter()
            .map(|row| json::RawFields::parse(row.json()))
            .collect();
        let mut text = String::new();
        if self.progress.bytes == 0 {
            for (name, _) in rows.iter().flat_map(json::RawFields::iter) {
                if !self.progress.fields.iter().any(|field| field == name) {
                    self.progress.fields.push(name.to_owned());
                }
            }
            text = csv::write_rows([&self.progress.fields]);
        }
        text + &csv::write_rows(rows.iter().map(|row| {
            self.progress
                .fields
                .iter()
                .map(|field| csv::format_csv_cell(row.get(field)))
        }))
    }

    /// Renames the file once it is on disk.
    async fn finish(self) -> Result<ExportProgress, RequestError> {
        let ExportFile { file, progress, .. } = self;
        let placed = run_blocking("writing the file", move || {
            let place = || {
                file.sync_all()?;
                if progress.path.exists() {
                    return Err(io::Error::from(ErrorKind::AlreadyExists));
                }
                std::fs::rename(partial_path(&progress.path), &progress.path)?;
                File::open(progress.path.parent().unwrap_or(Path::new("/")))?.sync_all()
            };
            place()
                .map_err(|error| disk_failure(&progress.path, &error))
                .map(|()| progress)
        });
        placed.await
    }
}

/// Writes a text to a new file of this name, or of the next free numbered one; returns its path.
pub async fn save_text(file_name: String, text: String) -> Result<PathBuf, RequestError> {
    run_blocking("writing the file", move || {
        write_text(Path::new(&file_name), &text)
    })
    .await
}

/// The same, on this thread.
pub fn write_text(path: &Path, text: &str) -> Result<PathBuf, RequestError> {
    let write = || {
        let (mut file, named) = create_unique_file(&expand_home(path))?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        std::fs::rename(partial_path(&named), &named)?;
        Ok(named)
    };
    write().map_err(|error| disk_failure(path, &error))
}

/// Does something on a thread that may block on the disk.
async fn run_blocking<T: Send + 'static>(
    what: &str,
    work: impl FnOnce() -> Result<T, RequestError> + Send + 'static,
) -> Result<T, RequestError> {
    let failed = |_| RequestError::new_not_sent(format!("internal error while {what}"));
    tasks::run_blocking(work).await.map_err(failed)?
}

/// Reads a file, at most one byte more than the limit.
pub async fn read_file(path: PathBuf, max_bytes: usize) -> Result<Vec<u8>, RequestError> {
    let read = tasks::run_blocking(move || {
        let mut bytes = Vec::new();
        File::open(expand_home(&path))?
            .take(max_bytes as u64 + 1)
            .read_to_end(&mut bytes)?;
        Ok(bytes)
    });
    let read = read
        .await
        .unwrap_or_else(|_| Err(io::Error::other("internal error while reading the file")));
    read.map_err(|error: io::Error| RequestError::new_not_sent(describe_read_failure(&error)))
}

/// Creates a file and chooses its final name: the requested one, or the next free numbered one.
fn create_unique_file(path: &Path) -> io::Result<(File, PathBuf)> {
    let path = std::path::absolute(path)?;
    let (stem, ending) = (
        path.file_stem().unwrap_or_default().to_string_lossy(),
        path.extension().unwrap_or_default(),
    );
    for n in 1..MAX_FILE_NAMES_TRIED {
        let named = if n == 1 {
            path.clone()
        } else {
            path.with_file_name(format!("{stem}-{n}"))
                .with_extension(ending)
        };
        if named.exists() {
            continue;
        }
        match private_file_options()
            .write(true)
            .create_new(true)
            .open(partial_path(&named))
        {
            Ok(file) => return Ok((file, named)),
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
    Err(io::Error::from(ErrorKind::AlreadyExists))
}

/// Expands `~` to the home directory.
fn expand_home(path: &Path) -> PathBuf {
    match (
        path.strip_prefix("~"),
        config::home_folder(&config::process_env),
    ) {
        (Ok(below), Some(home)) => home.join(below),
        _ => path.to_owned(),
    }
}

/// The name of an incomplete file.
fn partial_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".partial");
    PathBuf::from(name)
}

/// A readable message for a disk error.
fn disk_failure(path: &Path, error: &io::Error) -> RequestError {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    let folder = folder.display();
    RequestError::new_not_sent(match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => format!("the disk is full: {folder}"),
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => {
            format!("cannot write to {folder}")
        }
        ErrorKind::NotFound | ErrorKind::NotADirectory => format!("folder not found: {folder}"),
        ErrorKind::AlreadyExists => format!("{} already exists", path.display()),
        _ => format!("{}: {error}", path.display()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn record(n: u128, name: &str) -> Record {
        serde_json::from_value(
            serde_json::json!({ "id": Uuid::from_u128(n), "name": name, "lat": 30.25 }),
        )
        .unwrap()
    }

    fn client() -> Client {
        let endpoint = crate::client::Endpoint {
            base_url: "http://127.0.0.1:9/api/v1".into(),
            token: "gk_canary".to_owned().into(),
            workspace: None,
            certificate: None,
        };
        Client::new(endpoint).unwrap()
    }

    async fn export_rows(
        path: &Path,
        format: ExportFormat,
        rows: Vec<Record>,
    ) -> Result<ExportProgress, RequestError> {
        let export = ExportRequest {
            path: path.to_owned(),
            format,
            fields: vec!["id".into(), "name".into()],
            rows,
            rest: None,
            written: None,
        };
        super::run_export(client(), export, |_| {})
            .await
            .map(|reply| match reply {
                Reply::Exported(progress) => progress,
                other => panic!("{other:?}"),
            })
    }

    #[tokio::test]
    async fn a_finished_export_is_private_to_its_owner_and_never_overwrites_a_file() {
        use std::os::unix::fs::PermissionsExt as _;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("firms.csv");
        let rows = vec![
            record(1, "=cmd()"),
            record(2, "Calder, \"C\""),
            record(1, "again"),
        ];
        let first = export_rows(&path, ExportFormat::Csv, rows.clone())
            .await
            .unwrap();
        let id = |n| Uuid::from_u128(n);
        let text = format!(
            "id,name,lat\n{},'=cmd(),30.25\n{},\"Calder, \"\"C\"\"\",30.25\n",
            id(1),
            id(2)
        );
        assert_eq!(
            (std::fs::read_to_string(&path).unwrap(), first.rows),
            (text.clone(), 2)
        );
        assert_eq!(
            std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
            0o600
        );
        let second = export_rows(&path, ExportFormat::Csv, vec![]).await.unwrap();
        assert_eq!(second.path, folder.path().join("firms-2.csv"));
        assert_eq!(std::fs::read_to_string(&path).unwrap(), text);
        assert_eq!(
            std::fs::read_dir(folder.path()).unwrap().count(),
            2,
            "no partial file is left"
        );
        let lines = export_rows(
            &folder.path().join("firms.jsonl"),
            ExportFormat::JsonLines,
            rows,
        )
        .await
        .unwrap();
        let text = std::fs::read_to_string(lines.path).unwrap();
        assert_eq!(text.lines().count(), 2);
        assert_eq!(text.lines().next().unwrap(), record(1, "=cmd()").json());
    }

    #[tokio::test]
    async fn a_path_that_cannot_be_written_is_reported_in_plain_words() {
        let at = |path: &str| Path::new(path).to_owned();
        let rows = || vec![record(1, "x")];
        let said = async |path: PathBuf| {
            export_rows(&path, ExportFormat::Csv, rows())
                .await
                .unwrap_err()
                .message
        };
        assert_eq!(
            said(at("/nowhere/at/all/x.csv")).await,
            "folder not found: /nowhere/at/all"
        );
        assert_eq!(
            said(at("/dev/null/x.csv")).await,
            "folder not found: /dev/null"
        );
        assert_eq!(
            disk_failure(
                &at("/x/y.csv"),
                &io::Error::from(ErrorKind::PermissionDenied)
            )
            .message,
            "cannot write to /x"
        );
    }

    #[tokio::test]
    async fn a_full_disk_is_reported() {
        let file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        let progress = ExportProgress {
            path: "/x/y.csv".into(),
            ..ExportProgress::default()
        };
        let file = ExportFile {
            file,
            format: ExportFormat::Csv,
            seen: HashSet::new(),
            progress,
        };
        let failure = file.append_rows(vec![record(1, "x")]).await.err().unwrap();
        assert_eq!(failure.message, "the disk is full: /x");
    }

    #[tokio::test]
    async fn a_resumed_export_drops_half_written_rows() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("firms.csv");
        let mut file = ExportFile::open(
            &path,
            ExportFormat::Csv,
            vec!["id".into(), "name".into()],
            None,
        )
        .unwrap();
        file = file.append_rows(vec![record(1, "a")]).await.unwrap();
        let progress = file.progress.clone();
        drop(file.append_rows(vec![record(2, "half")]).await.unwrap());
        let export = ExportRequest {
            path: path.clone(),
            format: ExportFormat::Csv,
            fields: vec![],
            rows: vec![record(3, "c")],
            rest: None,
            written: Some(progress),
        };
        super::run_export(client(), export, |_| {}).await.unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 3, "{text}");
        assert!(
            text.contains(",a,") && text.contains(",c,") && !text.contains("half"),
            "{text}"
        );
    }
}
