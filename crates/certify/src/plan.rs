//! Enumeration of initial states and steps by evaluation.

use crate::ctl_bounds::bounds;
use crate::values::{Code, Values};
use rustc_hash::FxHashMap;
use sectile_model::{Command, Model};
use sectile_terms::{Node, Sort, Stage, Substitution, Symbol, Term, Terms, Value, evaluate};

/// Maximum size of an integer range that is enumerated.
const LARGEST_RANGE: i64 = 1 << 16;

/// The positions of values: current values of the variables, symbolic constants, and for steps the
/// next values of the variables and the inputs.
#[derive(Clone)]
pub struct Scope {
    slots: FxHashMap<(Symbol, Stage), usize>,
}

impl Scope {
    /// The variables and the constants.
    pub fn of_states(model: &Model) -> Scope {
        let symbols = model.variables.iter().chain(&model.rigid).enumerate();
        Scope {
            slots: symbols.map(|(i, &s)| ((s, Stage::Now), i)).collect(),
        }
    }

    /// The number of values.
    pub fn width(&self) -> usize {
        self.slots.len()
    }

    /// The position of a variable's value.
    pub fn slot(&self, symbol: Symbol, stage: Stage) -> Option<usize> {
        self.slots.get(&(symbol, stage)).copied()
    }

    /// Adds a position for a value; none if it exists already.
    fn add(&mut self, symbol: Symbol, stage: Stage) -> Option<usize> {
        let slot = self.width();
        let old = self.slots.insert((symbol, stage), slot);
        old.is_none().then_some(slot)
    }
}

/// A term that is evaluated often, with memoised results.
pub struct Function {
    term: Term,
    variables: Vec<((Symbol, Stage), usize)>,
    /// The position, if the term is a variable.
    copied: Option<usize>,
    known: FxHashMap<Box<[Code]>, Option<Code>>,
}

impl Function {
    /// None if the term has variables that are not in the scope.
    pub fn new(terms: &Terms, scope: &Scope, term: Term) -> Option<Function> {
        let variables = terms.free_vars(term).into_iter();
        let place = |v: (Symbol, Stage)| Some((v, scope.slot(v.0, v.1)?));
        Some(Function {
            term,
            variables: variables.map(place).collect::<Option<_>>()?,
            copied: match *terms.node(term) {
                Node::Var(symbol, stage) => scope.slot(symbol, stage),
                _ => None,
            },
            known: FxHashMap::default(),
        })
    }

    /// The value of the term; none if it cannot be evaluated.
    pub fn value(&mut self, values: &mut Values<'_>, frame: &[Code]) -> Option<Code> {
        if let Some(slot) = self.copied {
            return Some(frame[slot]);
        }
        let key: Vec<Code> = self.variables.iter().map(|v| frame[v.1]).collect();
        if let Some(&known) = self.known.get(&key[..]) {
            return known;
        }
        let valuation = |symbol, stage| {
            let mut variables = self.variables.iter();
            let found = variables.find(|v| v.0 == (symbol, stage))?;
            Some(values.value(frame[found.1]).clone())
        };
        let value = evaluate(values.terms, self.term, &valuation).ok();
        let code = value.map(|v| values.code(v));
        self.known.insert(key.into(), code);
        code
    }

    /// Whether the term is true; none if it cannot be evaluated.
    pub fn holds(&mut self, values: &mut Values<'_>, frame: &[Code]) -> Option<bool> {
        let code = self.value(values, frame)?;
        values.value(code).as_bool()
    }
}

/// An action between two lists of conditions.
pub enum Move {
    /// Chooses one of these values; none if they are unknown or too many.
    Choose {
        symbol: Symbol,
        slot: usize,
        domain: Option<Vec<Code>>,
    },
    /// Assigns the next values of the variables that a command sets.
    Assign(Vec<(usize, Function)>),
}

/// Conditions interleaved with moves; each is evaluated as soon as all its variables have values.
pub struct Plan {
    pub moves: Vec<Move>,
    /// The conditions before each move, and after the last one.
    pub conditions: Vec<Vec<Function>>,
    slots: usize,
}

/// Receives solutions; returns none to reject one.
type Visit<'v> = dyn FnMut(&mut Values<'_>, &[Code]) -> Option<()> + 'v;

impl Plan {
    /// The initial states. None if something in them cannot be evaluated.
    pub fn of_initial_states(
        values: &mut Values<'_>,
        model: &Model,
        scope: &Scope,
    ) -> Option<Plan> {
        let terms = values.terms;
        let parts = conjuncts(terms, model.init.iter().chain(&model.restrict));
        let mut plan = Plan::new(scope.width());
        for (slot, &symbol) in model.variables.iter().chain(&model.rigid).enumerate() {
            plan.choose(values, symbol, Stage::Now, slot, &parts);
        }
        plan.add_conditions(terms, scope, &parts, |slot| slot + 1)?;
        Some(plan)
    }

