// The replay: every refinement with the abstraction, its path, and the predicates.

const CELL = { w: 244, h: 136 };
const CARD = { w: 172, h: 66 };

/** With more nodes than this, nodes are drawn without words and edges only where they are looked at. */
const MANY = 300;

/** As the recorder numbers them. */
const REASONS = ["", "inconsistent", "unreachable from an initial node", "no error node reachable", "bypassed", "simplified"];

function timelineCard(story, property) {
  const drawn = story.scenes.length > 0 || story.steps.some((s) => s.path?.nodes.length);
  const last = story.steps.length - 1;
  const view = { step: 0, playing: null, node: null, predicate: null };
  const graph = graphView(story, (shape) => { view.node = shape; drawDetails(); });
  const range = el("input", { type: "range", min: 0, max: last, value: 0, step: 1, class: "scrubber", "aria-label": "Step", oninput: (e) => go(Number(e.target.value)) });
  const play = button(icon("play"), () => toggle(), { "aria-label": "Play", class: "icon play" });
  const where = el("output", { class: "where", id: "where" });
  const sparks = sparkLines(story, (k) => go(k));
  const happened = el("div", { class: "happened" });
  const details = el("div", { class: "details", "aria-live": "polite" });
  const predicates = predicateList(story, (k) => go(k), (p) => { view.predicate = p; graph.mark(p); });

  function go(k) {
    view.step = Math.max(0, Math.min(last, k));
    range.value = view.step;
    const step = story.steps[view.step];
    where.textContent = "step " + (view.step + 1) + " of " + (last + 1);
    range.setAttribute("aria-valuetext", "step " + (view.step + 1) + ": " + titleOf(step));
    sparks.go(view.step);
    graph.draw(view.step);
    predicates.go(view.step);
    replace(happened, tellStep(story, view.step));
    drawDetails();
    const lines = step.path ? step.path.relations.flatMap(linesOf) : [];
    tell({ kind: "path", lines });
  }

  function drawDetails() {
    replace(details, graph.describe(view.node, view.step));
  }

  function toggle() {
    if (view.playing) { stop(); return; }
    if (view.step === last) go(0);
    replace(play, icon("pause"));
    play.setAttribute("aria-label", "Pause");
    // A long run is played in about a minute.
    const jump = Math.max(1, Math.round(last / 100));
    view.playing = setInterval(() => {
      if (!section.isConnected || view.step >= last) { stop(); return; }
      go(view.step + jump);
    }, 700);
  }

  function stop() {
    clearInterval(view.playing);
    view.playing = null;
    replace(play, icon("play"));
    play.setAttribute("aria-label", "Play");
  }

  function keys(event) {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const inField = event.target.matches("input[type=text], select, textarea");
    const onButton = event.target.matches("button, summary, [role=button]");
    if (inField) return;
    const actions = {
      ArrowRight: () => go(view.step + 1), ArrowLeft: () => go(view.step - 1),
      PageDown: () => go(view.step + 10), PageUp: () => go(view.step - 10),
      Home: () => go(0), End: () => go(last),
      "+": () => graph.zoom(0.8), "-": () => graph.zoom(1.25), 0: () => graph.fit(),
      p: () => toggle(),
    };
    if (!onButton) actions[" "] = () => toggle();
    if (!(event.key in actions)) return;
    event.preventDefault();
    event.stopPropagation();
    actions[event.key]();
  }

  const controls = el("div", { class: "controls" },
    button(icon("first"), () => go(0), { "aria-label": "First step", class: "icon" }),
    button(icon("back"), () => go(view.step - 1), { "aria-label": "Step back", class: "icon" }),
    play,
    button(icon("on"), () => go(view.step + 1), { "aria-label": "Step on", class: "icon step-on" }),
    button(icon("last"), () => go(last), { "aria-label": "Last step", class: "icon" }),
    range, where);
  const tools = el("div", { class: "tools" }, el("span", { class: "hint" }, "← → steps, p plays, + − 0 zoom"));
  const section = card(story.engine === property.engine && property.verdict !== "unknown" ? "How " + story.engine + " got there" : "What " + story.engine + " did", { class: "timeline-card", id: "timeline", tools },
    controls, sparks.element, happened,
    el("div", { class: "graph-frame", hidden: !drawn }, graph.element,
      el("div", { class: "zoom" }, button("+", () => graph.zoom(0.8), { "aria-label": "Larger", class: "icon" }),
        button("−", () => graph.zoom(1.25), { "aria-label": "Smaller", class: "icon" }),
        button("fit", () => graph.fit(), { "aria-label": "Show all", class: "icon" }))),
    details, predicates.element);
  section.tabIndex = 0;
  section.addEventListener("keydown", keys);
  section.goTo = go;
  section.stepNow = () => view.step;
  // Begin where there is something to see: the first step with a graph.
  go(0);
  return section;
}

