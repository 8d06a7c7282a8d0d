//! A small strict reader of expressions in the native syntax, straight from the table of
//! `docs/format/sct.md`. `if` is only taken at the beginning of an expression: what it reads, every
//! other reader of that table reads the same way.

use super::world::{Kind, World, variants};
use sectile_base::{Int, Rat};
use sectile_terms::{Sort, Stage, Term};

#[derive(Clone, Debug)]
enum Syntax {
    Number(Rat, bool),
    Name(String, bool),
    Call(String, Vec<Syntax>),
    Negative(Box<Syntax>),
    Not(Box<Syntax>),
    Binary(String, Box<Syntax>, Box<Syntax>),
    Join(String, Vec<Syntax>),
    If(Box<[Syntax; 3]>),
}

/// Reads an expression as a term of a sort.
pub fn read(world: &World, text: &str, sort: Sort) -> Term {
    let mut reader = Reader {
        tokens: tokens(text),
        position: 0,
    };
    let syntax = reader.expression();
    assert_eq!(reader.position, reader.tokens.len(), "rest of {text}");
    build(world, &syntax, sort)
}

fn tokens(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    let mut list = Vec::new();
    let mut i = 0;
    while i < chars.len() {
        let start = i;
        let run = |from: usize, ok: &dyn Fn(char) -> bool| {
            let len = chars[from..].iter().take_while(|c| ok(**c)).count();
            from + len
        };
        i = match chars[i] {
            ' ' => {
                i += 1;
                continue;
            }
            '`' => run(i + 1, &|c| c != '`') + 1,
            c if c.is_ascii_digit() => run(i, &|c| c.is_ascii_digit() || c == '.'),
            // Elements such as P[1].pc are one name here.
            c if c.is_alphabetic() || c == '_' => run(i, &|c| {
                c.is_alphanumeric() || matches!(c, '_' | '[' | ']' | '.')
            }),
            '<' if text.get(i..i + 3) == Some("<=>") => i + 3,
            '=' if chars.get(i + 1) == Some(&'>') => i + 2,
            '<' | '>' | '!' if chars.get(i + 1) == Some(&'=') => i + 2,
            _ => i + 1,
        };
        list.push(chars[start..i].iter().collect());
    }
    list
}

struct Reader {
    tokens: Vec<String>,
    position: usize,
}

impl Reader {
    fn take(&mut self, candidates: &[&str]) -> Option<String> {
        let token = self.tokens.get(self.position)?;
        if !candidates.contains(&token.as_str()) {
            return None;
        }
        self.position += 1;
        Some(token.clone())
    }

    fn expect(&mut self, token: &str) {
        assert!(
            self.take(&[token]).is_some(),
            "{token} at {} of {:?}",
            self.position,
            self.tokens
        );
    }

    fn expression(&mut self) -> Syntax {
        if self.take(&["if"]).is_none() {
            return self.equivalence();
        }
        let condition = self.expression();
        self.expect("then");
        let yes = self.expression();
        self.expect("else");
        Syntax::If(Box::new([condition, yes, self.expression()]))
    }

    fn equivalence(&mut self) -> Syntax {
        let mut left = self.implication();
        while let Some(op) = self.take(&["<=>"]) {
            left = Syntax::Binary(op, Box::new(left), Box::new(self.implication()));
        }
        left
    }

    fn implication(&mut self) -> Syntax {
        let left = self.joined("or");
        match self.take(&["=>"]) {
            Some(op) => Syntax::Binary(op, Box::new(left), Box::new(self.implication())),
            None => left,
        }
    }

    /// A chain of one Boolean operator.
    fn joined(&mut self, op: &str) -> Syntax {
        let mut list = Vec::new();
        loop {
            list.push(match op {
                "or" => self.joined("and"),
                _ => self.negation(),
            });
            if self.take(&[op]).is_none() {
                break;
            }
        }
        match list.len() {
            1 => list.remove(0),
            _ => Syntax::Join(op.to_string(), list),
        }
    }

    fn negation(&mut self) -> Syntax {
        if self.take(&["not"]).is_some() {
            return Syntax::Not(Box::new(self.negation()));
        }
        let left = self.sum();
        let Some(op) = self.take(&["=", "!=", "<", "<=", ">", ">="]) else {
            return left;
        };
        let comparison = Syntax::Binary(op, Box::new(left), Box::new(self.sum()));
        let chained = self.take(&["=", "!=", "<", "<=", ">", ">="]);
        assert!(chained.is_none(), "the printer prints no chains");
        comparison
    }

    fn sum(&mut self) -> Syntax {
        let mut left = self.product();
        while let Some(op) = self.take(&["+", "-"]) {
            left = Syntax::Binary(op, Box::new(left), Box::new(self.product()));
        }
        left
    }

    fn product(&mut self) -> Syntax {
        let mut left = self.signed();
        while let Some(op) = self.take(&["*", "/", "div", "mod"]) {
            left = Syntax::Binary(op, Box::new(left), Box::new(self.signed()));
        }
        left
    }

    fn signed(&mut self) -> Syntax {
        match self.take(&["-"]) {
            Some(_) => Syntax::Negative(Box::new(self.signed())),
            None => self.primary(),
        }
    }

