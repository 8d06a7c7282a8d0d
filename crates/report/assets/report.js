// The page as a whole: head, properties, cards, source, keys.

const page = { property: 0, story: null, theme: null };

function themeButton() {
  const dark = () => page.theme ? page.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  const label = () => (dark() ? "Light" : "Dark");
  const toggle = button(label(), () => switchTheme(), { class: "theme", title: "t" });
  page.switchTheme = switchTheme;
  function switchTheme() {
    page.theme = dark() ? "light" : "dark";
    document.documentElement.dataset.theme = page.theme;
    toggle.textContent = label();
    try { localStorage.setItem("sectile-theme", page.theme); } catch { /* not kept */ }
  }
  try { page.theme = localStorage.getItem("sectile-theme"); } catch { /* not known */ }
  if (page.theme === "dark" || page.theme === "light") document.documentElement.dataset.theme = page.theme;
  toggle.textContent = label();
  return toggle;
}

function drawHead() {
  const { file, language, parameters, variables, steps, locations } = data.input;
  const chips = Object.entries(parameters).map(([n, v]) => el("span", { class: "chip" }, n + " = " + v));
  const size = [count(variables, "variable"), count(steps, "step"), locations ? count(locations, "location") : null].filter(Boolean).join(", ");
  replace(document.getElementById("head"),
    el("div", { class: "brand" }, logo(), el("span", {}, "Sectile")),
    el("div", { class: "file" }, el("h1", {}, file.split("/").pop()), el("p", {}, language + ", " + size, " ", chips)),
    el("div", { class: "head-tools" }, button("Keys", () => document.getElementById("help").showModal(), { title: "?" }), themeButton()));
}

/** Tiles of different sizes: cut stone. */
function logo() {
  return svg("svg", { viewBox: "0 0 24 24", class: "logo", "aria-hidden": "true" },
    svg("path", { d: "M2 2h9v7H2z" }), svg("path", { d: "M13 2h9v12h-9z", class: "second" }),
    svg("path", { d: "M2 11h9v11H2z", class: "second" }), svg("path", { d: "M13 16h9v6h-9z" }));
}

function drawProperties() {
  const list = data.properties.map((p, i) => button([el("span", { class: "dot " + p.verdict, "aria-hidden": "true" }), el("span", {}, p.name), el("span", { class: "word " + p.verdict }, p.verdict)],
    () => show(i), { role: "tab", "aria-selected": String(i === page.property), tabindex: i === page.property ? "0" : "-1", class: "property" }));
  const tabs = el("div", { role: "tablist", "aria-label": "Properties", "aria-orientation": "horizontal" }, list);
  tabs.addEventListener("keydown", (event) => {
    const n = data.properties.length;
    const moves = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    show((page.property + moves[event.key] + n) % n);
    document.querySelectorAll("#properties [role=tab]")[page.property].focus();
  });
  const nav = document.getElementById("properties");
  nav.hidden = data.properties.length < 2;
  replace(nav, tabs);
}

function verdictCard(property) {
  const words = { holds: "holds", violated: "is violated", unknown: "is not known" };
  const proof = property.certified ? el("span", { class: "badge ok" }, "✓ certified") : property.partly_certified ? el("span", { class: "badge" }, "certified " + property.partly_certified)
    : property.not_certified ? el("span", { class: "badge warn" }, "not certified: " + property.not_certified) : null;
  const text = property.page.text;
  const s = property.statistics;
  const numbers = Object.entries(s).filter(([, v]) => typeof v === "number" && v !== 0);
  return el("section", { class: "card verdict " + property.verdict, "aria-label": "Verdict" },
    el("div", { class: "verdict-line" }, el("span", { class: "mark", "aria-hidden": "true" }, { holds: "✓", violated: "✗", unknown: "?" }[property.verdict]),
      el("p", { class: "sentence" }, el("strong", {}, property.name), " " + words[property.verdict], property.verdict === "unknown" && property.reason ? " (" + property.reason + ")" : ""),
      el("span", { class: "badges" }, el("span", { class: "badge" }, property.engine), el("span", { class: "badge" }, seconds(property.seconds)), proof)),
    text && text.text ? el("p", { class: "property-text" }, button(text.text, () => tell({ kind: "line", lines: [text.line], scroll: true }), { class: "link code", title: "line " + text.line })) : null,
    [...(property.warnings || []), ...data.warnings].map((w) => el("p", { class: "warning" }, "⚠ ", quotedText(w.message || w.text))),
    el("details", { class: "numbers" }, el("summary", {}, "Numbers"), el("table", { class: "plain" }, el("tbody", {}, numbers.map(([n, v]) =>
      el("tr", {}, el("th", { scope: "row" }, n), el("td", { class: "number", "data-counter": n }, Number.isInteger(v) ? String(v) : v.toFixed(3))))))));
}

