//! What engines did, step by step, for the report to replay.
//!
//! A step begins when an engine tells the size of its abstraction. What led to it (splits, slices,
//! new predicates) belongs to it, and so does the error path that is found in it afterwards.

use crate::narrate::begun;
use crate::page::scene::{Scene, SceneData};
use crate::text::cut;
use sectile_engine::{Event, SliceReason, Sliced};
use serde::Serialize;
use std::collections::BTreeMap;

/// Longer texts are cut.
const LONGEST_TEXT: usize = 600;

/// Longer names of parts are cut.
const LONGEST_TITLE: usize = 160;

/// Longer paths are cut in the middle of nothing: their first nodes are kept.
const LONGEST_PATH: usize = 400;

/// How many notes of one step are kept.
const MOST_NOTES: usize = 40;

/// When this many parts of graphs are recorded for a story, later graphs are left out.
const MOST_PARTS: usize = 150_000;

/// When this much text is recorded for a story, later paths and notes are left out.
const MOST_TEXT: usize = 4_000_000;

/// Listens to engines and keeps what the report shows of their work.
#[derive(Debug, Default)]
pub struct Recorder {
    stories: Vec<Story>,
    current: usize,
}

/// What one engine did about one property.
#[derive(Debug, Default)]
pub(crate) struct Story {
    pub engine: String,
    pub property: String,
    begun: f64,
    steps: Vec<StepRecord>,
    scenes: Vec<Scene>,
    predicates: Vec<PredicateRecord>,
    /// What happened since the last step.
    pending: StepRecord,
    solver_milliseconds: Option<u64>,
    /// Whether the next graph has nothing to do with the one before it.
    scene_ends: bool,
    part: String,
    written: usize,
}

/// A story as the page reads it.
#[derive(Debug, Serialize)]
pub(crate) struct StoryData {
    pub engine: String,
    pub property: String,
    pub steps: Vec<StepRecord>,
    pub scenes: Vec<SceneData>,
    pub predicates: Vec<PredicateRecord>,
}

/// One step of a refinement loop.
#[derive(Clone, Debug, Default, Serialize)]
pub(crate) struct StepRecord {
    step: u64,
    #[serde(skip_serializing_if = "String::is_empty")]
    title: String,
    /// Which of several parts of the work it belongs to.
    #[serde(skip_serializing_if = "String::is_empty")]
    part: String,
    nodes: usize,
    edges: usize,
    predicates: usize,
    /// Since the engine began.
    ms: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    solver_ms: Option<u64>,
    /// The scene that shows it, if it is drawn.
    #[serde(skip_serializing_if = "Option::is_none")]
    scene: Option<usize>,
    /// Positions of predicates.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    born: Vec<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    splits: Vec<SplitRecord>,
    /// How many nodes and relations were removed, by reason.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    sliced: BTreeMap<&'static str, [usize; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    path: Option<PathRecord>,
}

#[derive(Clone, Debug, Serialize)]
struct SplitRecord {
    node: usize,
    halves: [usize; 2],
    predicate: String,
}

/// An abstract error path and what became of it.
#[derive(Clone, Debug, Default, Serialize)]
struct PathRecord {
    /// The nodes, by their places in the scene; empty if the path is not in a drawn graph.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    places: Vec<usize>,
    nodes: Vec<usize>,
    relations: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    states: Vec<String>,
    #[serde(skip_serializing_if = "String::is_empty")]
    formula: String,
    /// The part that has no run, by positions.
    #[serde(skip_serializing_if = "Option::is_none")]
    refuted: Option<[usize; 2]>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    interpolants: Vec<(usize, String)>,
    /// The number of steps of the run along the path.
    #[serde(skip_serializing_if = "Option::is_none")]
    run: Option<usize>,
}

/// A predicate and what it was good for.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PredicateRecord {
    pub text: String,
    source: &'static str,
    /// The position of the step in which it was used first.
    step: usize,
    splits: usize,
    /// Whether the evidence speaks of it.
    pub used: bool,
}

impl Recorder {
    /// Hears an event, this many seconds after the check began.
    pub fn hear(&mut self, event: &Event, seconds: f64) {
        match event {
            Event::Started { engine, property } => self.start(engine, property, seconds),
            Event::Resumed { engine } => {
                // The newest one: earlier properties are decided.
                let found = self.stories.iter().rposition(|s| s.engine == *engine);
                self.current = found.unwrap_or(self.current);
            }
            Event::Decided { .. } => {}
            event => {
                if let Some(story) = self.stories.get_mut(self.current) {
                    story.hear(event, seconds);
                }
            }
        }
    }

    /// An engine begins, perhaps once more.
    fn start(&mut self, engine: &str, property: &str, seconds: f64) {
        let story = Story {
            engine: engine.to_string(),
            property: property.to_string(),
            begun: seconds,
            ..Story::default()
        };
        let same = |s: &Story| s.engine == engine && s.property == property;
        self.current = begun(&mut self.stories, story, same);
    }

