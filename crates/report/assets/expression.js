// Expressions over the states of a run, in the words of the model: typed by whoever reads.
// Numbers are exact fractions.

class ExpressionError extends Error {}

function fraction(n, d) {
  if (d === 0n) throw new ExpressionError("division by zero");
  if (d < 0n) { n = -n; d = -d; }
  let a = n < 0n ? -n : n, b = d;
  while (b) [a, b] = [b, a % b];
  return { n: n / (a || 1n), d: d / (a || 1n) };
}

const isNumber = (v) => typeof v === "object";
const less = (a, b) => a.n * b.d < b.n * a.d;
const same = (a, b) => (isNumber(a) && isNumber(b) ? a.n === b.n && a.d === b.d : a === b);

/** A value as the report writes it: a truth value, a number, or something else by its text. */
function readValue(text) {
  if (text === "true" || text === "false") return text === "true";
  const match = /^(-?\d+)(?:\/(\d+))?$/.exec(text);
  return match ? fraction(BigInt(match[1]), BigInt(match[2] || 1)) : text;
}

function writeValue(value) {
  if (!isNumber(value)) return String(value);
  return value.d === 1n ? String(value.n) : value.n + "/" + value.d;
}

const TOKEN = /\s*(?:(\d+(?:\.\d+)?)(?!\.\d)|(`[^`]*`|[A-Za-z_$][\w$!#@~']*)|(\.\.|<=|>=|=>|==|!=|<>|&&|\|\||[-+*\/%()<>=!,:.\[\]]))/y;

function tokens(text) {
  const list = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < text.length && text.slice(TOKEN.lastIndex).trim()) {
    const at = TOKEN.lastIndex;
    // `1..n` is a range: the number ends before the dots.
    const ranged = /^\s*(\d+)(?=\.\.)/.exec(text.slice(at));
    if (ranged) {
      list.push({ number: ranged[1] });
      TOKEN.lastIndex = at + ranged[0].length;
      continue;
    }
    const match = TOKEN.exec(text);
    if (!match) throw new ExpressionError("cannot read `" + short(text.slice(at).trim(), 12) + "`");
    if (match[1] !== undefined) list.push({ number: match[1] });
    else if (match[2] !== undefined) list.push({ word: match[2].replace(/`/g, ""), quoted: match[2][0] === "`" });
    else list.push({ sign: match[3] });
  }
  return list;
}

