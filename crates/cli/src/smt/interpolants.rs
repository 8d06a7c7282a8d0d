//! Interpolants of sequences and trees of named assertions.

use crate::smt::interpreter::{Interpreter, Last};
use sectile_base::Diagnostic;
use sectile_smtlib::{Command, Sexp, print_term};
use sectile_solver::{Interpolation, Interpolator as _};
use sectile_solver_native::interpolate::{Method, NativeInterpolator, Settings};
use sectile_terms::Term;

/// A node of the tree: its formula, and the number of preceding nodes in its subtree.
struct TreeNode {
    formula: Term,
    below: usize,
}

impl Interpreter<'_, '_> {
    /// `(get-interpolants A B C)` or, for trees, `(get-interpolants A (B C) D)`.
    ///
    /// The parts come in post-order; a list in parentheses is a subtree that is a sibling of the
    /// parts before it, so that a plain sequence is a tree without branches. Assertions that are
    /// not named in the command belong to the last part.
    pub fn get_interpolants(
        &mut self,
        command: &Command<'_>,
        list: &[Sexp],
    ) -> Result<String, Diagnostic> {
        if !matches!(self.last, Last::Unsat { .. }) {
            let why = "there are no interpolants: the last answer was not unsat";
            return Err(self.fail(command, why));
        }
        let mut used = Vec::new();
        let mut parts = Vec::new();
        self.parts(command, list, &mut parts, &mut used)?;
        if parts.len() < 2 {
            return Err(self.fail(command, "interpolants need two parts or more"));
        }
        let others = self.assertions.iter().enumerate();
        let others = others.filter(|(i, _)| !used.contains(i));
        let rest: Vec<Term> = others.map(|(_, a)| a.formula).collect();
        if let Some(last) = parts.last_mut() {
            last.formula = self.terms.and(rest.into_iter().chain([last.formula]));
        }
        let found = self
            .tree_interpolants(command, &parts, self.options.interpolation)?
            .0;
        let texts: Vec<String> = found.iter().map(|&t| print_term(self.terms, t)).collect();
        if let Some(sorts) = &mut self.sorts
            && !texts.iter().all(|text| sorts.accepts(text))
        {
            let why = "the interpolant that was found needs an order on a declared sort";
            return Err(self.fail(command, why));
        }
        let mut answer = format!("({})", texts.join("\n"));
        if self.options.compare {
            answer += &self.comparison(command, &parts)?;
        }
        Ok(answer)
    }

    /// A table, as comments: the interpolants of all methods, their sizes, and the method that was
    /// used where the requested one did not apply.
    fn comparison(&self, command: &Command<'_>, parts: &[TreeNode]) -> Result<String, Diagnostic> {
        let mut table = String::from("\n; method            size  by               interpolants");
        for method in Method::ALL {
            let settings = Settings {
                method,
                ..self.options.interpolation
            };
            let name = method.to_string();
            let row = match self.tree_interpolants(command, parts, settings) {
                Ok((found, by)) => {
                    let size = self.terms.post_order(&found).len();
                    let texts = found.iter().map(|&t| print_term(self.terms, t));
                    let texts: Vec<String> = texts.collect();
                    let by: Vec<String> = by.iter().map(ToString::to_string).collect();
                    let by = by.join(", ");
                    format!("\n; {name:<16} {size:>5}  {by:<16} {}", texts.join("  "))
                }
                Err(why) => format!("\n; {name:<16} {}", why.message),
            };
            table += &row;
        }
        Ok(table)
    }

    /// The parts of a list, in post-order. The first one of a list starts a subtree; each further
    /// one is the parent of everything before it in the list.
    fn parts(
        &self,
        command: &Command<'_>,
        list: &[Sexp],
        parts: &mut Vec<TreeNode>,
        used: &mut Vec<usize>,
    ) -> Result<(), Diagnostic> {
        // Nested lists are processed with a stack: no recursion on user input.
        let mut stack: Vec<(Vec<Sexp>, usize, usize)> = vec![(list.to_vec(), 0, parts.len())];
        while let Some((items, next, start)) = stack.pop() {
            let Some(&item) = items.get(next) else {
                continue;
            };
            stack.push((items, next + 1, start));
            let inner = self.tree.list(item);
            let head = inner
                .and_then(|l| l.first())
                .and_then(|&h| self.tree.symbol(h));
            match inner {
                Some(inner) if head != Some("and") => {
                    stack.push((inner.to_vec(), 0, parts.len()));
                }
                _ => {
                    let names = match inner {
                        Some(inner) => &inner[1..],
                        None => std::slice::from_ref(&item),
                    };
                    let formula = self.conjunction(command, names, used)?;
                    let below = parts.len() - start;
                    parts.push(TreeNode { formula, below });
                }
            }
        }
        Ok(())
    }

    fn conjunction(
        &self,
        command: &Command<'_>,
        names: &[Sexp],
        used: &mut Vec<usize>,
    ) -> Result<Term, Diagnostic> {
        let mut formulas = Vec::new();
        for &e in names {
            let name = self.tree.symbol(e);
            let found = self
                .assertions
                .iter()
                .position(|a| a.name.is_some() && a.name.as_deref() == name);
            let Some(index) = found else {
                let shown = self.tree.source(e);
                let message = format!("there is no assertion named {shown}");
                return Err(self.fail(command, message));
            };
            used.push(index);
            formulas.push(self.assertions[index].formula);
        }
        Ok(self.terms.and(formulas))
    }

    /// One interpolant for each part but the last, and the methods that computed them.
    ///
    /// Each subtree is replaced by its interpolant once that is known. The rest stays
    /// unsatisfiable, so a node and the interpolants of its children imply the interpolant of its
    /// subtree: a tree interpolant by construction.
    fn tree_interpolants(
        &self,
        command: &Command<'_>,
        parts: &[TreeNode],
        settings: Settings,
    ) -> Result<(Vec<Term>, Vec<Method>), Diagnostic> {
        let budget = self.budget();
        let mut interpolator = NativeInterpolator::with_settings(self.terms, settings);
        // The current formula of each part; `true` for those inside a replaced subtree.
        let mut standing: Vec<Term> = parts.iter().map(|p| p.formula).collect();
        let mut found = Vec::new();
        for (i, part) in parts.iter().enumerate().take(parts.len() - 1) {
            let inside = self.terms.and(standing[i - part.below..=i].iter().copied());
            let before = standing[..i - part.below].iter();
            let outside = self.terms.and(before.chain(&standing[i + 1..]).copied());
            let answer = interpolator.sequence(&[inside, outside], &budget);
            match answer.map_err(|e| self.fail(command, e.to_string()))? {
                Interpolation::Unsat(list) if list.len() == 1 => {
                    standing[i - part.below..i].fill(self.terms.tt());
                    standing[i] = list[0];
                    found.push(list[0]);
                }
                Interpolation::Unsat(_) | Interpolation::Sat(_) => {
                    return Err(self.fail(command, "the parts are not contradictory"));
                }
                Interpolation::Unknown(why) => {
                    return Err(self.fail(command, format!("no interpolant was found: {why:?}")));
                }
            }
        }
        let statistics = interpolator.statistics();
        let answered = |m: &Method| statistics.answered_by(*m) > 0;
        let by = Method::ALL.into_iter().filter(answered).collect();
        Ok((found, by))
    }
}