    /// The stories that have something to show.
    pub(crate) fn into_stories(self) -> Vec<Story> {
        let shown = self.stories.into_iter();
        shown
            .filter(|s| !s.steps.is_empty() || !s.pending.is_empty())
            .collect()
    }
}

impl StepRecord {
    fn is_empty(&self) -> bool {
        self.born.is_empty()
            && self.splits.is_empty()
            && self.sliced.is_empty()
            && self.notes.is_empty()
            && self.path.is_none()
    }
}

impl Story {
    /// How many parts of graphs it has.
    pub(crate) fn parts(&self) -> usize {
        self.scenes.iter().map(Scene::parts).sum()
    }

    /// How much text it has.
    pub(crate) fn written(&self) -> usize {
        self.written
    }

    fn hear(&mut self, event: &Event, seconds: f64) {
        match event {
            Event::Part { index, of, name } => {
                self.scene_ends = true;
                self.part = match of {
                    1 => String::new(),
                    _ => cut(&format!("part {index} of {of}: {name}"), LONGEST_TITLE),
                };
            }
            Event::SolverTime { milliseconds } => self.solver_milliseconds = Some(*milliseconds),
            Event::Abstraction {
                step,
                nodes,
                edges,
                predicates,
            } => self.begin_step(*step, [*nodes, *edges, *predicates], seconds),
            Event::Picture(picture) => self.draw(picture, seconds),
            Event::PathFound { nodes, relations } => self.find_path(nodes, relations),
            Event::PathStates { states, formula } => {
                let states: Vec<String> = states.iter().map(|s| self.kept(s)).collect();
                let formula = self.kept(formula);
                if let Some(path) = self.path() {
                    (path.states, path.formula) = (states, formula);
                }
            }
            Event::PathRefuted {
                first,
                last,
                interpolants,
            } => {
                let list = interpolants.iter().take(LONGEST_PATH);
                let list: Vec<_> = list.map(|(k, t)| (*k, self.kept(t))).collect();
                if let Some(path) = self.path() {
                    path.refuted = Some([*first, *last]);
                    path.interpolants = list;
                }
            }
            Event::PathConcretized { steps } => {
                if let Some(path) = self.path() {
                    path.run = Some(*steps);
                }
            }
            Event::PredicateBorn { predicate, source } => self.bear(predicate, source),
            Event::Split {
                node,
                halves,
                predicate,
            } => self.split(*node, *halves, predicate),
            Event::Sliced { what, reason } => self.slice(what, *reason),
            Event::Lemma { formula, .. } => self.note(&format!("holds: {formula}")),
            Event::Adopted { formula, from } => self.note(&format!("used, from {from}: {formula}")),
            Event::Phase { name } => self.note(name),
            Event::Covered { vertex, by } => self.note(&format!("{vertex} is covered by {by}")),
            _ => {}
        }
    }

    /// A text, cut if it is long, left out if there is too much already.
    fn kept(&mut self, text: &str) -> String {
        let text = match self.written {
            MOST_TEXT.. => cut(text, 20),
            _ => cut(text, LONGEST_TEXT),
        };
        self.written += text.len();
        text
    }

    fn note(&mut self, text: &str) {
        if self.pending.notes.len() < MOST_NOTES && self.written < MOST_TEXT {
            let text = self.kept(text);
            self.pending.notes.push(text);
        }
    }

    fn begin_step(&mut self, step: u64, size: [usize; 3], seconds: f64) {
        let [nodes, edges, predicates] = size;
        let happened = std::mem::take(&mut self.pending);
        if self.steps.last().is_some_and(|last| last.step >= step) {
            self.scene_ends = true;
        }
        self.steps.push(StepRecord {
            step,
            part: self.part.clone(),
            nodes,
            edges,
            predicates,
            ms: ((seconds - self.begun).max(0.0) * 1000.0) as u64,
            solver_ms: self.solver_milliseconds,
            ..happened
        });
    }

    fn draw(&mut self, picture: &sectile_engine::Picture, seconds: f64) {
        let is_diagram = picture.title == "verification diagram";
        let is_new = self.steps.last().is_none_or(|s| s.step != picture.step);
        if is_new || is_diagram {
            let (nodes, edges) = (picture.nodes.len(), picture.edges.len());
            let predicates = self.steps.last().map_or(0, |s| s.predicates);
            self.begin_step(picture.step, [nodes, edges, predicates], seconds);
        }
        let title = self.kept(&picture.title);
        let at = self.steps.len() - 1;
        self.steps[at].title = title;
        // What was told between the size and the picture belongs to both.
        let splits = std::mem::take(&mut self.pending.splits);
        self.steps[at].splits.extend(splits);
        if self.parts() + picture.nodes.len() + picture.edges.len() > MOST_PARTS {
            return;
        }
        if std::mem::take(&mut self.scene_ends) || is_diagram || self.scenes.is_empty() {
            let title = match is_diagram {
                true => picture.title.clone(),
                false => self.part.clone(),
            };
            self.scenes.push(Scene::new(title, at));
        }
        let scene = self.scenes.len() - 1;
        let splits: Vec<_> = self.steps[at].splits.iter().collect();
        for split in splits {
            self.scenes[scene].split(split.node, split.halves);
        }
        self.scenes[scene].show(at, picture);
        self.steps[at].scene = Some(scene);
        // The next scene starts from nothing.
        self.scene_ends = is_diagram;
    }

