//! Classification of expressions as indices, the size, or data.

use super::{
    ARITHMETIC, ARITHMETIC_HELP, Class, Judge, Judged, Standing, constant, is_data, refuse,
};
use sectile_base::Span;
use sectile_model::scheme::{Over, Use, UseKind};

impl Judge<'_> {
    /// The class of an expression whose inner values are preserved.
    pub(super) fn value(&mut self, used: &Use, under: bool) -> Judged<Class> {
        match &used.kind {
            UseKind::Number(number) => Ok(Class::Number(*number)),
            UseKind::Size => Ok(Class::Size(0)),
            UseKind::Index(id) => Ok(match self.standing.get(id) {
                Some(Standing::Number) => Class::Data,
                Some(_) => Class::Index(*id, 0),
                None => return refuse(used.span, "an index that is not known", ""),
            }),
            UseKind::Variable(name, subscripts) => self.variable(used, name, subscripts, under),
            UseKind::Sum(parts) => self.sum(used.span, parts, under),
            UseKind::Modulo(sides) => {
                let (a, b) = (self.value(&sides.0, under)?, self.value(&sides.1, under)?);
                let is_ring = self.low == 0 && self.shift == -1;
                match (a, b) {
                    (Class::Index(id, add), Class::Size(0)) if is_ring => Ok(Class::Ring(id, add)),
                    (a, b) if is_data(&a) && is_data(&b) => Ok(Class::Data),
                    _ => refuse(used.span, ARITHMETIC, ARITHMETIC_HELP),
                }
            }
            UseKind::Data(parts) => {
                for part in parts {
                    self.data(part, under)?;
                }
                Ok(Class::Data)
            }
            UseKind::Choice(branches, otherwise) => {
                for (condition, value) in branches {
                    self.both(condition, under)?;
                    self.data(value, under)?;
                }
                self.data(otherwise, under)?;
                Ok(Class::Data)
            }
            UseKind::Over(Over::Extreme, binders, body) => {
                let copies = self.copies;
                let terms = self.bind(binders, Standing::Any)?;
                self.data(body, true)?;
                self.copies = copies;
                self.witness(terms, under, used.span, "`max` or `min`")?;
                Ok(Class::Data)
            }
            UseKind::Over(Over::Count | Over::Sum, ..) => refuse(
                used.span,
                "how many processes there are is used as data",
                "a count may be compared with a number",
            ),
            UseKind::Other(what) => refuse(used.span, format!("{what}: this is not supported"), ""),
            UseKind::Truth(_)
            | UseKind::Compare(..)
            | UseKind::And(_)
            | UseKind::Or(_)
            | UseKind::Not(_)
            | UseKind::Over(Over::Forall | Over::Exists, ..) => {
                self.both(used, under)?;
                Ok(Class::Data)
            }
        }
    }

    /// An expression that must not be an index or the size.
    pub(super) fn data(&mut self, used: &Use, under: bool) -> Judged {
        match self.value(used, under)? {
            Class::Number(_) | Class::Plain(_) | Class::Data => Ok(()),
            Class::Size(_) => refuse(
                used.span,
                format!("`{}` is used as data", self.scheme.size),
                "what holds for one number of processes need not for more",
            ),
            Class::Index(..) | Class::Ring(..) | Class::Pointer(..) => {
                refuse(used.span, ARITHMETIC, ARITHMETIC_HELP)
            }
        }
    }

    fn sum(&mut self, span: Span, parts: &[(bool, Use)], under: bool) -> Judged<Class> {
        let mut add = 0;
        let mut found: Option<Class> = None;
        let mut data = false;
        for (minus, part) in parts {
            match (self.value(part, under)?, minus) {
                (Class::Number(number), true) => add -= number,
                (Class::Number(number), false) => add += number,
                (Class::Plain(_) | Class::Data, _) => data = true,
                (class, false) if found.is_none() => found = Some(class),
                _ => return refuse(span, ARITHMETIC, ARITHMETIC_HELP),
            }
        }
        match found {
            None if data => Ok(Class::Data),
            None => Ok(Class::Number(add)),
            Some(_) if data => refuse(span, ARITHMETIC, ARITHMETIC_HELP),
            Some(Class::Size(more)) => Ok(Class::Size(more + add)),
            Some(Class::Index(id, more)) => Ok(Class::Index(id, more + add)),
            Some(Class::Pointer(name, more)) => Ok(Class::Pointer(name, more + add)),
            Some(_) => refuse(span, ARITHMETIC, ARITHMETIC_HELP),
        }
    }

    fn variable(
        &mut self,
        used: &Use,
        name: &str,
        subscripts: &[Use],
        under: bool,
    ) -> Judged<Class> {
        let Some(variable) = self.variables.get(name).copied() else {
            return refuse(used.span, format!("`{name}` is not known"), "");
        };
        if variable.subscripts.len() != subscripts.len() {
            return refuse(used.span, format!("`{name}` has other indices"), "");
        }
        for (range, subscript) in variable.subscripts.iter().zip(subscripts) {
            let is_fixed = matches!(constant(&range.1), Some((0, _)));
            match is_fixed {
                true => self.data(subscript, under)?,
                false => self.subscript(subscript, under)?,
            }
        }
        Ok(match self.pointers.contains_key(name) {
            true => Class::Pointer(name.to_string(), 0),
            false => Class::Plain(name.to_string()),
        })
    }

    /// The index of a process.
    fn subscript(&mut self, used: &Use, under: bool) -> Judged {
        match self.value(used, under)? {
            Class::Index(_, 0) => Ok(()),
            Class::Index(id, add) | Class::Ring(id, add) => {
                if self.standing.get(&id) != Some(&Standing::Term) {
                    let why = "a neighbour of all processes";
                    let help = "processes between the neighbours may be left out";
                    return refuse(used.span, why, help);
                }
                let between = 1..=add.abs();
                let all = between.map(|k| (id, k * add.signum()));
                self.neighbours.extend(all);
                Ok(())
            }
            Class::Number(number) if number >= self.low => {
                self.pin_first(number - self.low + 1);
                Ok(())
            }
            Class::Size(add) if add <= self.shift => {
                self.pin_last(self.shift - add + 1);
                Ok(())
            }
            Class::Pointer(name, add)
                if self.is_ranged(&name) && self.pointers.get(&name) == Some(&-add) =>
            {
                Ok(())
            }
            _ => refuse(
                used.span,
                "the index of a process is read out of a variable",
                "a variable of the type of the indices, outside of processes, may be one",
            ),
        }
    }
}
