// Knobs to a request, the answer to four charts, a sentence and a table, whose words come with the answer. Every setting is a run of its own from the
// same users; the setting before stays beside it until the next gesture begins.
"use strict";
(() => {
  const token = document.body.dataset.token;
  const at = (path) => `${path}?token=${encodeURIComponent(token)}`;
  const element = (id) => document.getElementById(id);
  const state = { facts: null, turned: null, now: null, before: null, asked: 0, timer: 0 };

  // ------------------------------------------------------------------------------------------------ numbers of knobs

  const digits = (value) => {
    const size = Math.abs(value);
    return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  };

  // -------------------------------------------------------------------------------------------------------- controls

  const STEPS = 400;
  function position(knob, value) {
    const share = knob.log && knob.low > 0
      ? Math.log(value / knob.low) / Math.log(knob.high / knob.low)
      : (value - knob.low) / (knob.high - knob.low);
    return Math.round(STEPS * Math.min(1, Math.max(0, share)));
  }
  function valueAt(knob, place) {
    const share = place / STEPS;
    const value = knob.log && knob.low > 0
      ? knob.low * (knob.high / knob.low) ** share
      : knob.low + (knob.high - knob.low) * share;
    return knob.integer ? Math.round(value) : Number(value.toPrecision(3));
  }

  function control(knob, value, set) {
    const label = document.createElement("label");
    const text = document.createElement("span");
    text.textContent = knob.label;
    label.append(text);
    if (knob.kind === "range") {
      const shown = document.createElement("output");
      const slider = Object.assign(document.createElement("input"), { type: "range", min: 0, max: STEPS, step: 1, name: knob.name });
      slider.value = position(knob, value);
      const show = (now) => {
        shown.textContent = knob.integer ? now.toLocaleString("en") : digits(now);
        slider.setAttribute("aria-valuetext", `${shown.textContent} (${knob.label})`);
      };
      slider.show = show;
      show(value);
      slider.addEventListener("input", () => { const now = valueAt(knob, Number(slider.value)); show(now); set(now); ask(); });
      label.append(shown, slider);
    } else if (knob.kind === "choice") {
      const select = Object.assign(document.createElement("select"), { name: knob.name });
      knob.choices.forEach((choice, place) => select.append(new Option(String(choice), place, false, choice === value)));
      select.addEventListener("change", () => { begin(); set(knob.choices[Number(select.value)]); ask(); });
      label.append(document.createElement("span"), select);
    } else {
      const box = Object.assign(document.createElement("input"), { type: "checkbox", name: knob.name, checked: value });
      box.addEventListener("change", () => { begin(); set(box.checked); ask(); });
      label.append(box);
    }
    return label;
  }

  // Nothing turned yet: parameters that are not sent stay as they follow from the rest.
  const untouched = () => ({ ...structuredClone(state.facts.start), parameters: {} });

  function setter(knob) {
    const turned = state.turned;
    if (knob.name in turned.rates_mbps) return (value) => { turned.rates_mbps[knob.name] = value; };
    if (knob.name === "scheme") return (value) => { turned.scheme = value; turned.parameters = {}; build(); };
    return (value) => { turned[knob.name] = value; };
  }
  function standing(knob) {
    const turned = state.turned;
    return knob.name in turned.rates_mbps ? turned.rates_mbps[knob.name] : turned[knob.name] ?? knob.value;
  }

  // What was turned, else what the last run of this scheme had: some follow from the rate or from other parameters.
  function inForce(knob) {
    const { turned, now } = state;
    const last = now?.turned.scheme === turned.scheme ? now.parameters[knob.name] : undefined;
    return turned.parameters[knob.name] ?? last ?? knob.value;
  }
  function settle() {
    for (const knob of state.facts.parameters[state.turned.scheme] ?? []) {
      const slider = element("controls").elements[knob.name];
      if (slider?.type !== "range" || slider === document.activeElement) continue;
      slider.value = position(knob, inForce(knob));
      slider.show(inForce(knob));
    }
  }

  function build() {
    const { facts, turned } = state;
    const form = element("controls");
    const focused = document.activeElement?.name;
    form.replaceChildren(...facts.knobs.map((knob) => control(knob, standing(knob), setter(knob))));
    for (const knob of facts.parameters[turned.scheme] ?? []) {
      form.append(control(knob, inForce(knob), (now) => { turned.parameters[knob.name] = now; }));
    }
    const button = (text, does) => {
      const made = Object.assign(document.createElement("button"), { type: "button", textContent: text });
      made.addEventListener("click", () => { begin(); does(); ask(); });
      form.append(made);
    };
    button("Other users (next seed)", () => { turned.seed += 1; });
    button("Back to the scenario", () => { state.turned = untouched(); build(); });
    if (focused) form.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
  }

  // A gesture begins: what stands now is what the next setting will stand beside.
  function begin() { if (state.now) state.before = state.now; }
  element("controls").addEventListener("pointerdown", (event) => { if (event.target.type === "range") begin(); });
  element("controls").addEventListener("keydown", (event) => { if (event.target.type === "range" && !event.repeat) begin(); });

  // --------------------------------------------------------------------------------------------------------- charts

  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const plots = {};

  function joined(now, before) {
    const tables = [[now.x, now.y]];
    tables.push(before ? [before.x, before.y] : [[now.x[0]], [null]]);
    return uPlot.join(tables);
  }

  // A scheme's line looks as in every report; of one scheme with two settings the one before is grey.
  function looksOf(now, before) {
    const look = (run) => state.facts.looks[run?.scheme] ?? { colour: "--now", dash: [] };
    const drawn = (run, width) => ({ stroke: colour(look(run).colour), dash: look(run).dash, width });
    const same = before && before.scheme === now.scheme;
    return [drawn(now, 2.5), { ...drawn(before ?? now, 1.5), ...(same ? { stroke: colour("--before") } : {}) }];
  }

  const TIME = { kind: "time", factor: 1 }, MILLISECONDS = { kind: "time", factor: 1e-3 }, PERCENT = { kind: "percent", factor: 1 };

  function draw(id, now, before, options) {
    const place = element(id);
    plots[id]?.destroy();
    place.replaceChildren();
    if (!now) {
      place.replaceChildren(Object.assign(document.createElement("p"), { className: "none", textContent: state.facts.words.no_pages }));
      delete plots[id];
      return;
    }
    const width = Math.max(260, place.clientWidth), ink = colour("--quiet"), grid = colour("--line");
    const axis = (unit, log, more) => ({
      stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid }, space: more.size ? 26 : 64,
      values: (_, splits) => splits.map((split) => split == null ? "" : axisTicks.written(split, unit, 4)), ...more,
    });
    const [mine, its] = looksOf(state.now, state.before);
    const value = (unit) => (_, raw) => raw === null || raw === undefined ? "–" : `${digits(raw)} ${unit}`;
    plots[id] = new uPlot({
      width, height: 230, cursor: { drag: { x: true, y: false } }, legend: { live: true },
      scales: { x: options.x, y: options.y },
      axes: [axis(TIME, options.x.distr === 3, { label: options.xLabel }), axis(options.yScale, false, { label: options.yLabel, size: 62 })],
      series: [
        { label: options.xName, value: value(options.xUnit) },
        { label: "now", ...mine, points: { show: false }, spanGaps: true, value: value(options.yUnit) },
        { label: "before", ...its, points: { show: false }, spanGaps: true, value: value(options.yUnit), show: Boolean(before) },
      ],
    }, joined(now, before), place);
  }

  const overTime = (run, x, y) => run && { x: run[x].time_s, y: run[x][y] };
  function curve(run, name) {
    const found = run?.[name];
    if (!found) return null;
    const seen = found.seconds.map((seconds, place) => [seconds, found.share[place] * 100]).filter(([seconds]) => seconds !== null && seconds > 0);
    const x = [], y = [];
    for (const [seconds, share] of seen) {  // of equal times the greatest share: uPlot wants ascending x
      if (x.length && seconds <= x[x.length - 1]) y[y.length - 1] = share;
      else { x.push(seconds); y.push(share); }
    }
    return { x, y };
  }

  function show() {
    const { now, before } = state;
    const whole = { time: false }, percents = { range: [0, 100] };
    const upward = { range: (_, __, most) => [0, (most || 1) * 1.05] };
    draw("queue", overTime(now, "queue", "delay_ms"), overTime(before, "queue", "delay_ms"),
      { x: whole, y: upward, xLabel: "simulated time", yLabel: "wait", yScale: MILLISECONDS, xName: "time", xUnit: "s", yUnit: "ms" });
    draw("utilization", overTime(now, "utilization", "percent"), overTime(before, "utilization", "percent"),
      { x: whole, y: percents, xLabel: "simulated time", yLabel: "busy", yScale: PERCENT, xName: "time", xUnit: "s", yUnit: "%" });
    for (const name of ["pages", "responses"]) {
      draw(name, curve(now, name), curve(before, name),
        { x: { time: false, distr: 3 }, y: percents, xLabel: name === "pages" ? "page load time" : "response time", yLabel: "share", yScale: PERCENT, xName: "time", xUnit: "s", yUnit: "%" });
    }
    element("headline").textContent = [now.words.headline, now.pages && before?.words.before].filter(Boolean).join(" ");
    element("numbers").tBodies[0].replaceChildren(...now.words.rows.map(([title], place) => {
      const row = document.createElement("tr");
      const head = Object.assign(document.createElement("th"), { scope: "row", textContent: title });
      const cells = [now, before].map((run) => Object.assign(document.createElement("td"), { textContent: run ? run.words.rows[place][1] : "" }));
      row.append(head, ...cells);
      return row;
    }));
    element("command").textContent = now.command;
    element("compare").textContent = now.compare;
    const link = element("toml");
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([now.toml], { type: "text/plain" }));
    link.download = `${state.facts.name}-played.toml`;
    element("truth").textContent = now.words.scope;
    document.body.dataset.shown = String(state.asked);
  }

  // ------------------------------------------------------------------------------------------------------- requests

  function refuse(text) {
    element("refused").hidden = !text;
    element("refused").textContent = text ?? "";
  }

  // An answer that is no JSON is an error's text, which is shown as it is.
  async function sentenceOrJson(response) {
    const text = await response.text();
    try {
      return JSON.parse(text);
    } catch {
      return { refused: text.trim() || `the server answered ${response.status} ${response.statusText}` };
    }
  }

  function ask() {
    clearTimeout(state.timer);
    state.timer = setTimeout(send, 80);
  }

  async function send() {
    const number = state.asked += 1;
    const turned = structuredClone(state.turned);
    document.body.classList.add("busy");
    try {
      const response = await fetch(at("run"), { method: "POST", body: JSON.stringify(turned) });
      if (number !== state.asked) return;  // a newer one is on its way
      if (response.status === 403) throw new Error("the server has a new token: open the address that aqmlab play printed");
      const answer = await sentenceOrJson(response);
      if (answer.superseded) return;
      refuse(answer.refused);
      if (!answer.refused) { state.now = { ...answer, turned }; settle(); show(); }
    } catch (error) {
      if (number === state.asked) refuse(error instanceof TypeError ? "aqmlab play has stopped." : String(error.message));
    } finally {
      if (number === state.asked) document.body.classList.remove("busy");
    }
  }

  // ------------------------------------------------------------------------------------------------ full comparison

  const full = { timer: 0, asked: 0 };

  function showFull(seen) {
    const running = seen.state === "running", done = seen.state === "done";
    element("full-cancel").hidden = element("full-progress").hidden = !running;
    element("full-report").hidden = !done;
    element("full-refused").hidden = !seen.refused;
    element("full-refused").textContent = seen.refused ? seen.words : "";
    if (running && seen.simulated_s !== null) element("full-progress").value = seen.share;
    else element("full-progress").removeAttribute("value");
    element("full-status").textContent = seen.refused ? "" : seen.words;
    document.body.dataset.comparison = seen.state;
    clearTimeout(full.timer);
    if (running) full.timer = setTimeout(() => command("GET"), 300);
  }

  async function command(method, body) {
    const number = full.asked += 1;
    try {
      const response = await fetch(at("comparison"), { method, body });
      if (response.status === 403) throw new Error("the server has a new token");
      const answer = await sentenceOrJson(response);
      if (number !== full.asked) return;
      if (response.ok) showFull(answer);
      else {
        element("full-refused").hidden = false;
        element("full-refused").textContent = answer.refused;
        if (element("full-cancel").hidden === false) full.timer = setTimeout(() => command("GET"), 300);
      }
    } catch (error) {
      element("full-refused").hidden = false;
      element("full-refused").textContent = error instanceof TypeError ? "aqmlab play has stopped." : String(error.message);
    }
  }

  element("full-start").addEventListener("click", () => {
    if (!state.now) return;
    clearTimeout(full.timer);
    command("POST", JSON.stringify({ before: state.before?.turned ?? untouched(), now: state.now.turned }));
  });
  element("full-cancel").addEventListener("click", () => { clearTimeout(full.timer); command("DELETE"); });

  let resized = 0;
  const redraw = () => { clearTimeout(resized); resized = setTimeout(() => { if (state.now) show(); }, 150); };
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  (async () => {
    state.facts = await sentenceOrJson(await fetch(at("knobs")));
    if (state.facts.refused) throw new Error(state.facts.refused);
    state.turned = untouched();
    element("name").textContent = state.facts.words.title;
    for (const id of ["queue", "utilization"]) element(id).previousElementSibling.textContent += ` (${state.facts.link})`;
    document.title = `${state.facts.name} – aqmlab play`;
    element("full-report").href = at("comparison/report");
    build();
    await send();
  })().catch((error) => refuse(String(error.message)));
})();
