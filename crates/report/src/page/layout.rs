//! Places of nodes that stay where they are while the graph changes.
//!
//! The first nodes stand in layers, by their distance from the initial ones. Each has a region of
//! cells, as many as its parts need at the same time; a part has a row of these cells, and is drawn
//! in the first of them. So what a node is split into stands where the node stood, and nothing
//! ever moves. Parts that are never there together may have the same cells.

use std::collections::BTreeMap;

/// A layer that is higher than this continues in a second column.
const HIGHEST_LAYER: usize = 12;

/// What is drawn for a node, until it is split or removed.
#[derive(Clone, Debug)]
pub(crate) struct Outline {
    /// The number of the node.
    pub id: usize,
    /// What it was split from; parents come before their parts.
    pub parent: Option<usize>,
    /// The first and the last step that shows it.
    shown: Option<(usize, usize)>,
    /// Its distance from the initial nodes when it was shown first.
    depth: Option<usize>,
    error: bool,
}

impl Outline {
    pub(crate) fn new(id: usize, parent: Option<usize>) -> Outline {
        Outline {
            id,
            parent,
            shown: None,
            depth: None,
            error: false,
        }
    }

    /// It is there in a step.
    pub(crate) fn show(&mut self, step: usize, depth: Option<usize>, error: bool) {
        match &mut self.shown {
            Some((_, last)) => *last = step,
            None => (self.shown, self.depth, self.error) = (Some((step, step)), depth, error),
        }
    }
}

/// Where everything is, in cells.
#[derive(Debug, Default)]
pub(crate) struct Layout {
    pub cells: Vec<[usize; 2]>,
    /// Shape, left, top, width and height of the region of every first node.
    pub regions: Vec<[usize; 5]>,
    pub size: [usize; 2],
}

/// What is known of a shape and of all it is split into.
#[derive(Clone, Copy, Debug, Default)]
struct Extent {
    /// How many cells it needs.
    cells: usize,
    /// When the first of it is shown, and when the last.
    first: Option<usize>,
    last: Option<usize>,
    /// When it is replaced by its parts, if it is.
    split: Option<usize>,
}

/// How the cells of a shape go to its two parts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Division {
    /// The first part has the first cells, the second those behind them.
    Apart { swapped: bool },
    /// One part is gone before the other one is split: it has the last cells, the other one all.
    Shared { brief: usize },
}

impl Layout {
    pub(crate) fn new(shapes: &[Outline], edges: impl Iterator<Item = (usize, usize)>) -> Layout {
        let parts = parts(shapes);
        let extents = extents(shapes, &parts);
        let roots = roots(shapes);
        let mut layout = Layout {
            cells: vec![[0, 0]; shapes.len()],
            ..Layout::default()
        };
        let places = layout.place_roots(shapes, &roots, &extents, edges);
        // The row of cells of each shape, inside the region of its root.
        let mut rows: Vec<(usize, usize)> = extents.iter().map(|e| (0, e.cells)).collect();
        for (s, shape) in shapes.iter().enumerate() {
            if let Some([a, b]) = parts[s] {
                let (from, length) = rows[s];
                let end = from + length;
                let [na, nb] = [extents[a].cells, extents[b].cells];
                (rows[a], rows[b]) = match division(shapes, &extents, [a, b]) {
                    Division::Apart { swapped: false } => ((from, na), (from + na, nb)),
                    Division::Apart { swapped: true } => ((from + nb, na), (from, nb)),
                    Division::Shared { brief: 0 } => ((end - na.min(length), na), (from, nb)),
                    Division::Shared { .. } => ((from, na), (end - nb.min(length), nb)),
                };
            }
            let root = roots[s];
            let Some(&[left, top, height]) = places.get(&root) else {
                continue;
            };
            let at = rows[s].0;
            let (column, row) = (at / height, at % height);
            // Columns go down and up in turns, so that neighbours in the row are neighbours.
            let row = if column % 2 == 0 {
                row
            } else {
                height - 1 - row
            };
            layout.cells[s] = [left + column, top + row];
            let _ = shape;
        }
        layout
    }

