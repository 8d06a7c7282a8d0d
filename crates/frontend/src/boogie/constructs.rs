//! Constructs of Boogie that are not supported.

use crate::syntax::Construct;

const DOCUMENTED: &str = "docs/format/boogie.md lists what is supported";
const NUMBERS: &str = "use `int` or `real`, with `mod` where numbers wrap around";

const fn construct(name: &'static str, help: &'static str) -> Construct {
    Construct { name, help }
}

/// `<a>[a]int`
pub const POLYMORPHIC_MAP: Construct = construct(
    "maps with type parameters",
    "declare a map for each type that is stored in it",
);
/// `[[int]int]int`
pub const MAP_FROM_MAPS: Construct = construct(
    "maps from maps",
    "the indices of a map may be `int`, `real` and `bool`",
);
/// `b := (forall i : int :: e)`; conditions may have quantifiers.
pub const QUANTIFIER: Construct = construct(
    "quantifiers inside of values",
    "`assert`, `assume`, contracts and the conditions of statements may have them",
);
pub const LAMBDA: Construct = construct("lambda expressions", DOCUMENTED);
pub const BIT_VECTOR: Construct = construct("bit-vectors", NUMBERS);
pub const FLOAT: Construct = construct("floating-point numbers", NUMBERS);
pub const TEXT: Construct = construct("texts and regular expressions", DOCUMENTED);
/// `type Field a;`
pub const USER_TYPE: Construct = construct(
    "types with parameters",
    "declare a type for each argument that occurs: `type FieldInt;`",
);
/// `type Pointer = { base : int, offset : int };`, `x!base`
pub const RECORD: Construct = construct("records", "declare a variable for each field");
/// `{:builtin "bvand"}`
pub const FOREIGN_FUNCTION: Construct = construct(
    "functions whose meaning an attribute gives",
    "define the function: `{ ... }` after its result, or leave out the attribute for an arbitrary function",
);
pub const CONCURRENCY: Construct = construct(
    "`fork`, `join`, `atomic` and other concurrency",
    "only sequential programs are supported",
);
pub const CALL_FORALL: Construct = construct(
    "`call forall`",
    "call the procedure with the arguments that matter",
);
/// `<:`, `extends`
pub const PARTIAL_ORDER: Construct = construct("partial orders of constants", DOCUMENTED);
/// `**`
pub const POWER: Construct = construct("powers", "only linear arithmetic is supported");
/// `|{ ... }|`
pub const CODE_EXPRESSION: Construct = construct("code expressions", DOCUMENTED);
/// `(var x := e; f)`
pub const LET: Construct = construct("let expressions", DOCUMENTED);
/// Everything the parser never produces for a program.
pub const OTHER: Construct = construct("expressions of other languages", DOCUMENTED);
