//! `--dot DIR`: a picture for every step, and a plot of the growth of the abstraction.

use sectile_base::files;
use sectile_bench::plot::{Series, points};
use sectile_driver::check::BadRequest;
use sectile_engine::{Event, Interest, Observer, Picture};
use sectile_report::{DOT_HEADER, Growth, GrowthRow, picture_dot};
use std::collections::BTreeSet;
use std::io;
use std::path::{Path, PathBuf};

/// Writes the pictures into a folder.
pub struct Pictures {
    folder: PathBuf,
    drawn: usize,
    context: Context,
    growth: Growth,
    failure: Option<io::Error>,
}

/// The engine and property that the pictures show.
#[derive(Default)]
struct Context {
    engine: &'static str,
    property: String,
    part: Option<(usize, usize)>,
}

impl Pictures {
    /// Pictures for this folder, which is created if needed.
    pub fn new(folder: &str) -> Result<Pictures, BadRequest> {
        std::fs::create_dir_all(folder)
            .map_err(|e| BadRequest(format!("--dot: cannot make the folder `{folder}`: {e}")))?;
        Ok(Pictures {
            folder: PathBuf::from(folder),
            drawn: 0,
            context: Context::default(),
            growth: Growth::default(),
            failure: None,
        })
    }

    fn draw(&mut self, picture: &Picture) -> io::Result<()> {
        self.drawn += 1;
        let Context {
            engine,
            property,
            part,
        } = &self.context;
        let part = match part {
            Some((i, n)) if *n > 1 => format!(", part {i} of {n}"),
            _ => String::new(),
        };
        let title = format!(
            "Step {}: {}\n{engine}, {property}{part}",
            picture.step, picture.title
        );
        let file = self.folder.join(file_name(self.drawn));
        files::write(&file, picture_dot(picture, &title))
    }

    /// Writes the table and the plot; returns the number of pictures, or the first error.
    pub fn finish(mut self) -> io::Result<usize> {
        if let Some(failure) = self.failure.take() {
            return Err(failure);
        }
        self.remove_older()?;
        if !self.growth.rows().is_empty() {
            files::write(&self.folder.join("abstraction.csv"), self.growth.csv())?;
            files::write(&self.folder.join("abstraction.svg"), plot(&self.growth))?;
        }
        Ok(self.drawn)
    }

    /// Removes the pictures of an earlier, longer run; other files stay.
    fn remove_older(&self) -> io::Result<()> {
        for number in self.drawn + 1.. {
            let file = self.folder.join(file_name(number));
            if !is_ours(&file) {
                return Ok(());
            }
            std::fs::remove_file(file)?;
        }
        Ok(())
    }
}

/// With more parts than this, the plot has one series for each property.
const MOST_SERIES: usize = 8;

/// Plots nodes against predicates, with one series for each part of a property if there are few,
/// else one for each property.
///
/// Paper: [BrDrFiWe07, Fig. 4].
fn plot(growth: &Growth) -> String {
    let part_of = |r: &GrowthRow| format!("{}, part {}", r.property, r.part);
    let parts: BTreeSet<String> = growth.rows().iter().map(part_of).collect();
    let apart = parts.len() <= MOST_SERIES && growth.rows().iter().any(|r| r.part > 1);
    let mut series: Vec<Series> = Vec::new();
    for row in growth.rows() {
        let name = if apart {
            part_of(row)
        } else {
            row.property.clone()
        };
        let point = (
            row.predicates as f64,
            row.nodes as f64,
            format!(
                "{}, step {}: {} predicates, {} nodes",
                part_of(row),
                row.step,
                row.predicates,
                row.nodes
            ),
        );
        match series.iter_mut().find(|s| s.name == name) {
            Some(found) => found.points.push(point),
            None => series.push(Series {
                name,
                points: vec![point],
            }),
        }
    }
    points(
        "Nodes over predicates",
        ["predicates", "abstract nodes"],
        &series,
    )
}

fn file_name(number: usize) -> String {
    format!("step-{number:03}.dot")
}

fn is_ours(file: &Path) -> bool {
    std::fs::read_to_string(file).is_ok_and(|text| text.starts_with(DOT_HEADER))
}

impl Observer for Pictures {
    fn event(&mut self, event: &Event) {
        self.growth.event(event);
        match event {
            Event::Started { engine, property } => {
                self.context = Context {
                    engine,
                    property: property.clone(),
                    part: None,
                };
            }
            Event::Resumed { engine } => {
                self.context.engine = engine;
                self.context.part = None;
            }
            Event::Part { index, of, .. } => self.context.part = Some((*index, *of)),
            Event::Picture(picture) if self.failure.is_none() => {
                self.failure = self.draw(picture).err();
            }
            _ => {}
        }
    }

    fn interest(&self) -> Interest {
        Interest::Pictures
    }
}