/** Reads an expression; the result is a function of an environment with `value(name)` and `before`. */
function expression(text) {
  const list = tokens(text);
  let at = 0;
  const peek = (...signs) => {
    const token = list[at];
    return token && !token.quoted && signs.includes(token.sign || token.word) ? token.sign || token.word : null;
  };
  const take = (...signs) => { const found = peek(...signs); if (found) at++; return found; };
  const want = (sign) => { if (!take(sign)) throw new ExpressionError("expected `" + sign + "`"); };
  const truth = (v) => {
    if (typeof v !== "boolean") throw new ExpressionError("`" + writeValue(v) + "` is neither true nor false");
    return v;
  };
  const number = (v) => {
    if (!isNumber(v)) throw new ExpressionError("`" + v + "` is no number");
    return v;
  };

  function whole() {
    const quantifier = take("forall", "exists", "sum", "count");
    if (!quantifier) return implication();
    const name = list[at++]?.word;
    if (!name) throw new ExpressionError("expected a name after `" + quantifier + "`");
    want("in");
    const from = sum(); want(".."); const to = sum();
    const more = take(",");
    let body;
    if (more) { list.splice(at, 0, { word: quantifier }); body = whole(); } else { want(":"); body = whole(); }
    return (env) => {
      const first = number(from(env)).n, last = number(to(env)).n;
      if (last - first > 10000n) throw new ExpressionError("the range is too long");
      let total = fraction(0n, 1n);
      for (let i = first; i <= last; i++) {
        const inner = { ...env, bound: { ...env.bound, [name]: fraction(i, 1n) } };
        const v = body(inner);
        if (quantifier === "forall" && !truth(v)) return false;
        if (quantifier === "exists" && truth(v)) return true;
        if (quantifier === "sum") total = fraction(total.n * number(v).d + v.n * total.d, total.d * v.d);
        if (quantifier === "count" && truth(v)) total = fraction(total.n + 1n, 1n);
      }
      return quantifier === "forall" ? true : quantifier === "exists" ? false : total;
    };
  }
  function implication() {
    const left = disjunction();
    if (!take("=>", "implies")) return left;
    const right = whole();
    return (env) => !truth(left(env)) || truth(right(env));
  }
  function disjunction() {
    let left = conjunction();
    while (take("or", "||")) { const a = left, b = conjunction(); left = (env) => truth(a(env)) || truth(b(env)); }
    return left;
  }
  function conjunction() {
    let left = negation();
    while (take("and", "&&")) { const a = left, b = negation(); left = (env) => truth(a(env)) && truth(b(env)); }
    return left;
  }
  function negation() {
    if (peek("forall", "exists")) return whole();
    if (!take("not", "!")) return comparison();
    const inner = negation();
    return (env) => !truth(inner(env));
  }
  function comparison() {
    const first = sum();
    const rest = [];
    for (let sign; (sign = take("<=", ">=", "<", ">", "==", "=", "!=", "<>"));) rest.push([sign, sum()]);
    if (!rest.length) return first;
    const holds = (sign, a, b) => {
      switch (sign) {
        case "=": case "==": return same(a, b);
        case "!=": case "<>": return !same(a, b);
        case "<": return less(number(a), number(b));
        case ">": return less(number(b), number(a));
        case "<=": return !less(number(b), number(a));
        default: return !less(number(a), number(b));
      }
    };
    return (env) => {
      let left = first(env);
      for (const [sign, side] of rest) {
        const right = side(env);
        if (!holds(sign, left, right)) return false;
        left = right;
      }
      return true;
    };
  }
  function sum() {
    let left = product();
    for (let sign; (sign = take("+", "-"));) {
      const a = left, b = product(), factor = sign === "+" ? 1n : -1n;
      left = (env) => {
        const x = number(a(env)), y = number(b(env));
        return fraction(x.n * y.d + factor * y.n * x.d, x.d * y.d);
      };
    }
    return left;
  }
  function product() {
    let left = signed();
    for (let sign; (sign = take("*", "/", "%", "mod", "div"));) {
      const a = left, b = signed();
      left = (env) => {
        const x = number(a(env)), y = number(b(env));
        if (sign === "*") return fraction(x.n * y.n, x.d * y.d);
        if (sign === "/") return fraction(x.n * y.d, x.d * y.n);
        if (y.n === 0n || x.d !== 1n || y.d !== 1n) throw new ExpressionError("no integer division of these");
        const size = y.n < 0n ? -y.n : y.n;
        const remainder = ((x.n % size) + size) % size;
        return sign === "div" ? fraction((x.n - remainder) / y.n, 1n) : fraction(remainder, 1n);
      };
    }
    return left;
  }
  function signed() {
    if (!take("-")) return primary();
    const inner = signed();
    return (env) => { const v = number(inner(env)); return fraction(-v.n, v.d); };
  }
  function call(name) {
    const list = [whole()];
    while (take(",")) list.push(whole());
    want(")");
    if (name === "prev") {
      return (env) => {
        if (!env.before) throw new ExpressionError("there is no state before");
        return list[0]({ ...env.before, bound: env.bound });
      };
    }
    if (name === "abs") return (env) => { const v = number(list[0](env)); return v.n < 0n ? fraction(-v.n, v.d) : v; };
    return (env) => list.map((f) => number(f(env))).reduce((a, b) => (less(a, b) === (name === "max") ? b : a));
  }
  function primary() {
    const token = list[at++];
    if (!token) throw new ExpressionError("something is missing at the end");
    if (token.number !== undefined) {
      const [whole, part = ""] = token.number.split(".");
      const value = fraction(BigInt(whole + part), 10n ** BigInt(part.length));
      return () => value;
    }
    if (token.sign === "(") { const inner = whole(); want(")"); return inner; }
    if (token.word === undefined) throw new ExpressionError("cannot read `" + token.sign + "` here");
    if (!token.quoted && (token.word === "true" || token.word === "false")) return () => token.word === "true";
    if (!token.quoted && token.word === "if") {
      const test = whole(); want("then"); const yes = whole(); want("else"); const no = whole();
      return (env) => (truth(test(env)) ? yes(env) : no(env));
    }
    if (["prev", "abs", "min", "max"].includes(token.word) && take("(")) return call(token.word);
    const parts = [() => token.word];
    for (;;) {
      if (take("[")) {
        const index = sum();
        want("]");
        parts.push((env) => "[" + writeValue(index(env)) + "]");
      } else if (peek(".") && list[at + 1]?.word !== undefined) {
        at++;
        const field = list[at++].word;
        parts.push(() => "." + field);
      } else break;
    }
    return (env) => {
      const name = parts.map((p) => p(env)).join("");
      if (env.bound && name in env.bound) return env.bound[name];
      return env.value(name);
    };
  }

  if (!list.length) throw new ExpressionError("type an expression");
  const result = whole();
  if (at < list.length) {
    const rest = list[at];
    throw new ExpressionError("cannot read `" + (rest.sign || rest.word || rest.number) + "` here");
  }
  return result;
}
