//! Graph algorithms against small drawings, brute force and deep chains.

use sectile_base::digraph::Digraph;
use sectile_base::rng::Rng;

fn graph(nodes: usize, edges: &[(usize, usize)]) -> Digraph {
    let mut graph = Digraph::new(nodes);
    for &(from, to) in edges {
        graph.add_edge(from, to);
    }
    graph
}

/// All edges, by their sources.
fn edges(graph: &Digraph) -> Vec<(usize, usize)> {
    let from = |node| graph.successors(node).map(move |target| (node, target));
    (0..graph.nodes()).flat_map(from).collect()
}

/// Reachability by at least zero edges, by repeated relaxation.
fn closure(graph: &Digraph) -> Vec<Vec<bool>> {
    let n = graph.nodes();
    let mut reach: Vec<Vec<bool>> = (0..n).map(|i| (0..n).map(|j| i == j).collect()).collect();
    for (from, to) in edges(graph) {
        reach[from][to] = true;
    }
    for k in 0..n {
        for i in 0..n {
            for j in 0..n {
                reach[i][j] |= reach[i][k] && reach[k][j];
            }
        }
    }
    reach
}

/// The number of edges of a shortest path, by rounds over all edges.
fn distance(graph: &Digraph, start: usize, goal: usize) -> usize {
    let mut reached = vec![false; graph.nodes()];
    reached[start] = true;
    let mut rounds = 0;
    while !reached[goal] {
        let before = reached.clone();
        for (from, to) in edges(graph) {
            reached[to] |= before[from];
        }
        rounds += 1;
    }
    rounds
}

fn random_graph(rng: &mut Rng) -> Digraph {
    let nodes = 1 + rng.below(9) as usize;
    let edges = rng.below(2 * nodes as u64 + 1);
    let mut graph = Digraph::new(nodes);
    for _ in 0..edges {
        let from = rng.below(nodes as u64) as usize;
        let to = rng.below(nodes as u64) as usize;
        graph.add_edge(from, to);
    }
    graph
}

#[test]
fn components_come_in_reverse_topological_order() {
    let g = graph(6, &[(0, 1), (1, 2), (2, 0), (2, 3), (3, 4), (4, 3), (5, 0)]);
    let components = g.strongly_connected_components();
    assert_eq!(components, [vec![3, 4], vec![0, 1, 2], vec![5]]);
    assert!(Digraph::new(0).strongly_connected_components().is_empty());
}

#[test]
fn components_agree_with_brute_force() {
    let mut rng = Rng::new(1);
    for _ in 0..3000 {
        let g = random_graph(&mut rng);
        let reach = closure(&g);
        let components = g.strongly_connected_components();
        let mut rank = vec![usize::MAX; g.nodes()];
        for (index, component) in components.iter().enumerate() {
            for &node in component {
                assert_eq!(rank[node], usize::MAX);
                rank[node] = index;
            }
        }
        for i in 0..g.nodes() {
            for j in 0..g.nodes() {
                assert_eq!(rank[i] == rank[j], reach[i][j] && reach[j][i]);
                assert!(!reach[i][j] || rank[j] <= rank[i]);
            }
        }
    }
}

#[test]
fn reachability_and_paths_agree_with_brute_force() {
    let mut rng = Rng::new(2);
    for _ in 0..2000 {
        let g = random_graph(&mut rng);
        let reach = closure(&g);
        let start = rng.below(g.nodes() as u64) as usize;
        let goal = rng.below(g.nodes() as u64) as usize;
        assert_eq!(g.reachable_from([start]), reach[start]);
        match g.shortest_path([start], |node| node == goal) {
            None => assert!(!reach[start][goal]),
            Some(path) => {
                assert_eq!((path[0], path[path.len() - 1]), (start, goal));
                assert_eq!(path.len() - 1, distance(&g, start, goal));
                for pair in path.windows(2) {
                    assert!(g.successors(pair[0]).any(|next| next == pair[1]));
                }
            }
        }
    }
}