    fn primary(&mut self) -> Syntax {
        if self.take(&["("]).is_some() {
            let inner = self.expression();
            self.expect(")");
            return inner;
        }
        let token = self.tokens[self.position].clone();
        self.position += 1;
        if token.starts_with(|c: char| c.is_ascii_digit()) {
            let value = token.parse().expect("a number");
            return Syntax::Number(value, token.contains('.'));
        }
        if self.take(&["("]).is_some() {
            let mut args = vec![self.expression()];
            while self.take(&[","]).is_some() {
                args.push(self.expression());
            }
            self.expect(")");
            return Syntax::Call(token, args);
        }
        let primed = self.take(&["'"]).is_some();
        Syntax::Name(token.trim_matches('`').to_string(), primed)
    }
}

/// The sort that an expression has by itself; none for integers, which may be meant as reals.
fn sort_of(world: &World, syntax: &Syntax) -> Option<Sort> {
    let first = |list: &[Syntax]| list.iter().find_map(|s| sort_of(world, s));
    match syntax {
        Syntax::Number(_, decimal) => decimal.then_some(Sort::Real),
        Syntax::Name(name, _) => match variant(world, name) {
            Some(t) => Some(world.terms.sort(t)),
            None => world
                .terms
                .symbol(name)
                .map_or(Some(Sort::Bool), |s| Some(world.terms.symbol_sort(s))),
        },
        Syntax::Call(name, _) if name == "real" => Some(Sort::Real),
        Syntax::Call(name, _) if name == "floor" => Some(Sort::Int),
        Syntax::Call(_, args) => first(args),
        Syntax::Negative(a) => sort_of(world, a),
        Syntax::Not(_) | Syntax::Join(..) => Some(Sort::Bool),
        Syntax::Binary(op, a, b) => match op.as_str() {
            "+" | "-" | "*" => sort_of(world, a).or_else(|| sort_of(world, b)),
            "/" => Some(Sort::Real),
            "div" | "mod" => Some(Sort::Int),
            _ => Some(Sort::Bool),
        },
        Syntax::If(parts) => first(&parts[1..]),
    }
}

fn variant(world: &World, name: &str) -> Option<Term> {
    let of = |kind: Kind| variants(kind).iter().position(|v| *v == name);
    let color = of(Kind::Color).map(|k| world.terms.variant(world.color, k as u32));
    color.or_else(|| of(Kind::Switch).map(|k| world.terms.variant(world.switch, k as u32)))
}

fn build(world: &World, syntax: &Syntax, sort: Sort) -> Term {
    let t = &world.terms;
    let same = |s: &Syntax| build(world, s, sort);
    match syntax {
        Syntax::Number(value, _) => t.number(value.clone(), sort),
        Syntax::Name(name, primed) => match (name.as_str(), variant(world, name)) {
            ("true", _) => t.tt(),
            ("false", _) => t.ff(),
            (_, Some(value)) => value,
            _ => {
                let stage = if *primed { Stage::Next } else { Stage::Now };
                t.var_at(t.symbol(name).expect("a declared name"), stage)
            }
        },
        Syntax::Call(name, args) => match name.as_str() {
            "abs" => t.abs(same(&args[0])),
            "min" => t.min(same(&args[0]), same(&args[1])),
            "max" => t.max(same(&args[0]), same(&args[1])),
            "real" => t.to_real(build(world, &args[0], Sort::Int)),
            "floor" => t.floor(build(world, &args[0], Sort::Real)),
            other => panic!("unknown function {other}"),
        },
        Syntax::Negative(a) => t.neg(same(a)),
        Syntax::Not(a) => t.not(same(a)),
        Syntax::Join(op, list) if op == "and" => t.and(list.iter().map(same)),
        Syntax::Join(_, list) => t.or(list.iter().map(same)),
        Syntax::If(parts) => t.ite(
            build(world, &parts[0], Sort::Bool),
            same(&parts[1]),
            same(&parts[2]),
        ),
        Syntax::Binary(op, a, b) => binary(world, op, a, b, sort),
    }
}

fn binary(world: &World, op: &str, a: &Syntax, b: &Syntax, sort: Sort) -> Term {
    let t = &world.terms;
    let both = |sort: Sort| (build(world, a, sort), build(world, b, sort));
    let divisor = |sort: Sort| -> Rat {
        let b = build(world, b, sort);
        t.as_number(b).expect("a constant divisor").clone()
    };
    let integer = || -> Int { divisor(Sort::Int).to_int().expect("an integer divisor") };
    match op {
        "<=>" => t.iff(both(Sort::Bool).0, both(Sort::Bool).1),
        "=>" => t.implies(both(Sort::Bool).0, both(Sort::Bool).1),
        "+" => t.add(both(sort).0, both(sort).1),
        "-" => t.sub(both(sort).0, both(sort).1),
        "*" => t.mul(both(sort).0, both(sort).1).expect("a linear product"),
        "/" => t.scale(build(world, a, Sort::Real), &divisor(Sort::Real).recip()),
        "div" => t.div(build(world, a, Sort::Int), &integer()),
        "mod" => t.modulo(build(world, a, Sort::Int), &integer()),
        _ => {
            let sort = sort_of(world, a).or_else(|| sort_of(world, b));
            let (a, b) = both(sort.unwrap_or(Sort::Int));
            match op {
                "=" => t.eq(a, b),
                "!=" => t.neq(a, b),
                "<" => t.lt(a, b),
                "<=" => t.le(a, b),
                ">" => t.gt(a, b),
                _ => t.ge(a, b),
            }
        }
    }
}