/** Signs that fonts do not all have. */
function icon(name) {
  const shapes = { play: "M4 2l9 6l-9 6z", pause: "M4 2h3v12H4zM9 2h3v12H9z", on: "M3 2l7 6l-7 6zM11 2h2v12h-2z", back: "M13 2l-7 6l7 6zM3 2h2v12H3z",
    first: "M8 2l-5 6l5 6zM13 2l-5 6l5 6zM1 2h2v12H1z", last: "M8 2l5 6l-5 6zM3 2l5 6l-5 6zM13 2h2v12h-2z" };
  return svg("svg", { viewBox: "0 0 16 16", class: "sign", "aria-hidden": "true" }, svg("path", { d: shapes[name] }));
}

function titleOf(step) {
  if (step.splits?.length === 1) return "split n" + step.splits[0].node + " by " + step.splits[0].predicate;
  if (step.splits?.length) return count(step.splits.length, "split");
  return step.title || "round " + step.step;
}

/** What led to a step, and the path that is found in it. */
function tellStep(story, k) {
  const step = story.steps[k];
  const lines = [];
  if (step.splits) {
    lines.push(el("li", {}, step.splits.slice(0, 8).map((s, i) => [i ? "; " : "", "n" + s.node + " is split into n" + s.halves[0] + " where ", code(short(s.predicate, 80)), " holds, and n" + s.halves[1]]),
      step.splits.length > 8 ? "; and " + (step.splits.length - 8) + " more" : ""));
  }
  for (const [reason, [nodes, relations]] of Object.entries(step.sliced || {})) {
    const what = [nodes ? count(nodes, "node") : null, relations ? count(relations, "relation") : null].filter(Boolean).join(" and ");
    lines.push(el("li", {}, reason === "simplified" ? what + " simplified" : what + " removed: " + reason));
  }
  if (step.born && !step.splits) lines.push(el("li", {}, "new: ", step.born.slice(0, 8).map((p, i) => [i ? "; " : "", code(short(story.predicates[p].text, 80))])));
  for (const note of (step.notes || []).slice(0, 6)) lines.push(el("li", {}, note));
  const size = count(step.nodes, "node") + ", " + count(step.edges, "edge") + ", " + count(step.predicates, "predicate");
  const title = step.title || titleOf(step);
  return [step.part ? el("p", { class: "hint step-part" }, step.part[0].toUpperCase() + step.part.slice(1)) : null,
    el("p", { class: "step-title" }, el("strong", {}, title[0].toUpperCase() + title.slice(1)), " – " + size),
    lines.length ? el("ul", {}, lines) : null, step.path ? pathWords(step.path) : null];
}