#[test]
fn shortest_paths_are_short_and_deterministic() {
    let g = graph(6, &[(0, 1), (0, 2), (1, 3), (2, 3), (3, 4), (0, 5), (5, 4)]);
    assert_eq!(g.shortest_path([0], |n| n == 3), Some(vec![0, 1, 3]));
    assert_eq!(g.shortest_path([0], |n| n == 4), Some(vec![0, 5, 4]));
    assert_eq!(g.shortest_path([0, 3], |n| n == 4), Some(vec![3, 4]));
    assert_eq!(g.shortest_path([4, 0], |n| n == 0), Some(vec![0]));
    assert_eq!(g.shortest_path([4], |n| n == 0), None);
    assert_eq!(g.shortest_path([], |_| true), None);
    let mut asked = 0;
    let none = g.shortest_path([0], |_| {
        asked += 1;
        false
    });
    assert_eq!((none, asked), (None, 6));
}

#[test]
fn topological_orders_exist_exactly_without_cycles() {
    let mut rng = Rng::new(3);
    for _ in 0..2000 {
        let g = random_graph(&mut rng);
        let reach = closure(&g);
        let cyclic = edges(&g).iter().any(|&(from, to)| reach[to][from]);
        let Some(order) = g.topological_order() else {
            assert!(cyclic);
            continue;
        };
        assert!(!cyclic);
        let mut position = vec![usize::MAX; g.nodes()];
        for (index, &node) in order.iter().enumerate() {
            position[node] = index;
        }
        for (from, to) in edges(&g) {
            assert!(position[from] < position[to]);
        }
    }
}

#[test]
fn loop_heads_cut_every_reachable_cycle() {
    let mut rng = Rng::new(4);
    for _ in 0..2000 {
        let g = random_graph(&mut rng);
        let entry = rng.below(g.nodes() as u64) as usize;
        let reached = g.reachable_from([entry]);
        let heads = g.loop_heads(entry);
        let reach = closure(&g);
        let mut without = Digraph::new(g.nodes());
        for (from, to) in edges(&g) {
            if reached[from] && !heads.contains(&to) {
                without.add_edge(from, to);
            }
        }
        assert!(without.topological_order().is_some());
        // Every head is reached, and comes back to itself.
        for head in heads {
            assert!(reached[head] && g.successors(head).any(|next| reach[next][head]));
        }
    }
}

#[test]
fn nested_loops_have_their_heads() {
    let g = graph(5, &[(0, 1), (1, 2), (2, 3), (3, 2), (3, 1), (1, 4), (4, 4)]);
    assert_eq!(g.loop_heads(0), [1, 2, 4]);
    assert!(g.loop_heads(4) == [4]);
}

#[test]
fn edges_keep_their_order() {
    let mut g = Digraph::from_successors(4, |n| (n < 2).then_some(n + 1));
    g.add_edge(2, 3);
    g.add_edge(2, 0);
    assert_eq!(edges(&g), [(0, 1), (1, 2), (2, 3), (2, 0)]);
    assert_eq!(edges(&g.reversed()), [(0, 2), (1, 0), (2, 1), (3, 2)]);
}

#[test]
#[should_panic(expected = "leaves the graph")]
fn edges_must_stay_inside() {
    Digraph::new(2).add_edge(0, 2);
}

#[test]
fn a_million_nodes_in_a_row_need_no_deep_stack() {
    let n = 1_000_000;
    let mut g = Digraph::from_successors(n, |node| (node + 1 < n).then_some(node + 1));
    assert_eq!(g.strongly_connected_components().len(), n);
    assert_eq!(g.topological_order(), Some((0..n).collect()));
    assert_eq!(
        g.shortest_path([0], |node| node == n - 1).map(|p| p.len()),
        Some(n)
    );
    assert!(g.reachable_from([0]).into_iter().all(|seen| seen));
    assert!(g.loop_heads(0).is_empty());
    g.add_edge(n - 1, 0);
    assert_eq!(g.strongly_connected_components().len(), 1);
    assert_eq!(g.loop_heads(0), [0]);
    assert_eq!(g.topological_order(), None);
}