    fn find_path(&mut self, nodes: &[usize], relations: &[String]) {
        let relations = relations.iter().take(LONGEST_PATH);
        let relations: Vec<String> = relations.map(|r| self.kept(r)).collect();
        let scene = self.steps.last().and_then(|s| s.scene);
        let places = scene.and_then(|s| self.scenes[s].places_of(nodes));
        let path = PathRecord {
            places: places.unwrap_or_default(),
            nodes: nodes.iter().take(LONGEST_PATH).copied().collect(),
            relations,
            ..PathRecord::default()
        };
        match self.steps.last_mut() {
            // Several paths may be found before the graph changes: the last one counts.
            Some(step) => step.path = Some(path),
            None => self.pending.path = Some(path),
        }
    }

    fn path(&mut self) -> Option<&mut PathRecord> {
        let step = self.steps.last_mut().unwrap_or(&mut self.pending);
        Some(step.path.get_or_insert_with(PathRecord::default))
    }

    fn bear(&mut self, predicate: &str, source: &'static str) {
        let text = self.kept(predicate);
        if self.predicates.iter().any(|p| p.text == text) {
            return;
        }
        self.pending.born.push(self.predicates.len());
        self.predicates.push(PredicateRecord {
            text,
            source,
            step: self.steps.len(),
            splits: 0,
            used: false,
        });
    }

    fn split(&mut self, node: usize, halves: [usize; 2], predicate: &str) {
        let predicate = self.kept(predicate);
        let mut known = self.predicates.iter_mut();
        if let Some(known) = known.find(|p| p.text == predicate) {
            known.splits += 1;
        }
        self.pending.splits.push(SplitRecord {
            node,
            halves,
            predicate,
        });
    }

    fn slice(&mut self, what: &Sliced, reason: SliceReason) {
        let counts = self.pending.sliced.entry(reason.word()).or_default();
        match what {
            Sliced::Node { .. } => counts[0] += 1,
            Sliced::Relation { .. } => counts[1] += 1,
        }
    }

    /// The story for the page. `graphs` says whether its graphs are shown as well; `evidence` are
    /// the texts of the proof.
    pub(crate) fn finish(mut self, graphs: bool, evidence: &str) -> StoryData {
        if !self.pending.is_empty() {
            let last = self.steps.last().cloned().unwrap_or_default();
            let pending = std::mem::take(&mut self.pending);
            let only_words = pending.splits.is_empty() && pending.path.is_none();
            match self.steps.last_mut() {
                Some(step) if only_words => step.notes.extend(pending.notes),
                _ => self.steps.push(StepRecord {
                    step: last.step,
                    part: last.part,
                    nodes: last.nodes,
                    edges: last.edges,
                    predicates: last.predicates,
                    ms: last.ms,
                    ..pending
                }),
            }
        }
        for predicate in &mut self.predicates {
            predicate.used = !evidence.is_empty() && mentions(evidence, &predicate.text);
        }
        let mut scenes = Vec::new();
        if graphs {
            let firsts: Vec<usize> = self.scenes.iter().map(|s| s.first).collect();
            for (k, scene) in self.scenes.into_iter().enumerate() {
                let end = firsts.get(k + 1).copied().unwrap_or(self.steps.len());
                scenes.push(scene.finish(end.saturating_sub(1)));
            }
        } else {
            for step in &mut self.steps {
                step.scene = None;
                if let Some(path) = &mut step.path {
                    path.places.clear();
                }
            }
        }
        StoryData {
            engine: self.engine,
            property: self.property,
            steps: self.steps,
            scenes,
            predicates: self.predicates,
        }
    }
}

/// Whether a formula occurs in a text, not inside a longer name or number.
fn mentions(text: &str, formula: &str) -> bool {
    let is_word = |c: char| c.is_alphanumeric() || "_.[]'".contains(c);
    text.match_indices(formula).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + formula.len()..].chars().next();
        !before.is_some_and(is_word) && !after.is_some_and(is_word)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_formula_is_not_found_inside_another_name() {
        assert!(mentions("pc = 1 and x <= 2", "x <= 2"));
        assert!(!mentions("max <= 2", "x <= 2"));
        assert!(!mentions("x <= 25", "x <= 2"));
    }
}
