// The page of the playground. The checker runs in a worker, so that the page answers while it works, and stopping is ending the worker.
"use strict";

const playground = (() => {
  const part = (id) => document.getElementById(id);
  const examples = window.sectileExamples;
  let module = null;
  let worker = null;
  // What a link asks for before the engines are known.
  const wanted = {};

  const loading = {};
  loading.done = new Promise((resolve, reject) => Object.assign(loading, { resolve, reject }));
  loading.done.catch(() => {});

  function say(text, verdict = "") {
    part("status").textContent = text;
    part("status").className = verdict;
  }

  // The program comes as text in a script, so that the page also works without a server.
  async function loaded() {
    try {
      const text = atob(window.sectileProgram);
      const bytes = Uint8Array.from(text, (c) => c.charCodeAt(0));
      window.sectileProgram = null;
      module = await WebAssembly.compile(bytes);
      await engines();
      say("Ready.");
      part("check").disabled = false;
      loading.resolve();
    } catch (error) {
      say(`The checker cannot be started: ${error}`);
      loading.reject(error);
    }
  }

  // Lines of `sectile engines` that are not indented begin with a name.
  async function engines() {
    const { results } = await run({}, [["engines"]]);
    const names = [...results[0].out.matchAll(/^([a-z]+)\b/gm)].map((m) => m[1]);
    const chosen = part("engine").value;
    for (const name of names) if (name !== "auto") part("engine").append(new Option(name, name));
    part("engine").value = wanted.engine ?? chosen;
  }

  function missing() {
    say("The checker cannot be loaded.");
    loading.reject(new Error("missing"));
  }

  // Runs commands in a new worker. Gives what they wrote and left; `stopped` if somebody ended them.
  function run(files, commands, hear = () => {}) {
    stop();
    const url = URL.createObjectURL(new Blob([window.sectileWorker], { type: "text/javascript" }));
    const mine = new Worker(url);
    worker = { mine };
    URL.revokeObjectURL(url);
    part("stop").disabled = false;
    const results = commands.map(() => ({ out: "", err: "", code: null }));
    return new Promise((resolve) => {
      const end = (answer) => {
        mine.terminate();
        if (worker && worker.mine === mine) {
          worker = null;
          part("stop").disabled = true;
        }
        resolve({ results, files: {}, ...answer });
      };
      worker.end = end;
      mine.onerror = (event) => end({ failed: event.message });
      mine.onmessage = ({ data }) => {
        if (data.done) return end({ files: data.files });
        if (data.failed) return end({ failed: data.failed });
        if (data.stream) {
          results[data.index][data.stream] += data.text;
          hear(data.text);
        } else {
          results[data.index].code = data.code;
        }
      };
      mine.postMessage({ module, files, commands });
    });
  }

  function stop() {
    if (worker) worker.end({ stopped: true });
  }

  const now = () => ({
    name: part("name").value.trim() || "model.sct",
    text: part("text").value,
    parameters: part("parameters").value.trim(),
    engine: part("engine").value,
    limit: part("limit").value,
  });

  // `sectile check` with a report and a certificate, then `sectile certify`.
  async function check() {
    await loading.done;
    const asked = now();
    const given = asked.parameters.split(/[\s,]+/).filter(Boolean).flatMap((p) => ["-D", p]);
    part("output").textContent = "";
    part("report").hidden = true;
    say("Checking ...");
    const started = performance.now();
    const checking = ["check", asked.name, ...given, "--engine", asked.engine, "--timeout", asked.limit];
    const commands = [
      [...checking, "--trace", "--report", "report.html", "--certificate", "evidence.cert"],
      ["certify", asked.name, "evidence.cert", ...given, "--timeout", asked.limit],
    ];
    const answer = await run({ [asked.name]: asked.text }, commands, (text) => part("output").append(text));
    const seconds = (performance.now() - started) / 1000;
    const [checked, certified] = answer.results;
    const took = `${seconds.toFixed(1)} s`;
    if (answer.stopped) {
      say(`Stopped after ${took}.`);
    } else if (answer.failed) {
      say("The checker has failed.");
      part("output").append(`\n${answer.failed}\n`);
    } else if (![0, 10, 20].includes(checked.code)) {
      say("The model has mistakes.");
    } else {
      const verdict = { 0: "holds", 10: "violated", 20: "unknown" }[checked.code];
      const words = { holds: "Every property holds", violated: "A property is violated", unknown: "Not decided" }[verdict];
      const evidence = certified.code === 0 ? ", and the evidence was accepted by the checker of certificates" : "";
      say(`${words}${evidence} (${took}).`, verdict);
    }
    if (answer.files["report.html"]) {
      part("report").srcdoc = answer.files["report.html"];
      part("report").hidden = false;
    }
    return { ...answer, checked, certified, seconds };
  }

  async function format() {
    await loading.done;
    const { name, text } = now();
    const answer = await run({ [name]: text }, [["fmt", name]]);
    part("output").textContent = answer.results[0].err;
    if (answer.files[name] !== undefined && answer.results[0].code === 0) part("text").value = answer.files[name];
  }

  // The whole state as text for a link: JSON, compressed, in base 64 without signs that links do not take.
  async function packed(state) {
    const stream = new Blob([JSON.stringify(state)]).stream().pipeThrough(new CompressionStream("deflate-raw"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const text = Array.from(bytes, (b) => String.fromCharCode(b)).join("");
    return btoa(text).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  }

  async function link() {
    const url = new URL(location.href);
    url.hash = `m=${await packed(now())}`;
    return url.href;
  }

  async function share() {
    const url = await link();
    history.replaceState(null, "", url);
    try {
      await navigator.clipboard.writeText(url);
      say("The link is copied.");
    } catch {
      say("The link is in the address bar.");
    }
  }

  function show(state) {
    wanted.engine = state.engine ?? wanted.engine;
    for (const id of ["name", "text", "parameters", "engine", "limit"]) {
      if (typeof state[id] === "string") part(id).value = state[id];
    }
  }

  function choose(name) {
    const example = examples.find((e) => e.name === name);
    if (example) show({ name: example.name.replace(/.*\//, ""), text: example.text, parameters: "" });
  }

  async function begin() {
    for (const { name } of examples) part("example").append(new Option(name, name));
    part("check").onclick = () => check();
    part("stop").onclick = stop;
    part("format").onclick = format;
    part("share").onclick = share;
    part("example").onchange = () => choose(part("example").value);
    part("check").disabled = true;
    addEventListener("keydown", (event) => {
      if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) check();
      if (event.key === "Escape") stop();
    });
    part("example").value = "bakery.sct";
    choose("bakery.sct");
    await follow();
    addEventListener("hashchange", follow);
  }

  // Shows the model of the link, if the address has one.
  async function follow() {
    const held = location.hash.match(/^#m=(.*)$/);
    if (!held) return;
    try {
      show(await unpacked(held[1]));
    } catch {
      say("The link is damaged.");
    }
  }

  const begun = begin();
  return { loaded, missing, check, stop, format, link, follow, choose, show, ready: Promise.all([loading.done, begun]) };
})();