function evidenceCards(property) {
  const cards = [];
  const evidence = property.evidence;
  if (property.verdict === "unknown") cards.push(unknownCard(property));
  if (property.page.cells) cards.push(cellsCard(property));
  else if (evidence && evidence.kind === "trace") cards.push(traceCard(property));
  else if (evidence) cards.push(proofCard(property));
  return cards;
}

function storyCards(property) {
  const hasSteps = (s) => s.steps.some((x) => x.nodes || x.path || x.splits || x.born);
  const stories = data.stories.filter((s) => s.property === property.name && hasSteps(s));
  if (!stories.length) return [];
  const story = stories.includes(page.story) ? page.story : stories.find((s) => s.engine === property.engine) || stories[0];
  page.story = story;
  const holder = el("div", { class: "story" });
  const draw = () => replace(holder, timelineCard(page.story, property));
  const pick = stories.length > 1 ? el("p", { class: "stories" }, "The work of ", choice("Engine", stories.map((s, i) => [String(i), s.engine]), String(stories.indexOf(story)), (i) => { page.story = stories[Number(i)]; draw(); })) : null;
  draw();
  return [pick, holder];
}

function show(index) {
  page.property = index;
  page.story = null;
  listeners.length = 0;
  const property = data.properties[index];
  drawProperties();
  const source = sourceCard(property);
  replace(document.getElementById("main"),
    el("div", { class: "main-column" }, verdictCard(property), evidenceCards(property), storyCards(property)),
    source ? el("div", { class: "side-column" }, source) : null,
    el("footer", {}, el("p", {}, "Made by Sectile " + data.version + " with"), nextCommand(data.command)));
}

function sourceCard(property) {
  if (!data.source) return null;
  const lines = data.source.replace(/\n$/, "").split("\n");
  const rows = lines.map((text, i) => el("span", { class: "row" + (property.page.text?.line === i + 1 ? " asked" : ""), "data-line": i + 1 }, el("span", { class: "no", "aria-hidden": "true" }, String(i + 1)), el("span", { class: "text" }, text || " "), "\n"));
  const listing = el("pre", { class: "source", tabindex: "0", "aria-label": "The source" }, rows);
  if (property.evidence?.kind === "trace") {
    for (const step of property.evidence.steps) if (step.line) rows[step.line - 1]?.classList.add("taken");
  }
  listen((message) => {
    if (message.kind !== "line" && message.kind !== "path") return;
    const mark = message.kind === "line" ? "here" : "path";
    rows.forEach((r) => r.classList.remove(mark));
    message.lines.forEach((l) => rows[l - 1]?.classList.add(mark));
    const first = message.kind === "line" ? rows[message.lines[0] - 1] : null;
    if (first) listing.scrollTop = first.offsetTop - listing.clientHeight / 3;
    if (first && message.scroll) listing.scrollIntoView({ block: "nearest" });
  });
  // Headers are long: what is asked is seen first.
  const asked = rows[(property.page.text?.line || 1) - 1];
  if (asked) requestAnimationFrame(() => { listing.scrollTop = asked.offsetTop - listing.clientHeight / 2; });
  return card("Source", { class: "source-card" }, listing);
}

function drawHelp() {
  const keys = [["1 … 9", "a property"], ["t", "dark or light"], ["?", "this list"], ["Tab", "from part to part"],
    ["↑ ↓ Home End", "in the run: from state to state"], ["← → PgUp PgDn Home End", "in the replay: from step to step"],
    ["p, space", "in the replay: play and pause"], ["+ − 0", "in the replay: larger, smaller, all of it"], ["g", "to the replay"]];
  const help = document.getElementById("help");
  replace(help, el("h2", {}, "Keys"), el("table", { class: "plain" }, el("tbody", {}, keys.map(([k, what]) => el("tr", {}, el("th", { scope: "row" }, k), el("td", {}, what))))),
    button("Close", () => help.close()));
}

document.addEventListener("keydown", (event) => {
  if (event.altKey || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  if (event.key === "?") document.getElementById("help").showModal();
  else if (event.key === "t") page.switchTheme();
  else if (event.key === "g") document.getElementById("timeline")?.focus();
  else if (/^[1-9]$/.test(event.key) && Number(event.key) <= data.properties.length) show(Number(event.key) - 1);
  else return;
  event.preventDefault();
});

drawHead();
drawHelp();
show(Math.max(0, data.properties.findIndex((p) => p.verdict === "violated")));
window.sectileReport = { data, show, expression, readValue, writeValue };