    /// The steps of a command, without `restrict`: inputs, then assignments, then unassigned
    /// variables. None if something in them cannot be evaluated.
    pub fn of_command(
        values: &mut Values<'_>,
        model: &Model,
        states: &Scope,
        command: &Command,
    ) -> Option<Plan> {
        let (terms, width) = (values.terms, states.width());
        let (mut before, mut all) = (states.clone(), states.clone());
        for &variable in &model.variables {
            all.add(variable, Stage::Next)?;
        }
        let mut plan = Plan::new(width + model.variables.len() + command.inputs.len());
        let parts = conjuncts(terms, command.guards.iter().chain(&command.relations));
        let mut ready: FxHashMap<usize, usize> = FxHashMap::default();
        let mut known = restrict_after(terms, model, command);
        known.extend(&parts);
        for &input in &command.inputs {
            let slot = all.add(input, Stage::Now)?;
            before.slots.insert((input, Stage::Now), slot);
            plan.choose(values, input, Stage::Now, slot, &known);
            ready.insert(slot, plan.moves.len());
        }
        let mut updates = Vec::new();
        for update in &command.updates {
            let slot = all.slot(update.symbol, Stage::Next)?;
            updates.push((slot, Function::new(terms, &before, update.value)?));
            let old = ready.insert(slot, plan.moves.len() + 1);
            old.is_none().then_some(())?;
        }
        plan.moves.push(Move::Assign(updates));
        for variable in command.unassigned(&model.variables) {
            let slot = all.slot(variable, Stage::Next)?;
            plan.choose(values, variable, Stage::Next, slot, &known);
            ready.insert(slot, plan.moves.len());
        }
        let level = |slot: usize| ready.get(&slot).copied().unwrap_or(0);
        plan.add_conditions(terms, &all, &parts, level)?;
        Some(plan)
    }

    fn new(slots: usize) -> Plan {
        Plan {
            moves: Vec::new(),
            conditions: Vec::new(),
            slots,
        }
    }

    fn choose(
        &mut self,
        values: &mut Values<'_>,
        symbol: Symbol,
        stage: Stage,
        slot: usize,
        parts: &[Term],
    ) {
        let domain = domain(values.terms, symbol, stage, parts);
        let domain = domain.map(|list| list.into_iter().map(|v| values.code(v)).collect());
        self.moves.push(Move::Choose {
            symbol,
            slot,
            domain,
        });
    }

    /// Places conditions after the earliest move at which all their variables have values.
    fn add_conditions(
        &mut self,
        terms: &Terms,
        scope: &Scope,
        parts: &[Term],
        level: impl Fn(usize) -> usize,
    ) -> Option<()> {
        self.conditions.resize_with(self.moves.len() + 1, Vec::new);
        for &part in parts {
            let function = Function::new(terms, scope, part)?;
            let levels = function.variables.iter().map(|v| level(v.1));
            self.conditions[levels.max().unwrap_or(0)].push(function);
        }
        Some(())
    }

    /// A state with space for the other values.
    pub fn frame(&self, row: &[Code]) -> Vec<Code> {
        let mut frame = row.to_vec();
        frame.resize(self.slots, Code::default());
        frame
    }

    /// Visits every solution from move `level` on. None if a solution is rejected, if some values
    /// are unknown or cannot be evaluated, or if this takes more than `left` tries.
    pub fn each(
        &mut self,
        values: &mut Values<'_>,
        level: usize,
        frame: &mut [Code],
        left: &mut usize,
        visit: &mut Visit<'_>,
    ) -> Option<()> {
        *left = left.checked_sub(1)?;
        for condition in &mut self.conditions[level] {
            if !condition.holds(values, frame)? {
                return Some(());
            }
        }
        let (slot, count) = match self.moves.get_mut(level) {
            None => return visit(values, frame),
            Some(Move::Assign(updates)) => {
                values.assign(updates, frame)?;
                return self.each(values, level + 1, frame, left, visit);
            }
            Some(Move::Choose { slot, domain, .. }) => (*slot, domain.as_ref()?.len()),
        };
        for k in 0..count {
            if let Move::Choose { domain, .. } = &self.moves[level] {
                frame[slot] = domain.as_ref()?[k];
            }
            self.each(values, level + 1, frame, left, visit)?;
        }
        Some(())
    }
}

/// The restrictions on the state after a command, with its assignments substituted.
pub(crate) fn restrict_after(terms: &Terms, model: &Model, command: &Command) -> Vec<Term> {
    let updates = command.updates.iter();
    let values: Substitution = updates.map(|u| (terms.next(u.symbol), u.value)).collect();
    let after = |&r: &Term| terms.substitute(terms.prime(r), &values);
    let after: Vec<Term> = model.restrict.iter().map(after).collect();
    conjuncts(terms, &after)
}

pub(crate) fn conjuncts<'t>(terms: &Terms, list: impl IntoIterator<Item = &'t Term>) -> Vec<Term> {
    let list = list.into_iter();
    list.flat_map(|&t| terms.conjuncts(t)).collect()
}

/// All values of a variable under these formulas; none if there may be many.
pub(crate) fn domain(
    terms: &Terms,
    symbol: Symbol,
    stage: Stage,
    parts: &[Term],
) -> Option<Vec<Value>> {
    match terms.symbol_sort(symbol) {
        Sort::Bool => Some(vec![Value::Bool(false), Value::Bool(true)]),
        Sort::Enum(id) => {
            let variants = u32::try_from(terms.enum_info(id).variants.len()).ok()?;
            Some((0..variants).map(|k| Value::Enum(id, k)).collect())
        }
        Sort::Int => {
            let (low, high) = range(terms, (symbol, stage), parts)?;
            (high.checked_sub(low)? < LARGEST_RANGE).then_some(())?;
            Some((low..=high).map(|k| Value::Int(k.into())).collect())
        }
        Sort::Real | Sort::Array(_) => None,
    }
}

/// The smallest integer range of a variable that single formulas imply.
fn range(terms: &Terms, variable: (Symbol, Stage), parts: &[Term]) -> Option<(i64, i64)> {
    let (mut low, mut high) = (None, None);
    for bound in parts.iter().filter_map(|&p| bounds(terms, p)).flatten() {
        match (bound.left, bound.right) {
            (Some(v), None) if v == variable => {
                high = Some(high.map_or(bound.most, |old: i64| old.min(bound.most)));
            }
            (None, Some(v)) if v == variable => {
                let least = bound.most.checked_neg()?;
                low = Some(low.map_or(least, |old: i64| old.max(least)));
            }
            _ => {}
        }
    }
    low.zip(high)
}