    /// Places the regions of the first nodes in layers; left, top and height of each.
    fn place_roots(
        &mut self,
        shapes: &[Outline],
        roots: &[usize],
        extents: &[Extent],
        edges: impl Iterator<Item = (usize, usize)>,
    ) -> BTreeMap<usize, [usize; 3]> {
        let firsts = (0..shapes.len()).filter(|&s| shapes[s].parent.is_none());
        let deepest = shapes.iter().filter_map(|s| s.depth).max().unwrap_or(0);
        let mut layers: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for s in firsts.filter(|&s| extents[s].cells > 0) {
            let layer = match (shapes[s].depth, shapes[s].error) {
                (Some(0), _) => 0,
                // Errors stand at the end.
                (_, true) => deepest + 2,
                (Some(depth), false) => depth,
                (None, false) => deepest + 1,
            };
            layers.entry(layer).or_default().push(s);
        }
        let mut before: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        for (from, to) in edges {
            let (from, to) = (roots[from], roots[to]);
            if from != to {
                before.entry(to).or_default().push(from);
            }
        }
        let mut places: BTreeMap<usize, [usize; 3]> = BTreeMap::new();
        let mut left = 0;
        for list in layers.values_mut() {
            // Below what leads here, in the order of the layer before.
            let wish = |s: &usize| {
                let known = before.get(s).into_iter().flatten();
                let tops: Vec<usize> = known.filter_map(|p| Some(places.get(p)?[1])).collect();
                match tops.len() {
                    0 => 0,
                    n => 1000 * tops.iter().sum::<usize>() / n,
                }
            };
            let mut wishes: Vec<(usize, usize)> = list.iter().map(|s| (wish(s), *s)).collect();
            wishes.sort_unstable();
            left = self.place_layer(&wishes, extents, left, &mut places);
        }
        self.size[0] = left;
        self.centre(&mut places);
        places
    }

    /// Places one layer; gives where the next one begins.
    fn place_layer(
        &mut self,
        order: &[(usize, usize)],
        extents: &[Extent],
        left: usize,
        places: &mut BTreeMap<usize, [usize; 3]>,
    ) -> usize {
        let (mut left, mut top, mut widest) = (left, 0, 0);
        let all: usize = order.iter().map(|(_, s)| extents[*s].cells).sum();
        let highest = HIGHEST_LAYER.max((2 * all).isqrt());
        for &(_, s) in order {
            let cells = extents[s].cells;
            let height = (2 * cells).isqrt().max(1);
            let width = cells.div_ceil(height);
            if top > 0 && top + height > highest {
                (left, top, widest) = (left + widest, 0, 0);
            }
            places.insert(s, [left, top, height]);
            self.regions.push([s, left, top, width, height]);
            (top, widest) = (top + height, widest.max(width));
            self.size[1] = self.size[1].max(top);
        }
        left + widest
    }

    /// Moves every column to the middle of the height.
    fn centre(&mut self, places: &mut BTreeMap<usize, [usize; 3]>) {
        let mut heights: BTreeMap<usize, usize> = BTreeMap::new();
        for &[_, left, top, _, height] in &self.regions {
            let highest = heights.entry(left).or_default();
            *highest = (*highest).max(top + height);
        }
        for region in &mut self.regions {
            let shift = (self.size[1] - heights[&region[1]]) / 2;
            region[2] += shift;
            if let Some(place) = places.get_mut(&region[0]) {
                place[1] += shift;
            }
        }
    }
}

/// What every shape is split into.
fn parts(shapes: &[Outline]) -> Vec<Option<[usize; 2]>> {
    let mut parts: Vec<Vec<usize>> = vec![Vec::new(); shapes.len()];
    for (s, shape) in shapes.iter().enumerate() {
        if let Some(parent) = shape.parent {
            parts[parent].push(s);
        }
    }
    parts.into_iter().map(|p| p.try_into().ok()).collect()
}