function pathWords(path) {
  const parts = [];
  path.nodes.forEach((n, i) => {
    const refuted = path.refuted && i >= path.refuted[0] && i <= path.refuted[1];
    parts.push(el("span", { class: "path-node" + (refuted ? " refuted" : "") }, "n" + n));
    if (i < path.relations.length) parts.push(el("span", { class: "path-step", title: path.relations[i] }, " —" + short(path.relations[i], 40) + "→ "));
  });
  const end = path.run !== undefined
    ? el("p", { class: "verdict-violated" }, "A run of " + count(path.run, "step") + " takes it.")
    : path.refuted
      ? el("p", {}, "No run takes it" + (path.refuted[0] > 0 || path.refuted[1] < path.relations.length ? " from position " + path.refuted[0] + " to " + path.refuted[1] : "") + ".",
        path.interpolants?.length ? [" It is excluded by ", path.interpolants.slice(0, 12).map(([at, text], i) => [i ? ", " : "", code(short(text, 90)), " at " + at])] : null)
      : null;
  const states = path.states?.length ? el("ol", { start: 0, class: "path-states" }, path.states.map((s) => el("li", {}, code(s)))) : null;
  return el("div", { class: "path-words" }, path.nodes.length ? el("p", {}, "Error path: ", parts) : null, states ? el("details", {}, el("summary", {}, "What its states say"), states, path.formula ? el("p", {}, "It is spurious exactly if this is valid: ", code(path.formula)) : null) : null, end);
}

// Sparklines.

function sparkLines(story, go) {
  const width = 240, height = 34;
  const each = [
    ["nodes", (s) => s.nodes], ["edges", (s) => s.edges], ["predicates", (s) => s.predicates],
    story.steps.some((s) => s.solver_ms !== undefined) ? ["solver", (s) => s.solver_ms || 0, " ms"] : ["time", (s) => s.ms, " ms"],
  ];
  const lines = each.map(([name, of, unit = ""]) => {
    const values = story.steps.map(of);
    const top = Math.max(1, ...values.slice(0, 1), values.reduce((a, b) => Math.max(a, b), 0));
    const at = (k) => (values.length > 1 ? (k / (values.length - 1)) * (width - 4) + 2 : width / 2);
    const up = (v) => height - 3 - (v / top) * (height - 8);
    // Not more points than pixels: the highest of each group.
    const group = Math.max(1, Math.ceil(values.length / width));
    const points = [];
    for (let i = 0; i < values.length; i += group) {
      let high = i;
      for (let j = i; j < Math.min(values.length, i + group); j++) if (values[j] > values[high]) high = j;
      points.push(at(high).toFixed(1) + "," + up(values[high]).toFixed(1));
    }
    const cursor = svg("line", { class: "cursor", y1: 0, y2: height });
    const value = el("span", { class: "spark-value" });
    const drawing = svg("svg", {
      viewBox: "0 0 " + width + " " + height, class: "spark", preserveAspectRatio: "none", role: "img", "aria-label": name + " over the steps",
      onclick: (e) => { const box = drawing.getBoundingClientRect(); go(Math.round(((e.clientX - box.left) / box.width) * (values.length - 1))); },
    }, svg("polyline", { points: points.join(" "), class: "curve" }), cursor);
    return {
      element: el("div", { class: "spark-box" }, el("span", { class: "spark-name" }, name), value, drawing),
      go(k) { value.textContent = values[k] + unit; cursor.setAttribute("x1", at(k)); cursor.setAttribute("x2", at(k)); },
    };
  });
  return { element: el("div", { class: "sparks" }, lines.map((l) => l.element)), go(k) { lines.forEach((l) => l.go(k)); } };
}

// Predicates.

