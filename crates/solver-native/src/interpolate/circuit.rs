//! Small Boolean circuits for partial interpolants.
//!
//! A refutation has one partial interpolant for each step and cut, and all but the last are
//! discarded. They are therefore kept out of the store of terms, which never forgets.

use super::leaf::Leaf;
use rustc_hash::{FxHashMap, FxHashSet};
use sectile_terms::{Term, Terms};

/// A formula of the circuit.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct Wire(u32);

impl Wire {
    pub const FALSE: Wire = Wire(0);
    pub const TRUE: Wire = Wire(1);
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Gate {
    Constant(bool),
    Leaf(u32),
    /// The conjunction of two wires if `true`, else their disjunction.
    Junction(bool, Wire, Wire),
}

/// Gates, each made once.
pub(super) struct Circuit {
    gates: Vec<Gate>,
    index: FxHashMap<Gate, Wire>,
    leaves: Vec<Leaf>,
    leaf_index: FxHashMap<Leaf, Wire>,
}

impl Circuit {
    pub fn new() -> Circuit {
        Circuit {
            gates: vec![Gate::Constant(false), Gate::Constant(true)],
            index: FxHashMap::default(),
            leaves: Vec::new(),
            leaf_index: FxHashMap::default(),
        }
    }

    fn gate(&self, wire: Wire) -> Gate {
        self.gates[wire.0 as usize]
    }

    /// A leaf; constant ones become constants.
    pub fn leaf(&mut self, leaf: Leaf) -> Wire {
        if let Some(value) = leaf.constant() {
            return if value { Wire::TRUE } else { Wire::FALSE };
        }
        if let Some(&wire) = self.leaf_index.get(&leaf) {
            return wire;
        }
        let wire = Wire(self.gates.len() as u32);
        self.gates.push(Gate::Leaf(self.leaves.len() as u32));
        self.leaves.push(leaf.clone());
        self.leaf_index.insert(leaf, wire);
        wire
    }

    fn complementary(&self, a: Wire, b: Wire) -> bool {
        let (Gate::Leaf(a), Gate::Leaf(b)) = (self.gate(a), self.gate(b)) else {
            return false;
        };
        let (a, b) = (&self.leaves[a as usize], &self.leaves[b as usize]);
        matches!((a, b), (Leaf::Literal(a), Leaf::Literal(b)) if *a == !*b)
    }

    /// The conjunction of two wires, or their disjunction.
    pub fn join(&mut self, a: Wire, b: Wire, conjunction: bool) -> Wire {
        let (neutral, absorbing) = if conjunction {
            (Wire::TRUE, Wire::FALSE)
        } else {
            (Wire::FALSE, Wire::TRUE)
        };
        if a == absorbing || b == absorbing || self.complementary(a, b) {
            return absorbing;
        }
        if a == neutral || a == b {
            return b;
        }
        if b == neutral {
            return a;
        }
        for (outer, inner) in [(a, b), (b, a)] {
            if let Gate::Junction(same, x, y) = self.gate(outer)
                && (x == inner || y == inner)
            {
                return if same == conjunction { outer } else { inner };
            }
        }
        // A gate keeps its arguments in the order of the first request.
        let next = Wire(self.gates.len() as u32);
        let key = Gate::Junction(conjunction, a.min(b), a.max(b));
        let wire = *self.index.entry(key).or_insert(next);
        if wire == next {
            self.gates.push(Gate::Junction(conjunction, a, b));
        }
        wire
    }

    pub fn and(&mut self, a: Wire, b: Wire) -> Wire {
        self.join(a, b, true)
    }

    pub fn or(&mut self, a: Wire, b: Wire) -> Wire {
        self.join(a, b, false)
    }