/// The first node that every shape comes from.
fn roots(shapes: &[Outline]) -> Vec<usize> {
    let mut roots: Vec<usize> = Vec::new();
    for (s, shape) in shapes.iter().enumerate() {
        roots.push(shape.parent.map_or(s, |p| roots[p]));
    }
    roots
}

fn extents(shapes: &[Outline], parts: &[Option<[usize; 2]>]) -> Vec<Extent> {
    let mut extents = vec![Extent::default(); shapes.len()];
    for s in (0..shapes.len()).rev() {
        let own = shapes[s].shown;
        let mut extent = Extent {
            cells: usize::from(own.is_some()),
            first: own.map(|o| o.0),
            last: own.map(|o| o.1),
            split: None,
        };
        if let Some([a, b]) = parts[s] {
            let [ea, eb] = [extents[a], extents[b]];
            let cells = match division(shapes, &extents, [a, b]) {
                Division::Apart { .. } => ea.cells + eb.cells,
                Division::Shared { brief: 0 } => eb.cells.max(ea.cells + 1),
                Division::Shared { .. } => ea.cells.max(eb.cells + 1),
            };
            let firsts = ea.first.into_iter().chain(eb.first);
            extent.split = firsts.min();
            extent.cells = extent.cells.max(cells);
            extent.first = extent.first.into_iter().chain(extent.split).min();
            extent.last = extent.last.max(ea.last).max(eb.last);
        }
        extents[s] = extent;
    }
    extents
}

fn division(shapes: &[Outline], extents: &[Extent], [a, b]: [usize; 2]) -> Division {
    let [ea, eb] = [extents[a], extents[b]];
    // While the brief one is there, the other one is drawn as one node, in its first cell.
    let brief = |brief: Extent, other: Extent, s: usize| {
        let drawn = shapes[s].shown.is_some();
        drawn && brief.cells > 0 && other.split.is_none_or(|split| brief.last < Some(split))
    };
    if brief(ea, eb, b) && ea.last <= eb.last {
        return Division::Shared { brief: 0 };
    }
    if brief(eb, ea, a) {
        return Division::Shared { brief: 1 };
    }
    let far = usize::MAX;
    let depth = |s: usize| shapes[s].depth.unwrap_or(far);
    Division::Apart {
        swapped: depth(b) < depth(a),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    /// A random history of splits and removals; no two shapes that are there together may share a
    /// cell, and parts stay in the region of the node they come from.
    #[test]
    fn nothing_overlaps_and_nothing_leaves_its_region() {
        let mut rng = sectile_base::Rng::new(7);
        for _ in 0..50 {
            let mut shapes: Vec<Outline> = (0..4).map(|i| Outline::new(i, None)).collect();
            let mut live: Vec<usize> = (0..4).collect();
            let mut seen: Vec<Vec<usize>> = Vec::new();
            for step in 0..40 {
                for _ in 0..=rng.below(2) {
                    if live.is_empty() {
                        break;
                    }
                    let at = rng.below(live.len() as u64) as usize;
                    let parent = live.swap_remove(at);
                    for _ in 0..2 {
                        live.push(shapes.len());
                        shapes.push(Outline::new(shapes.len(), Some(parent)));
                    }
                }
                for &s in &live {
                    shapes[s].show(step, Some(s % 5), false);
                }
                seen.push(live.clone());
                live.retain(|_| rng.below(3) > 0);
            }
            let layout = Layout::new(&shapes, std::iter::empty());
            let roots = roots(&shapes);
            for together in &seen {
                let places: BTreeSet<[usize; 2]> =
                    together.iter().map(|&s| layout.cells[s]).collect();
                assert_eq!(places.len(), together.len());
                for &s in together {
                    let region = layout.regions.iter().find(|r| r[0] == roots[s]);
                    let &[_, left, top, width, height] = region.expect("it has one");
                    let [x, y] = layout.cells[s];
                    assert!((left..left + width).contains(&x), "{s}: {x} in {region:?}");
                    assert!((top..top + height).contains(&y), "{s}: {y} in {region:?}");
                }
            }
        }
    }
}