function predicateList(story, go, choose) {
  if (!story.predicates.length) return { element: el("div"), go() {} };
  const known = story.steps.length - 1;
  const rows = story.predicates.slice(0, 2000).map((p, i) => {
    const at = Math.min(p.step, known);
    return el("tr", { "data-step": at },
      el("td", {}, button(short(p.text, 90), () => choose(p.text), { class: "link code", title: p.text })),
      el("td", {}, button("step " + (at + 1), () => go(at), { class: "link" }), " ", el("span", { class: "muted" }, p.source)),
      el("td", { class: "number" }, String(p.splits)),
      el("td", {}, p.used ? el("span", { class: "used" }, "✓ in the proof") : ""));
  });
  const element = el("details", { class: "predicates", open: story.predicates.length <= 12 },
    el("summary", {}, count(story.predicates.length, "predicate")),
    el("div", { class: "scroll low" }, el("table", { class: "plain" },
      el("thead", {}, el("tr", {}, el("th", {}, "predicate"), el("th", {}, "born"), el("th", {}, "splits"), el("th", {}, "used"))),
      el("tbody", {}, rows))));
  return {
    element,
    go(k) { for (const row of rows) row.className = Number(row.dataset.step) > k ? "later" : Number(row.dataset.step) === k ? "now" : ""; },
  };
}

// The graph.