    /// Builds the terms of wires. Chains of the same operator become one operator.
    pub fn terms(
        &self,
        terms: &Terms,
        roots: &[Wire],
        mut leaf: impl FnMut(&Leaf) -> Term,
    ) -> Vec<Term> {
        let (order, inner) = self.cone(roots);
        let mut done: FxHashMap<Wire, Term> = FxHashMap::default();
        done.insert(Wire::FALSE, terms.ff());
        done.insert(Wire::TRUE, terms.tt());
        for wire in order {
            let term = match self.gate(wire) {
                Gate::Constant(value) => terms.bool(value),
                Gate::Leaf(k) => leaf(&self.leaves[k as usize]),
                Gate::Junction(..) if inner.contains(&wire) => continue,
                Gate::Junction(conjunction, ..) => {
                    let arguments = self.arguments(wire, &inner).into_iter().map(|w| done[&w]);
                    if conjunction {
                        terms.and(arguments)
                    } else {
                        terms.or(arguments)
                    }
                }
            };
            done.insert(wire, term);
        }
        roots.iter().map(|w| done[w]).collect()
    }

    /// The wires below the roots, arguments first, and those that are merged into their only user.
    fn cone(&self, roots: &[Wire]) -> (Vec<Wire>, FxHashSet<Wire>) {
        let mut needed: Vec<bool> = vec![false; self.gates.len()];
        let mut users: FxHashMap<Wire, (u32, Wire)> = FxHashMap::default();
        for root in roots {
            needed[root.0 as usize] = true;
            // A root needs a term of its own, so it counts as used twice.
            users.insert(*root, (2, *root));
        }
        for i in (0..self.gates.len()).rev() {
            if let Gate::Junction(_, a, b) = self.gates[i]
                && needed[i]
            {
                for w in [a, b] {
                    needed[w.0 as usize] = true;
                    users.entry(w).or_insert((0, Wire(i as u32))).0 += 1;
                }
            }
        }
        let dissolves = |&(wire, (count, user)): &(Wire, (u32, Wire))| {
            let gates = (self.gate(wire), self.gate(user));
            let same = matches!(gates, (Gate::Junction(a, ..), Gate::Junction(b, ..)) if a == b);
            count == 1 && same
        };
        let inner = users.into_iter().filter(dissolves).map(|(wire, _)| wire);
        let inner = inner.collect();
        let order = (0..self.gates.len()).filter(|&i| needed[i]);
        (order.map(|i| Wire(i as u32)).collect(), inner)
    }

    fn arguments(&self, root: Wire, inner: &FxHashSet<Wire>) -> Vec<Wire> {
        let mut list = Vec::new();
        let mut stack = vec![root];
        while let Some(wire) = stack.pop() {
            match self.gate(wire) {
                Gate::Junction(_, a, b) if wire == root || inner.contains(&wire) => {
                    stack.extend([b, a]);
                }
                _ => list.push(wire),
            }
        }
        list
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::refutation::ProofLit;
    use sectile_terms::{Sort, SymbolKind};

    fn literal(atom: u32, positive: bool) -> Leaf {
        Leaf::Literal(ProofLit { atom, positive })
    }

    #[test]
    fn gates_are_shared_and_simplified() {
        let mut circuit = Circuit::new();
        let a = circuit.leaf(literal(0, true));
        let not_a = circuit.leaf(literal(0, false));
        let b = circuit.leaf(literal(1, true));
        assert_eq!(circuit.and(a, not_a), Wire::FALSE);
        assert_eq!(circuit.or(a, not_a), Wire::TRUE);
        assert_eq!(circuit.and(a, Wire::TRUE), a);
        let both = circuit.and(a, b);
        assert_eq!(circuit.and(b, a), both);
        assert_eq!(circuit.and(both, a), both);
        assert_eq!(circuit.or(both, a), a);
    }

    #[test]
    fn chains_become_one_operator() {
        let terms = Terms::new();
        let var = |name: &str| terms.var(terms.fresh(name, Sort::Bool, SymbolKind::State));
        let names = ["p", "q", "r"].map(var);
        let mut circuit = Circuit::new();
        let wires: Vec<Wire> = (0..3).map(|i| circuit.leaf(literal(i, true))).collect();
        let first = circuit.and(wires[0], wires[1]);
        let all = circuit.and(first, wires[2]);
        let leaf = |leaf: &Leaf| match leaf {
            Leaf::Literal(l) => names[l.atom as usize],
            _ => unreachable!("only literals are used"),
        };
        let found = circuit.terms(&terms, &[all, Wire::TRUE], leaf);
        assert_eq!(found, [terms.and(names), terms.tt()]);
        assert_eq!(terms.conjuncts(found[0]).len(), 3);
    }
}
