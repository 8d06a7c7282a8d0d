// What all parts of the page use: elements, texts, the data.

const data = JSON.parse(document.getElementById("data").textContent);

/** Makes an element: attributes, listeners (`onclick`), and children that are texts or elements. */
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for drawings. */
function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    element.append(child);
  }
  return element;
}

function replace(element, ...children) {
  element.replaceChildren();
  return fill(element, {}, children);
}

function code(text, extra) {
  return el("code", extra, text);
}

function button(text, action, extra) {
  return el("button", { type: "button", onclick: action, ...extra }, text);
}

function count(n, one, many) {
  return n + " " + (n === 1 ? one : many || one + "s");
}

function seconds(s) {
  if (s < 0.01) return "< 0.01 s";
  return (s < 10 ? s.toFixed(2) : s.toFixed(1)) + " s";
}

function short(text, longest) {
  return text.length <= longest ? text : text.slice(0, longest - 1) + "…";
}

/** Says something to people who do not see it happen. */
function say(text) {
  document.getElementById("said").textContent = text;
}

/** Puts a text into the clipboard; without one, a dialog shows it. */
function copy(text, what) {
  const done = () => say(what + " is in the clipboard");
  const byHand = () => {
    const area = el("textarea", { rows: 14, readonly: true, "aria-label": what }, text);
    const dialog = el("dialog", { class: "copy" }, el("p", {}, "Copy this:"), area,
      button("Close", () => dialog.remove()));
    document.body.append(dialog);
    dialog.showModal();
    area.select();
  };
  if (navigator.clipboard && window.isSecureContext) navigator.clipboard.writeText(text).then(done, byHand);
  else byHand();
}

function copyButton(label, text, what) {
  return button(label, (event) => {
    copy(text, what);
    const target = event.currentTarget;
    target.textContent = "Copied";
    setTimeout(() => { target.textContent = label; }, 1200);
  });
}

/** A section with a heading. */
function card(title, extra, ...children) {
  return el("section", { class: "card " + (extra.class || ""), id: extra.id, "aria-label": title },
    el("div", { class: "card-head" }, el("h2", {}, title), extra.tools || null), children);
}

/** Everybody who shows the source, a path or a step hears what is looked at. */
const listeners = [];
function listen(listener) { listeners.push(listener); }
function tell(message) { for (const listener of listeners) listener(message); }

// The steps of the model by name: their lines and processes.
const edgesByName = new Map();
for (const edge of data.model.edges) if (!edgesByName.has(edge.name)) edgesByName.set(edge.name, edge);

const locationLines = new Map(data.model.locations.map((l) => [l.name, l.line]));

/** The step that a relation of an abstraction is made of: simplified ones have a mark behind their name. */
function edgeOf(name) {
  return edgesByName.get(name.trim()) || edgesByName.get(name.trim().replace(/#+$/, ""));
}

/** The lines of a relation, which may be a block of several statements. */
function linesOf(name) {
  const whole = edgeOf(name);
  if (whole) return whole.lines ? range(whole.lines) : [];
  return name.split(/;\s*/).flatMap((part) => {
    const edge = edgeOf(part);
    return edge?.lines ? range(edge.lines) : [];
  });
}

function range([from, to]) {
  const lines = [];
  for (let line = from; line <= Math.min(to, from + 40); line++) lines.push(line);
  return lines;
}

/** Marks one of several buttons. */
function choice(label, options, chosen, choose) {
  const buttons = options.map(([value, text]) =>
    button(text, () => { mark(value); choose(value); }, { "data-value": value, "aria-pressed": String(value === chosen) }));
  const mark = (value) => buttons.forEach((b) => b.setAttribute("aria-pressed", String(b.dataset.value === value)));
  return el("span", { class: "choice", role: "group", "aria-label": label }, buttons);
}