function graphView(story, choose) {
  const world = svg("g", {});
  const regions = svg("g", { class: "regions" }), edgeLayer = svg("g", { class: "edges" }), nodeLayer = svg("g", { class: "nodes" });
  world.append(regions, edgeLayer, nodeLayer);
  const marker = (id) => svg("marker", { id, viewBox: "0 0 8 8", refX: 7.5, refY: 4, markerWidth: 7, markerHeight: 7, orient: "auto-start-reverse" }, svg("path", { d: "M0 0L8 4L0 8z" }));
  const drawing = svg("svg", { class: "graph", role: "group", "aria-label": "The abstraction" },
    svg("defs", {}, marker("arrow"), marker("arrow-path"), marker("arrow-gone")), world);
  const state = { box: null, scene: null, nodes: new Map(), shown: [], edges: [], marked: null, extent: { w: 1, h: 1 } };

  /** The graph of a step: nodes with places, and relations between them grouped by their ends. */
  function picture(k) {
    const step = story.steps[k];
    const scene = step.scene === undefined ? null : story.scenes[step.scene];
    if (!scene) return chain(step.path);
    const nodes = scene.nodes.filter((n) => n[1] <= k && k <= n[2]).map((n) => {
      const [id, x, y, parent] = scene.shapes[n[0]];
      return {
        key: n[0], id, x: x * CELL.w + CELL.w / 2, y: y * CELL.h + CELL.h / 2, parent,
        label: n[5].map((t) => scene.texts[t]), initial: (n[3] & 1) > 0, error: (n[3] & 2) > 0, labelled: (n[3] & 4) > 0,
        gone: n[4] > 0 && k === n[2] ? n[4] : 0, fresh: n[1] === k && k > scene.first, first: n[1],
      };
    });
    const there = new Set(nodes.map((n) => n.key));
    const groups = new Map();
    for (const [from, to, relation, first, end, reason] of scene.edges) {
      if (first > k || k > end || !there.has(from) || !there.has(to)) continue;
      const gone = reason > 0 && k === end ? reason : 0;
      const key = from + "/" + to + "/" + (gone ? "gone" : "");
      if (!groups.has(key)) groups.set(key, { key, from, to, gone, names: [] });
      groups.get(key).names.push(scene.texts[relation]);
    }
    return { scene, nodes, edges: [...groups.values()], path: step.path?.places || [], refuted: step.path?.refuted, size: scene.size };
  }

  /** Where there is no graph, the path itself. */
  function chain(path) {
    if (!path || !path.nodes.length) return { scene: null, nodes: [], edges: [], path: [], size: [3, 1] };
    const width = Math.min(path.nodes.length, 6);
    const nodes = path.nodes.slice(0, 120).map((n, i) => ({
      key: "c" + i, id: n, parent: -1, x: (i % width) * CELL.w + CELL.w / 2, y: Math.floor(i / width) * CELL.h + CELL.h / 2,
      label: (path.states?.[i] || "").split(", ").filter(Boolean), initial: i === 0, error: i === path.nodes.length - 1, gone: 0, fresh: false, first: 0,
    }));
    const edges = nodes.slice(1).map((n, i) => ({ key: "c" + i, from: "c" + i, to: "c" + (i + 1), gone: 0, names: [path.relations[i] || ""] }));
    return { scene: null, nodes, edges, path: nodes.map((n) => n.key), refuted: path.refuted, size: [width, Math.ceil(nodes.length / width)] };
  }

  function draw(k) {
    const shown = picture(k);
    const many = shown.nodes.length > MANY;
    const onPath = new Map();
    shown.path.forEach((p, i) => { if (!onPath.has(p)) onPath.set(p, i); });
    const pathEdges = new Set(shown.path.slice(1).map((to, i) => shown.path[i] + "/" + to));
    const byKey = new Map(shown.nodes.map((n) => [n.key, n]));
    if (state.scene !== shown.scene || !shown.scene) {
      nodeLayer.replaceChildren();
      state.nodes.clear();
      state.scene = shown.scene;
      state.extent = { w: shown.size[0] * CELL.w, h: shown.size[1] * CELL.h };
      fit();
      drawRegions(shown.scene);
    }
    drawing.classList.toggle("many", many);
    for (const [key, g] of state.nodes) if (!byKey.has(key)) { g.remove(); state.nodes.delete(key); }
    for (const node of shown.nodes) drawNode(node, k, many, onPath.has(node.key), shown.scene);
    countRegions(many ? shown : null);
    edgeLayer.replaceChildren();
    const labels = shown.edges.length <= 60;
    for (const edge of shown.edges) {
      const inPath = pathEdges.has(edge.from + "/" + edge.to) && !edge.gone;
      if (many && !inPath) continue;
      drawEdge(edge, byKey, inPath, labels || inPath, shown.edges);
    }
    state.shown = shown.nodes;
    state.edges = shown.edges;
    drawing.setAttribute("data-nodes", shown.nodes.filter((n) => !n.gone).length);
    drawing.setAttribute("data-labelled", shown.nodes.filter((n) => n.labelled).length);
    drawing.setAttribute("data-removed", shown.nodes.filter((n) => n.gone).length);
    drawing.setAttribute("data-relations", shown.edges.filter((e) => !e.gone).reduce((sum, e) => sum + e.names.length, 0));
    replaceEmpty(shown, k);
    remark();
  }

  function replaceEmpty(shown, k) {
    world.querySelector(".empty")?.remove();
    if (shown.nodes.some((n) => !n.gone)) return;
    const step = story.steps[k];
    const proved = shown.scene && step.nodes === 0;
    const text = proved ? "Nothing is left: no error can be reached." : shown.nodes.length ? "" : "no picture";
    const y = shown.nodes.length ? state.extent.h + 12 : state.extent.h / 2;
    world.append(svg("text", { class: "empty", x: state.extent.w / 2, y }, text));
  }

  /** Where the parts of each first node are. */
  function drawRegions(scene) {
    regions.replaceChildren();
    for (const [, x, y, w, h] of scene ? scene.regions : []) {
      if (w * h < 2) continue;
      regions.append(svg("rect", { x: x * CELL.w + 6, y: y * CELL.h + 4, width: w * CELL.w - 12, height: h * CELL.h - 8, rx: 14 }));
    }
  }

  /** From afar: how many parts there are of each first node. */
  function countRegions(shown) {
    regions.querySelectorAll("text").forEach((t) => t.remove());
    if (!shown?.scene) return;
    const { shapes } = shown.scene;
    const root = (s) => { while (shapes[s][3] >= 0) s = shapes[s][3]; return s; };
    const counts = new Map();
    for (const node of shown.nodes) if (!node.gone) counts.set(root(node.key), (counts.get(root(node.key)) || 0) + 1);
    for (const [shape, x, y, w, h] of shown.scene.regions) {
      if (w * h < 2 || !counts.has(shape)) continue;
      const place = shown.scene.nodes.find((n) => n[0] === shape)?.[5].map((t) => shown.scene.texts[t]).find((t) => t.startsWith("at ")) || "";
      regions.append(svg("text", { x: x * CELL.w + 20, y: y * CELL.h - 4 }, ["n" + shapes[shape][0], place, count(counts.get(shape), "part")].filter(Boolean).join(", ")));
    }
  }

  function drawNode(node, k, many, inPath, scene) {
    let g = state.nodes.get(node.key);
    const classes = ["node", node.initial && "initial", node.error && "error", node.labelled && "labelled", node.gone && "gone", inPath && "path", node.fresh && "fresh"].filter(Boolean).join(" ");
    if (!g) {
      g = svg("g", { tabindex: many ? "-1" : "0", role: "button", "data-key": node.key,
        onclick: () => choose(node.key), onkeydown: (e) => { if (e.key === "Enter") { choose(node.key); e.preventDefault(); } } });
      nodeLayer.append(g);
      state.nodes.set(node.key, g);
      // What was split starts where its parent was.
      const parent = scene && node.parent >= 0 && node.fresh ? scene.shapes[node.parent] : null;
      if (parent) {
        g.style.transition = "none";
        g.style.transform = "translate(" + (parent[1] * CELL.w + CELL.w / 2) + "px," + (parent[2] * CELL.h + CELL.h / 2) + "px)";
        g.getBoundingClientRect?.();
        g.style.transition = "";
      }
    }
    g.setAttribute("class", classes);
    // From afar, what is new is darker.
    g.style.setProperty("--age", many ? Math.max(0, 1 - (k - node.first) / 60).toFixed(2) : "0");
    g.setAttribute("aria-label", "n" + node.id + ": " + node.label.join(", ") + (node.labelled ? ", labelled" : "") + (node.gone ? ", removed: " + REASONS[node.gone] : ""));
    g.style.transform = "translate(" + node.x + "px," + node.y + "px)";
    const signature = many + "|" + node.label.join("\n") + "|" + node.gone + node.initial + node.error;
    if (g.dataset.signature === signature) return;
    g.dataset.signature = signature;
    g.replaceChildren(svg("title", {}, "n" + node.id + "\n" + node.label.join("\n") + (node.gone ? "\nremoved: " + REASONS[node.gone] : "")));
    if (many) {
      g.append(svg("rect", { x: -CARD.w / 2, y: -CARD.h / 2, width: CARD.w, height: CARD.h, rx: 8, class: "box" }),
        svg("text", { x: 0, y: 14, class: "far" }, "n" + node.id));
      return;
    }
    g.append(svg("rect", { x: -CARD.w / 2, y: -CARD.h / 2, width: CARD.w, height: CARD.h, rx: 8, class: "box" }));
    if (node.error) g.append(svg("rect", { x: -CARD.w / 2 + 3, y: -CARD.h / 2 + 3, width: CARD.w - 6, height: CARD.h - 6, rx: 6, class: "inner" }));
    if (node.initial) g.append(svg("path", { d: "M" + (-CARD.w / 2 - 24) + " 0h22", class: "start", "marker-end": "url(#arrow)" }));
    g.append(svg("text", { x: -CARD.w / 2 + 10, y: -CARD.h / 2 + 17, class: "node-name" }, "n" + node.id));
    if (node.gone) g.append(svg("text", { x: CARD.w / 2 - 8, y: -CARD.h / 2 + 16, class: "reason" }, short(REASONS[node.gone], 24)));
    else if (node.initial || node.error) g.append(svg("text", { x: CARD.w / 2 - 8, y: -CARD.h / 2 + 16, class: "role" }, node.initial && node.error ? "initial, error" : node.initial ? "initial" : "error"));
    // The newest conditions say most; a place comes first.
    const place = node.label.filter((t) => t.startsWith("at ")).slice(0, 1);
    const rest = node.label.filter((t) => !t.startsWith("at ") && !(scene && basis(scene).has(t)));
    const lines = place.concat(rest.slice(-(3 - place.length)));
    lines.forEach((text, i) => g.append(svg("text", { x: -CARD.w / 2 + 10, y: -CARD.h / 2 + 31 + i * 13, class: "label" }, short(text, 27))));
  }

  /** Conditions that tell the first nodes apart, initial, error or neither: that is drawn, not written. */
  function basis(scene) {
    if (!scene.basis) {
      const first = scene.nodes.filter((n) => n[1] === scene.first);
      const roles = first.length <= 4 && first.every((n) => n[5].length <= 2) && !scene.texts.some((t) => t.startsWith("at "));
      scene.basis = new Set(roles ? first.flatMap((n) => n[5].map((t) => scene.texts[t])) : []);
    }
    return scene.basis;
  }

  function border(node, x, y) {
    const dx = x - node.x, dy = y - node.y;
    const scale = Math.min((CARD.w / 2 + 2) / Math.max(1e-6, Math.abs(dx)), (CARD.h / 2 + 2) / Math.max(1e-6, Math.abs(dy)));
    return [node.x + dx * Math.min(1, scale), node.y + dy * Math.min(1, scale)];
  }

  function drawEdge(edge, byKey, inPath, labelled, all) {
    const a = byKey.get(edge.from), b = byKey.get(edge.to);
    const cover = edge.names[0] === "covered by";
    const classes = "edge" + (edge.gone ? " gone" : "") + (inPath ? " path" : "") + (cover ? " cover" : "");
    let d, mid;
    if (a === b) {
      const side = edge.gone ? 1 : -1;
      const x = a.x + side * CARD.w / 4, y = a.y - CARD.h / 2;
      d = "M" + (x - 14) + " " + y + "C" + (x - 26) + " " + (y - 28) + " " + (x + 26) + " " + (y - 28) + " " + (x + 14) + " " + y;
      mid = [x, y - 22];
    } else {
      // A bend keeps both directions, and those that are removed, apart.
      const length = Math.hypot(b.x - a.x, b.y - a.y);
      const between = length > 1.5 * CELL.w || (Math.abs(b.x - a.x) < 5 && length > 1.5 * CELL.h);
      const bend = (edge.gone ? 34 : 16) + (between ? Math.min(70, length / 6) : 0);
      const cx = (a.x + b.x) / 2 + ((b.y - a.y) / length) * bend, cy = (a.y + b.y) / 2 - ((b.x - a.x) / length) * bend;
      const [x0, y0] = border(a, cx, cy), [x1, y1] = border(b, cx, cy);
      d = "M" + x0.toFixed(1) + " " + y0.toFixed(1) + "Q" + cx.toFixed(1) + " " + cy.toFixed(1) + " " + x1.toFixed(1) + " " + y1.toFixed(1);
      mid = [(x0 + 2 * cx + x1) / 4, (y0 + 2 * cy + y1) / 4];
    }
    const why = edge.gone ? "removed: " + REASONS[edge.gone] : "";
    const group = svg("g", { class: classes }, svg("title", {}, "n" + a.id + " → n" + b.id + "\n" + edge.names.slice(0, 40).join("\n") + (why ? "\n" + why : "")),
      svg("path", { d, "marker-end": "url(#arrow" + (edge.gone ? "-gone" : inPath ? "-path" : "") + ")" }));
    if (labelled) {
      const text = edge.names.length > 3 ? edge.names.slice(0, 2).join(", ") + " +" + (edge.names.length - 2) : edge.names.join(", ");
      // Between neighbours there is little room.
      const near = a !== b && Math.hypot(b.x - a.x, b.y - a.y) < CELL.w + 2 && Math.abs(b.y - a.y) < 5;
      const beside = a !== b && Math.abs(b.x - a.x) < 20;
      const side = beside ? (mid[0] > a.x ? 4 : -4) : 0;
      group.append(svg("text", { x: mid[0] + side, y: mid[1] + 3, class: side > 0 ? "right" : side < 0 ? "left" : null }, short(text, near ? 13 : 26)));
    }
    edgeLayer.append(group);
  }

  function describe(key, k) {
    if (key === null) return null;
    const node = state.shown.find((n) => n.key === key);
    if (!node) return el("p", { class: "hint" }, "The chosen node is not there in this step.");
    const name = (n) => { const found = state.shown.find((x) => x.key === n); return "n" + (found ? found.id : n); };
    const list = (title, edges, end) => edges.length ? el("p", {}, title, edges.slice(0, 20).map((e, i) => [i ? "; " : "", name(e[end]), " by " + short(e.names.join(", "), 60), e.gone ? el("em", {}, " (removed: " + REASONS[e.gone] + ")") : ""])) : null;
    const split = story.steps[k]?.scene !== undefined && node.parent >= 0 ? story.steps[node.first]?.splits?.find((s) => s.halves.includes(node.id)) : null;
    const place = node.label.find((t) => t.startsWith("at "));
    const line = place ? locationLines.get(place.slice(3)) : null;
    return el("div", { class: "node-about" }, el("h3", {}, "n" + node.id, node.gone ? " – removed: " + REASONS[node.gone] : ""),
      split ? el("p", {}, "Since step " + (node.first + 1) + ": half of n" + split.node + ", split by ", code(split.predicate)) : null,
      el("ul", { class: "conjuncts" }, node.label.map((t) => el("li", {}, t === place && line ? lineButton(t, [line]) : code(t)))),
      list("From here: ", state.edges.filter((e) => e.from === key), "to"),
      list("To here: ", state.edges.filter((e) => e.to === key), "from"));
  }

  function mark(predicate) { state.marked = state.marked === predicate ? null : predicate; remark(); }

  /** Nodes whose label has the chosen predicate. */
  function remark() {
    for (const node of state.shown) state.nodes.get(node.key)?.classList.toggle("marked", state.marked !== null && node.label.some((t) => t === state.marked));
  }

  function apply() {
    const { x, y, w, h } = state.box;
    drawing.setAttribute("viewBox", [x, y, w, h].map((v) => v.toFixed(1)).join(" "));
  }

  function fit() {
    const pad = 26, top = state.scene?.regions.length && state.extent.h > 12 * CELL.h ? 60 : 10;
    state.box = { x: -pad, y: -top, w: state.extent.w + 2 * pad, h: state.extent.h + top + pad };
    // As high as the graph needs where it is as wide as the page.
    drawing.style.setProperty("--ratio", (state.box.h / state.box.w).toFixed(4));
    apply();
  }

  function zoom(factor, cx = 0.5, cy = 0.5) {
    const b = state.box;
    const w = b.w * factor, h = b.h * factor;
    state.box = { x: b.x + (b.w - w) * cx, y: b.y + (b.h - h) * cy, w, h };
    apply();
  }

  let drag = null;
  drawing.addEventListener("pointerdown", (e) => { drag = { x: e.clientX, y: e.clientY, box: { ...state.box }, far: false }; });
  drawing.addEventListener("pointermove", (e) => {
    if (!drag || !e.buttons) { drag = null; return; }
    const scale = Math.max(state.box.w / drawing.clientWidth, state.box.h / drawing.clientHeight);
    if (Math.abs(e.clientX - drag.x) + Math.abs(e.clientY - drag.y) < 4 && !drag.far) return;
    drag.far = true;
    state.box.x = drag.box.x - (e.clientX - drag.x) * scale;
    state.box.y = drag.box.y - (e.clientY - drag.y) * scale;
    apply();
  });
  drawing.addEventListener("wheel", (e) => {
    if (!e.ctrlKey) return;
    e.preventDefault();
    zoom(e.deltaY > 0 ? 1.15 : 0.87);
  }, { passive: false });

  return { element: drawing, draw, fit, zoom, describe, mark };
}
