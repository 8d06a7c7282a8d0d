// Proofs, and what is known where there is no verdict.

function proofCard(property) {
  const evidence = property.evidence;
  const notes = [];
  let inner = evidence;
  while (inner.invariants) {
    if (inner.kind === "k-induction") notes.push("The invariant is " + inner.depth + "-inductive: it holds in the first " + inner.depth + " states of every run, and after so many states in which it holds it holds again.");
    for (const loop of inner.loops || []) notes.push("The loop at " + loop.location + " is left after fewer than " + count(loop.rounds, "round") + ", or never.");
    inner = inner.invariants;
  }
  const places = inner.kind === "invariant" ? [{ location: null, conjuncts: inner.conjuncts }] : inner.locations || [];
  const obligations = property.page.obligations;
  const title = places.length === 1 && places[0].location === null ? "Why it holds: an invariant" : data.input.language === "chc" ? "Why it holds: what the predicates mean" : "Why it holds: an invariant for every location";
  const tools = el("div", { class: "tools" }, property.page.test ? copyButton("Copy as a test", property.page.test, "A test that checks the proof again") : null);
  return card(title, { class: "proof-card", tools },
    notes.map((n) => el("p", { class: "note" }, n)),
    el("div", { class: "places" }, places.map((p) => placeOf(p, obligations, property))),
    obligations ? obligationList(obligations, property) : null);
}

function placeOf(place, obligations, property) {
  const line = place.location === null ? null : locationLines.get(place.location);
  const entering = (obligations?.steps || []).filter((s) => place.location !== null && s.to === place.location);
  return el("div", { class: "place" },
    place.location === null ? null : el("h3", {}, "at ", line ? lineButton(place.location, [line]) : code(place.location)),
    el("ul", { class: "conjuncts" }, place.conjuncts.map((c) => el("li", {}, formula(c)))),
    entering.length ? el("details", {}, el("summary", {}, count(entering.length, "step") + " leads here".replace("leads", entering.length === 1 ? "leads" : "lead")),
      el("ul", {}, entering.map((s) => el("li", {}, "from ", code(String(s.from)), " by ", lineButton(s.step, [s.line]))))) : null);
}

/** A formula; a long one has one alternative a line. */
function formula(text) {
  if (text.length <= 100) return code(text);
  const lines = [""];
  let depth = 0, quoted = false;
  for (const part of text.split(/( or |[()\[\]`])/)) {
    if (part === "`") quoted = !quoted;
    else if (!quoted && (part === "(" || part === "[")) depth++;
    else if (!quoted && (part === ")" || part === "]")) depth--;
    if (part === " or " && depth === 0 && !quoted) lines.push("or ");
    else lines[lines.length - 1] += part;
  }
  return el("span", { class: "formula" }, lines.map((l) => code(l)));
}

/** A name that shows its lines in the source. */
function lineButton(text, lines) {
  if (!lines[0]) return code(short(text, 80));
  return button(short(text, 80), () => tell({ kind: "line", lines, scroll: true }), { class: "link", title: "line " + lines[0] });
}

function obligationList(o, property) {
  const tick = property.certified ? "✓" : "·";
  const state = property.certified ? "all checked again by the independent checker" : "not checked";
  const at = (l) => (l === null ? "" : " at " + l);
  const depth = o.depth || 1;
  const items = [
    el("li", {}, el("span", { class: "tick" }, tick), depth > 1 ? "The first " + depth + " states of every run satisfy it." : "Every initial state satisfies it" + at(o.entry) + "."),
    o.steps.map((s) => el("li", {}, el("span", { class: "tick" }, tick), lineButton(s.step, [s.line]),
      s.from === null ? " leads from states of the invariant to such states." : " leads from the invariant at " + [s.from, ...s.premises].join(" and ") + " to the one at " + s.to + ".")),
    el("li", {}, el("span", { class: "tick" }, tick), "States of the invariant satisfy ", code(o.property), "."),
  ];
  return el("details", { class: "obligations" }, el("summary", {}, count(o.count, "obligation") + ", " + state),
    o.partial ? el("p", {}, "Locations without an invariant of their own are passed on the way from one to the next: the steps are checked along these ways.") : null,
    el("ul", {}, items));
}

function unknownCard(property) {
  const e = property.explanation || {};
  const facts = [];
  const fact = (name, ...content) => facts.push(el("dt", {}, name), el("dd", {}, content));
  fact("Reason", property.reason || "unknown");
  if (property.reached) fact("Reached", property.reached);
  if (e.bound !== undefined && !(property.reached || "").includes("no violation has")) fact("Bound", "No violation has " + count(e.bound, "step") + " or fewer.");
  if (e.family) {
    fact("Diverging", code(e.family.pattern), " – " + count(e.family.members.length, "predicate") + " of " + e.family.engine + " that differ in their numbers only:",
      el("ul", { class: "conjuncts" }, e.family.members.slice(0, 12).map((m) => el("li", {}, code(m)))),
      e.family.members.length > 12 ? "and " + (e.family.members.length - 12) + " more" : null);
  }
  if (e.candidate) fact("Candidate", code(e.candidate.formula), " would prove it, but a step leaves it:", candidateTable(e.candidate));
  if ((e.engines || []).length > 1) {
    fact("Engines", el("table", { class: "plain" }, el("tbody", {}, e.engines.map((w) =>
      el("tr", {}, el("th", { scope: "row" }, w.engine), el("td", {}, w.reason), el("td", {}, w.reached))))));
  }
  return card("What is known", { class: "unknown-card" }, el("dl", {}, facts),
    property.hint ? el("div", { class: "next" }, el("h3", {}, "What to try"), [property.hint, ...(e.others || [])].map(nextCommand)) : null);
}

function nextCommand(text) {
  return el("div", { class: "command" }, code(text), copyButton("Copy", text, "The command"));
}

function candidateTable(candidate) {
  const names = Object.keys(candidate.before);
  return el("div", { class: "scroll" }, el("table", { class: "trace" },
    el("thead", {}, el("tr", {}, el("th", {}, ""), names.map((n) => el("th", {}, n)))),
    el("tbody", {},
      el("tr", {}, el("th", { scope: "row" }, "before"), names.map((n) => el("td", { class: "value first" }, candidate.before[n]))),
      el("tr", {}, el("th", { scope: "row" }, candidate.step), names.map((n) => {
        const now = n in candidate.after;
        return el("td", { class: "value " + (now ? "changed" : "") }, now ? candidate.after[n] : candidate.before[n]);
      })))));
}

/** What follows from what: the last fact, and below each fact what it rests on. */
function derivationTree(derivation) {
  const { steps, first } = derivation;
  let shown = 0;
  const seen = new Set();
  const node = (k, depth) => {
    const step = steps[k - first];
    if (!step || ++shown > 600) return el("li", {}, "…");
    const again = seen.has(k);
    seen.add(k);
    const parts = step.from.filter((p) => p !== k);
    const title = [code(short(step.fact, 120)), " by ", step.line ? lineButton(step.by || "a clause", [step.line]) : step.by || ""];
    if (!parts.length || again) return el("li", { class: "leaf" }, title, again && parts.length ? " (above)" : null);
    return el("li", {}, el("details", { open: depth < 5 }, el("summary", {}, title), el("ul", {}, parts.map((p) => node(p, depth + 1)))));
  };
  // The depth is that of the derivation; long chains are cut by the number of nodes shown.
  const last = first + steps.length - 1;
  return el("div", { class: "derivation" }, el("ul", {}, node(last, 0)));
}
