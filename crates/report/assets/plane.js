// CTL: cells of states, rings of what has to happen, and two of the numbers as a plane.

function cellsCard(property) {
  const info = property.page.cells;
  const parts = info.parts.map((p, k) => ({ ...p, k })).filter((p) => p.temporal);
  // First the part with most ranks: there is something to see.
  const ranks = (p) => new Set(p.cells.map(([, r]) => r)).size;
  const most = parts.reduce((best, p) => (!best || ranks(p) > ranks(best) ? p : best), null);
  const view = { part: most ? most.k : 0, ...axesOf(info), cell: null };
  const rankOf = () => new Map(info.parts[view.part].cells);
  const rings = el("div", { class: "rings" });
  const plane = el("div", { class: "plane" });
  const about = el("div", { class: "cell-about", "aria-live": "polite" });

  function select(c) {
    view.cell = c;
    draw();
  }

  function drawRings() {
    const ranks = rankOf();
    const groups = new Map();
    for (const [cell, rank] of ranks) {
      if (!groups.has(rank)) groups.set(rank, []);
      groups.get(rank).push(cell);
    }
    const order = [...groups.keys()].sort((a, b) => a - b);
    const outside = info.cells.map((_, c) => c).filter((c) => !ranks.has(c));
    const chip = (c) => button(String(c), () => select(c), {
      class: "cell" + (info.initial.includes(c) ? " initial" : "") + (view.cell === c ? " chosen" : ""),
      title: info.cells[c].says.join(", "), "aria-pressed": String(view.cell === c),
    });
    const ring = (title, list, extra) => el("div", { class: "ring " + extra }, el("span", { class: "ring-name" }, title), list.map(chip));
    replace(rings,
      order.map((r, i) => ring("rank " + r, groups.get(r), "ring-" + Math.min(i, 7))),
      outside.length ? ring("not claimed", outside, "outside") : null);
  }

  function drawAbout() {
    if (view.cell === null) { replace(about, el("p", { class: "hint" }, "Choose a cell. An outlined one contains initial states. What has rank 0 holds at once, rank k after at most k steps from cell to cell.")); return; }
    const cell = info.cells[view.cell];
    replace(about, el("h3", {}, "Cell " + view.cell),
      el("ul", { class: "conjuncts" }, cell.says.map((s) => el("li", {}, code(s)))),
      el("p", {}, cell.next.length ? "Steps lead to: " : "No step is possible.",
        cell.next.slice(0, 60).map(([c, name], i) => [i ? ", " : "", button(String(c), () => select(c), { class: "link" }), " by " + name])));
  }

  function drawPlane() {
    if (info.numbers.length < 2 || !info.cells.some((c) => c.bounds.length)) { replace(plane); return; }
    const select1 = (which) => el("select", { "aria-label": which + " axis", onchange: (e) => { view[which] = Number(e.target.value); drawPlane(); } },
      info.numbers.map((n, i) => el("option", { value: i, selected: view[which] === i }, n)));
    const shapes = info.cells.map((cell) => shadow(cell.bounds, view.x, view.y));
    const frame = frameOf(shapes);
    const ranks = rankOf();
    const order = [...new Set(ranks.values())].sort((a, b) => a - b);
    const size = 320;
    const px = (v) => 36 + ((v - frame.x0) / (frame.x1 - frame.x0)) * (size - 48);
    const py = (v) => size - 28 - ((v - frame.y0) / (frame.y1 - frame.y0)) * (size - 40);
    const drawing = svg("svg", { viewBox: "0 0 " + size + " " + size, class: "plane-drawing", role: "img", "aria-label": "Cells over " + info.numbers[view.x] + " and " + info.numbers[view.y] });
    shapes.forEach((shape, c) => {
      // What says nothing of these two numbers would only hide the others.
      const polygon = shape.some(([a, b]) => a || b) || view.cell === c ? clipped(shape, frame) : null;
      if (!polygon) return;
      const rank = ranks.has(c) ? "ring-" + Math.min(order.indexOf(ranks.get(c)), 7) : "outside";
      const common = { class: "zone " + rank + (view.cell === c ? " chosen" : ""), onclick: () => select(c) };
      const points = polygon.map(([x, y]) => [px(x), py(y)]);
      const name = svg("title", {}, "cell " + c + ": " + info.cells[c].says.join(", "));
      if (points.length === 1) drawing.append(svg("circle", { cx: points[0][0], cy: points[0][1], r: 4, ...common }, name));
      else drawing.append(svg("polygon", { points: points.map((p) => p.map((v) => v.toFixed(1)).join(",")).join(" "), ...common }, name));
    });
    // The chosen one lies above the others.
    const chosen = drawing.querySelector(".chosen");
    if (chosen) drawing.append(chosen);
    drawing.append(svg("path", { d: "M36 8V" + (size - 28) + "H" + (size - 12), class: "axis" }));
    for (const v of ticks(frame.x0, frame.x1)) drawing.append(svg("text", { x: px(v), y: size - 14, class: "tick-x" }, String(v)));
    for (const v of ticks(frame.y0, frame.y1)) drawing.append(svg("text", { x: 32, y: py(v) + 3, class: "tick-y" }, String(v)));
    replace(plane, el("p", {}, el("label", {}, "across ", select1("x")), " ", el("label", {}, "up ", select1("y"))), drawing,
      el("p", { class: "hint" }, "What cells say of these two numbers. Conditions that are not linear are left out."));
  }

  function draw() { drawRings(); drawAbout(); drawPlane(); }
  const chosen = el("select", { "aria-label": "Part of the formula", onchange: (e) => { view.part = Number(e.target.value); draw(); } },
    parts.map((p) => el("option", { value: p.k, selected: p.k === view.part }, short(p.text, 100))));
  draw();
  const missing = info.count - info.cells.length;
  const verb = property.verdict === "holds" ? "Why it holds: cells of states" : "Why it is false: cells of states";
  return card(verb, { class: "cells-card" },
    el("p", {}, count(info.count, "cell") + (missing > 0 ? ", " + info.cells.length + " of them shown" : "") + ". ",
      parts.length > 1 ? el("label", {}, "Where this is claimed: ", chosen) : parts.length ? ["Where this is claimed: ", code(parts[0].text)] : null),
    el("div", { class: "cells-grid" }, el("div", {}, rings, about), plane));
}

