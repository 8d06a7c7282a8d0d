// The counterexample: a table of states in which what changed is bright, lanes for processes, and
// columns for expressions.

/** Of longer runs so many states are shown at once. */
const PAGE = 250;

/** The states of a run with all values, from what changed in each step. */
function statesOf(evidence) {
  const states = [];
  let known = new Map(Object.entries(evidence.constants || {}));
  const omitted = evidence.omitted;
  evidence.steps.forEach((step, k) => {
    const values = new Map(known);
    for (const [name, value] of Object.entries(step.changes)) values.set(name, value);
    const number = omitted && k >= omitted.after ? k + omitted.states : k;
    // Behind a gap it is not known what changed before.
    const gap = omitted && k === omitted.after;
    // What the source does not spell out, such as the time that passes, has no line.
    const edge = edgeOf(step.label);
    if (edge && !edge.lines) step.line = null;
    states.push({ ...step, number, values, gap: gap ? omitted.states : 0 });
    known = values;
  });
  return states;
}

function traceCard(property) {
  const evidence = property.evidence;
  const derivation = property.page.derivation;
  const states = statesOf(evidence);
  // Behind calls, values are those of a procedure: they are not carried on.
  const carried = !derivation && states.every((s) => !s.label.startsWith("  "));
  const names = columnNames(states);
  const changed = new Set(states.slice(1).flatMap((s) => Object.keys(s.changes)));
  const mentioned = new Set(names.filter((n) => mentions(property, n)));
  const mattering = names.filter((n) => changed.has(n) || mentioned.has(n));
  const view = {
    form: "table",
    all: mattering.length === 0 || !carried,
    expressions: [],
    page: 0,
    selected: null,
  };
  const body = el("div", { class: "trace-body" });
  const complaint = el("span", { class: "complaint", role: "alert" });
  const input = el("input", { type: "text", placeholder: "x + y <= 3", "aria-label": "An expression as a column", size: 18, spellcheck: false });
  const add = (event) => {
    event.preventDefault();
    try {
      view.expressions.push({ text: input.value.trim(), of: expression(input.value) });
      input.value = "";
      complaint.textContent = "";
      draw();
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      complaint.textContent = error.message;
    }
  };
  const known = symbolsOf(states);

  /** The value of an expression in a state, or why it has none. */
  function valueOf(of, k) {
    const env = (i) => ({
      bound: {},
      get before() { return i > 0 ? env(i - 1) : null; },
      value(name) {
        const text = states[i].values.get(name) ?? data.input.parameters[name];
        if (text !== undefined) return readValue(text);
        if (known.has(name)) return name;
        throw new ExpressionError("there is no `" + name + "`");
      },
    });
    try {
      return writeValue(of(env(k)));
    } catch (error) {
      if (!(error instanceof ExpressionError)) throw error;
      return "– " + error.message;
    }
  }

  function shownStates() {
    const from = view.page * PAGE;
    return states.slice(from, from + PAGE).map((s, i) => [from + i, s]);
  }

  function stepCell(state, k) {
    const inputs = Object.entries(state.inputs || {});
    return el("td", { class: "step" },
      el("span", { class: "label" }, state.label),
      inputs.length ? el("span", { class: "inputs" }, " (" + inputs.map(([n, v]) => n + " = " + v).join(", ") + ")") : null,
      state.location && k > 0 ? el("span", { class: "to" }, " → " + state.location) : null,
      state.line ? el("span", { class: "line" }, " line " + state.line) : null);
  }

  function row(k, state, cells) {
    const loop = evidence.back_to !== null && evidence.back_to !== undefined;
    const inLoop = loop && state.number >= evidence.back_to;
    return el("tr", {
      class: (inLoop ? "loop " : "") + (loop && state.number === evidence.back_to ? "loop-start" : ""),
      tabindex: view.selected === k || (view.selected === null && k === 0) ? "0" : "-1",
      "data-state": k,
      "aria-selected": String(view.selected === k),
      onclick: () => select(k, true),
    }, el("th", { scope: "row" }, String(state.number)), cells);
  }

  function gapRow(state, width) {
    return state.gap ? el("tr", { class: "gap" }, el("td", { colspan: width }, count(state.gap, "state") + " left out")) : null;
  }

  function table() {
    const columns = view.all ? names : mattering;
    const head = el("tr", {}, el("th", {}, "#"), el("th", {}, "step"),
      columns.map((n) => el("th", { class: mentioned.has(n) ? "named" : "" }, n)),
      view.expressions.map((e, i) => el("th", { class: "own" }, e.text, " ",
        button("×", () => { view.expressions.splice(i, 1); draw(); }, { class: "remove", "aria-label": "Remove the column " + e.text }))));
    const rows = shownStates().flatMap(([k, state]) => {
      const cells = columns.map((n) => {
        const now = n in state.changes;
        const value = carried ? state.values.get(n) : state.changes[n];
        return el("td", { class: "value " + (now && k > 0 ? "changed" : k === 0 ? "first" : "") }, value ?? "");
      });
      const own = view.expressions.map((e) => {
        const value = valueOf(e.of, k);
        const before = k > 0 ? valueOf(e.of, k - 1) : value;
        return el("td", { class: "value own " + (value !== before ? "changed" : k === 0 ? "first" : "") }, value);
      });
      return [gapRow(state, columns.length + 2 + own.length), row(k, state, [stepCell(state, k), cells, own])];
    });
    return el("table", { class: "trace" }, el("thead", {}, head), el("tbody", {}, rows));
  }

  function lanes() {
    const { families, variables } = data.model;
    const list = families.flatMap((f, i) => {
      const all = [];
      for (let p = f.first; p <= f.last; p++) all.push({ key: i + "/" + p, name: f.name + "[" + p + "]" });
      return all;
    });
    const laneOf = new Map(variables.map((v) => [v.name, v.process ? v.process.join("/") : ""]));
    const fieldOf = new Map(variables.map((v) => [v.name, v.field || v.name]));
    const head = el("tr", {}, el("th", {}, "#"), list.map((l) => el("th", {}, l.name)), el("th", {}, "shared"));
    const rows = shownStates().flatMap(([k, state]) => {
      const edge = edgeOf(state.label);
      const acting = new Set((edge?.processes || []).map((p) => p.join("/")));
      const cells = [...list, { key: "", name: "" }].map((lane) => {
        const mine = Object.entries(state.changes).filter(([n]) => (laneOf.get(n) ?? "") === lane.key);
        const acts = k > 0 && (lane.key ? acting.has(lane.key) : acting.size === 0);
        const name = state.label.startsWith(lane.name + ".") ? state.label.slice(lane.name.length + 1) : state.label;
        return el("td", { class: "lane" + (acts ? " acts" : "") },
          acts ? el("span", { class: "chip" }, name) : null,
          mine.map(([n, v]) => el("span", { class: "set" }, (fieldOf.get(n) || n) + " = " + v)));
      });
      return [gapRow(state, list.length + 2), row(k, state, cells)];
    });
    return el("table", { class: "trace lanes" }, el("thead", {}, head), el("tbody", {}, rows));
  }

  function pager() {
    const pages = Math.ceil(states.length / PAGE);
    if (pages < 2) return null;
    const go = (page) => { view.page = Math.max(0, Math.min(pages - 1, page)); draw(); };
    return el("div", { class: "pager" }, button("Earlier", () => go(view.page - 1), { disabled: view.page === 0 }),
      " states " + states[view.page * PAGE].number + " to " + states[Math.min(states.length, (view.page + 1) * PAGE) - 1].number + " ",
      button("Later", () => go(view.page + 1), { disabled: view.page === pages - 1 }));
  }

  function select(k, focus) {
    if (k < 0 || k >= states.length) return;
    view.selected = k;
    const page = Math.floor(k / PAGE);
    if (page !== view.page) { view.page = page; draw(); }
    for (const tr of body.querySelectorAll("tr[data-state]")) {
      const mine = Number(tr.dataset.state) === k;
      tr.setAttribute("aria-selected", String(mine));
      tr.tabIndex = mine ? 0 : -1;
      if (mine && focus) { tr.focus({ preventScroll: true }); tr.scrollIntoView({ block: "nearest" }); }
    }
    tell({ kind: "line", lines: states[k].line ? [states[k].line] : [] });
  }

  function keys(event) {
    if (!event.target.closest("tr[data-state]")) return;
    const from = view.selected ?? 0;
    const moves = { ArrowDown: from + 1, ArrowUp: from - 1, Home: 0, End: states.length - 1, PageDown: from + 10, PageUp: from - 10 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    event.stopPropagation();
    select(Math.max(0, Math.min(states.length - 1, moves[event.key])), true);
  }

  function draw() {
    const shown = view.form === "lanes" ? lanes() : table();
    replace(body, el("div", { class: "scroll", tabindex: "-1" }, shown), pager());
  }

  body.addEventListener("keydown", keys);
  const constants = Object.entries(evidence.constants || {});
  const tools = el("div", { class: "tools" },
    data.model.families.length && carried ? choice("Form", [["table", "Table"], ["lanes", "Lanes"]], "table", (form) => { view.form = form; draw(); }) : null,
    mattering.length < names.length && carried ? choice("Variables", [["some", "What matters"], ["all", "All"]], view.all ? "all" : "some", (v) => { view.all = v === "all"; draw(); }) : null,
    property.page.test ? copyButton("Copy as a test", property.page.test, "A test that replays the run") : null,
    copyButton("Copy as JSON", JSON.stringify(asItf(property, states), null, 1), "The run"));
  draw();
  const title = evidence.back_to !== null && evidence.back_to !== undefined ? "A run that violates it, for ever" : derivation ? "A derivation that violates it" : "A run that violates it";
  return card(title, { class: "trace-card", tools },
    evidence.conclusion ? el("p", { class: "why" }, el("strong", {}, "Why: "), quotedText(evidence.conclusion)) : null,
    constants.length ? el("p", { class: "constants" }, "Constants: ", constants.map(([n, v], i) => [i ? ", " : "", code(n + " = " + v)])) : null,
    derivation ? derivationTree(derivation) : null,
    body,
    evidence.back_to !== null && evidence.back_to !== undefined ? el("p", { class: "again" }, "↺ and again from state " + evidence.back_to) : null,
    carried ? el("form", { class: "add-column", onsubmit: add }, el("label", {}, "Column: ", input), el("button", {}, "Add"), complaint,
      el("span", { class: "hint" }, "such as ", code("x + 1 <= y"), ", ", code("forall i in 1..n: P[i].x >= 0"), " or ", code("x - prev(x)"))) : null);
}

/** Names of variables in the order of the model, then whatever else changed. */
function columnNames(states) {
  const all = new Set(states.flatMap((s) => Object.keys(s.changes)));
  const known = data.model.variables.map((v) => v.name).filter((n) => all.delete(n));
  return known.concat([...all]);
}

/** Whether the property or the conclusion speaks of a variable. */
function mentions(property, name) {
  const field = name.replace(/\[-?\d+\]/g, "");
  const texts = [property.page.text?.text || "", property.evidence.conclusion || ""];
  const last = field.split(".").pop();
  return texts.some((t) => t.includes(name) || (last.length > 0 && new RegExp("(^|[^\\w])" + last.replace(/[^\w]/g, "\\$&") + "($|[^\\w])").test(t)));
}

/** Texts that are values in some state: the values of enumerations. */
function symbolsOf(states) {
  const known = new Set();
  for (const state of states) for (const v of state.values.values()) if (typeof readValue(v) === "string") known.add(v);
  const words = data.source.match(/\{[^{}]*\}/g) || [];
  for (const list of words) for (const word of list.match(/[A-Za-z_]\w*/g) || []) known.add(word);
  return known;
}

/** Parts between backquotes as code. */
function quotedText(text) {
  return text.split("`").map((part, i) => (i % 2 ? code(part) : part));
}

/** The run in the Informal Trace Format, which other tools read. */
function asItf(property, states) {
  const value = (text) => {
    const v = readValue(text);
    return isNumber(v) && v.d === 1n ? (v.n > -(2n ** 53n) && v.n < 2n ** 53n ? Number(v.n) : { "#bigint": String(v.n) }) : typeof v === "boolean" ? v : text;
  };
  const itf = {
    "#meta": { format: "ITF", source: data.input.file, property: property.name, status: "violated" },
    vars: [...new Set(states.flatMap((s) => [...s.values.keys()]))],
    states: states.map((s) => ({ "#meta": { index: s.number, step: s.label }, ...Object.fromEntries([...s.values].map(([n, v]) => [n, value(v)])) })),
  };
  if (property.evidence.back_to !== null && property.evidence.back_to !== undefined) itf.loop = property.evidence.back_to;
  return itf;
}