/** The two numbers that are compared with each other most often, or else bounded. */
function axesOf(info) {
  const counts = new Map();
  for (const cell of info.cells) for (const [, , sum] of cell.bounds) {
    const names = sum.map(([v]) => v).sort((a, b) => a - b);
    const key = names.length === 2 ? names.join() : null;
    if (key) counts.set(key, (counts.get(key) || 0) + 1);
  }
  const best = [...counts].sort((a, b) => b[1] - a[1])[0];
  const [x, y] = best ? best[0].split(",").map(Number) : [0, Math.min(1, info.numbers.length - 1)];
  return { x, y };
}

/** The projection of linear conditions to two numbers, by elimination of the others (Fourier and Motzkin). */
function shadow(bounds, x, y) {
  let rows = [];
  for (const [op, constant, sum] of bounds) {
    const row = { c: constant, k: new Map(sum) };
    rows.push(row);
    if (op === "=") rows.push({ c: -constant, k: new Map(sum.map(([v, f]) => [v, -f])) });
  }
  const others = new Set(rows.flatMap((r) => [...r.k.keys()]).filter((v) => v !== x && v !== y));
  for (const v of others) {
    const up = rows.filter((r) => r.k.get(v) > 0), down = rows.filter((r) => r.k.get(v) < 0);
    const rest = rows.filter((r) => !r.k.get(v));
    if (up.length * down.length > 400) { rows = rest; continue; }
    for (const a of up) for (const b of down) {
      const fa = -b.k.get(v), fb = a.k.get(v);
      const k = new Map();
      for (const [w, f] of a.k) k.set(w, f * fa);
      for (const [w, f] of b.k) k.set(w, (k.get(w) || 0) + f * fb);
      k.delete(v);
      rest.push({ c: a.c * fa + b.c * fb, k });
    }
    rows = rest;
  }
  return rows.map((r) => [r.k.get(x) || 0, r.k.get(y) || 0, r.c]);
}

/** A frame that shows where the corners are. */
function frameOf(shapes) {
  const xs = [0], ys = [0];
  const wide = { x0: -1e4, x1: 1e4, y0: -1e4, y1: 1e4 };
  for (const [a, b, c] of shapes.flat()) {
    if (a) xs.push(-c / a);
    if (b) ys.push(-c / b);
  }
  for (const shape of shapes) for (const [x, y] of clipped(shape, wide) || []) {
    // Where a side leaves the wide frame there is no corner.
    if (Math.abs(x) > 9999 || Math.abs(y) > 9999) continue;
    xs.push(x);
    ys.push(y);
  }
  const grow = (list) => {
    const low = Math.min(...list), high = Math.max(...list), more = Math.max(2, (high - low) * 0.25);
    return [low - more / 2, high + more];
  };
  const [x0, x1] = grow(xs), [y0, y1] = grow(ys);
  return { x0, x1, y0, y1 };
}

/** The corners of what satisfies all `a*x + b*y + c <= 0` inside the frame; nothing if that is empty. */
function clipped(shape, f) {
  let polygon = [[f.x0, f.y0], [f.x1, f.y0], [f.x1, f.y1], [f.x0, f.y1]];
  const slack = 1e-9 * Math.max(1, Math.abs(f.x1), Math.abs(f.y1));
  for (const [a, b, c] of shape) {
    const value = ([x, y]) => a * x + b * y + c;
    const next = [];
    polygon.forEach((p, i) => {
      const q = polygon[(i + 1) % polygon.length];
      const vp = value(p), vq = value(q);
      if (vp <= slack) next.push(p);
      if ((vp < -slack && vq > slack) || (vp > slack && vq < -slack)) {
        const t = vp / (vp - vq);
        next.push([p[0] + t * (q[0] - p[0]), p[1] + t * (q[1] - p[1])]);
      }
    });
    polygon = next;
    if (!polygon.length) return null;
  }
  const [x, y] = polygon[0];
  return polygon.every((p) => Math.abs(p[0] - x) < 1e-6 && Math.abs(p[1] - y) < 1e-6) ? [polygon[0]] : polygon;
}

function ticks(low, high) {
  const step = 10 ** Math.floor(Math.log10((high - low) / 3));
  const factor = [1, 2, 5, 10].find((m) => (high - low) / (step * m) <= 7) || 10;
  const list = [];
  for (let v = Math.ceil(low / (step * factor)); v * step * factor <= high; v++) list.push(Number((v * step * factor).toPrecision(6)));
  return list;
}
