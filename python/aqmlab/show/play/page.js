// Controls to a request, the answer to charts, a verdict and tables, whose words come with the answer. Every setting is a run of its own from the
// same users. The setting before stays beside it: until the next change of another control, or as long as it is kept.
"use strict";
(() => {
  const { made, control } = playControls;
  const { colour } = playCharts;
  const token = document.body.dataset.token;
  const at = (path, more = "") => `${path}?token=${encodeURIComponent(token)}${more}`;
  const element = (id) => document.getElementById(id);
  const state = { facts: null, turned: null, now: null, before: null, kept: false, gesture: null, asked: 0, timer: 0 };

  // -------------------------------------------------------------------------------------------------------- controls

  // Nothing turned yet: parameters that are not sent stay as they follow from the rest.
  const untouched = () => ({ ...structuredClone(state.facts.start), ...(state.facts.home ? {} : { parameters: {} }) });

  // The first change of a control puts what stands now beside what comes; further ones of the same control belong to it, until it is left
  // or touched anew. Focus alone is no change.
  function changed(name, set) {
    if (state.gesture !== name) begin();
    state.gesture = name;
    set();
    ask();
  }
  function begin() { if (state.now && !state.kept) state.before = state.now; }
  element("controls").addEventListener("pointerdown", () => { state.gesture = null; });
  element("controls").addEventListener("focusout", (event) => { if (event.relatedTarget && event.relatedTarget.name !== event.target.name) state.gesture = null; });

  function set(name, value) {
    const { turned } = state;
    if (name in turned.rates_mbps) turned.rates_mbps[name] = value;
    else if (name in turned && name !== "parameters") turned[name] = value;
    else turned.parameters[name] = value;
    if (name === "scheme" || name === "place") {
      turned.parameters = {};
      if (state.facts.home) turned.ecn = null;
      build();
    }
  }
  const turn = (name, value) => changed(name, () => set(name, value));

  function standing(knob) {
    const { turned } = state;
    return (knob.name in turned.rates_mbps ? turned.rates_mbps[knob.name] : turned[knob.name]) ?? knob.value;
  }

  // What was turned, else what the last run of this scheme had: some follow from the rate or from other parameters.
  const isOf = (run, turned) => run?.turned.scheme === turned.scheme && run.turned.place === turned.place;
  function inForce(knob) {
    const { turned, now } = state;
    if (knob.name === "ecn") return turned.ecn ?? knob.value;
    return turned.parameters[knob.name] ?? (isOf(now, turned) ? now.parameters[knob.name] : undefined) ?? knob.value;
  }
  const ofScheme = () => state.facts.home ? (isOf(state.now, state.turned) ? state.now.further : []) : state.facts.parameters[state.turned.scheme] ?? [];

  // The controls of the scheme's own parameters follow the answer, but for the one that is being moved.
  function settle() {
    const place = element("own");
    const names = ofScheme().map((knob) => knob.name).join();
    if (place.dataset.names !== names) {
      place.dataset.names = names;
      place.replaceChildren(...ofScheme().map((knob) => control(knob, inForce(knob), turn)));
      return;
    }
    for (const knob of ofScheme()) {
      const slider = element("controls").elements[knob.name];
      if (slider?.type === "range" && slider !== document.activeElement) slider.show(inForce(knob));
    }
  }

  function ofHome({ applications, schemes, others, places }) {
    const { turned, facts } = state;
    const isOther = others.some((each) => each.name === turned.scheme);
    const another = made("select", { name: "another" }, new Option("none", ""), ...others.map((each) => new Option(each.label, each.name)));
    another.value = isOther ? turned.scheme : "";
    another.addEventListener("change", () => turn("scheme", another.value || schemes[0].name));
    const where = playControls.oneOf("Where the queue stands", "place", places, turned.place, turn);
    where.disabled = turned.scheme === schemes[0].name;
    const more = made("details", { id: "more", open: isOther || element("more")?.open },
      made("summary", { textContent: "More settings" }),
      made("label", {}, made("span", { textContent: "another queue" }), made("span"), another), made("div", { id: "own" }));
    return [
      playControls.switches("Who uses the line", applications, (name) => !turned.off.includes(name), (name, on) => changed(`on.${name}`, () => {
        turned.off = on ? turned.off.filter((each) => each !== name) : [...turned.off, name];
      })),
      playControls.group("The line", ...facts.knobs.map((knob) => control(knob, standing(knob), turn, true))),
      playControls.oneOf("The queue", "scheme", schemes, turned.scheme, turn), where, more,
    ];
  }

  function build() {
    const { facts } = state, form = element("controls");
    const focused = document.activeElement?.form === form ? document.activeElement : null;
    const kept = focused && { name: focused.name, value: focused.type === "radio" ? state.turned[focused.name] : null };
    form.replaceChildren(...facts.home ? ofHome(facts.home) : [...facts.knobs.map((knob) => control(knob, standing(knob), turn)), made("div", { id: "own" })]);
    settle();
    const button = (text, does) => {
      const pressed = made("button", { type: "button", textContent: text, name: text });
      pressed.addEventListener("click", () => changed(text, does));
      form.append(pressed);
    };
    button("Other users (next seed)", () => { state.turned.seed += 1; });
    button("Back to the scenario", () => { state.turned = untouched(); build(); });
    if (!kept) return;
    const value = kept.value === null ? "" : `[value="${CSS.escape(kept.value)}"]`;
    (form.querySelector(`[name="${CSS.escape(kept.name)}"]${value}`) ?? form.querySelector(`[name="${CSS.escape(kept.name)}"]`))?.focus();
  }

  // ---------------------------------------------------------------------------------------------------- before and now

  function showPair() {
    element("keep").setAttribute("aria-pressed", String(state.kept));
    element("swap").disabled = !state.before;
    element("look").textContent = state.now?.more ? "First look; a longer run follows …" : "";
  }
  element("keep").addEventListener("click", () => {
    state.kept = !state.kept;
    state.gesture = null;
    if (state.kept && state.now) { state.before = state.now; show(); }
    showPair();
  });
  element("swap").addEventListener("click", () => {
    [state.now, state.before] = [state.before, state.now];
    state.turned = structuredClone(state.now.turned);
    state.gesture = null;
    state.asked += 1;  // what is under way is of the other setting
    clearTimeout(state.timer);
    document.body.classList.remove("busy");
    build();
    show();
    refine(state.asked);
  });

  // --------------------------------------------------------------------------------------------------------- charts

  // A scheme's line looks as in every report; of one scheme with two settings the one before is grey.
  function looksOf(now, before) {
    const look = (run) => state.facts.looks[run?.scheme] ?? { colour: "--now", dash: [] };
    const drawn = (run, width) => ({ stroke: colour(look(run).colour), dash: look(run).dash, width });
    const same = before && before.scheme === now.scheme;
    return [drawn(now, 2.5), { ...drawn(before ?? now, 1.5), ...(same ? { stroke: colour("--before") } : {}) }];
  }

  function draw(id, now, before, options) {
    if (now) playCharts.draw(element(id), now, before, looksOf(state.now, state.before), options);
    else {
      playCharts.clear(element(id));
      element(id).append(made("p", { className: "none", textContent: state.facts.words[state.now.numbers.pages_begun ? "none_loaded" : "no_pages"] }));
    }
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

  function showCharts() {
    const { now, before } = state, { MILLISECONDS, PERCENT } = playCharts;
    if (!element("detail").open || !now) return;
    element("queue-title").textContent = `Queueing delay (${now.link})`;
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
  }
  element("detail").addEventListener("toggle", showCharts);

  // --------------------------------------------------------------------------------------------- what people notice

  const labelOf = (run) => run.label ?? run.scheme;
  function graded(row, absent) {
    if (!row) return made("td", { textContent: absent });
    const words = row.words.replace(/(\d) (?=\S)/g, "$1\u00a0");  // a number stays beside its unit
    return made("td", {}, ...(row.grade ? [playCharts.face(row.grade)] : []), made("span", { textContent: words, className: row.grade ?? "" }));
  }

  function showFelt() {
    const { now, before } = state, rowOf = (run, name) => run?.verdict.rows.find((row) => row.name === name);
    const names = [...new Set([now, before].flatMap((run) => run?.verdict.rows.map((row) => row.name) ?? []))];
    element("felt").hidden = !names.length;
    element("verdict").tBodies[0].replaceChildren(...names.map((name) => made("tr", {},
      made("th", { scope: "row", textContent: name }), graded(rowOf(now, name), "–"), graded(rowOf(before, name), before ? "–" : ""))));
    element("notes").textContent = now.verdict.notes.join(" ");
    element("delay").hidden = !now.strip;
    if (!now.strip) return;
    const { of } = now.strip, looks = looksOf(now, before);
    element("strip-title").textContent = of ? `Delay of the ${of}, one way` : "Wait in the queue";
    element("lines").replaceChildren(...[["now", now, looks[0]], ["before", before, looks[1]]].filter(([, run]) => run).map(([when, run, look]) => {
      const line = made("i", { className: "line", hidden: run.strip?.of !== of });
      line.style.borderTop = `3px ${look.dash.length ? "dashed" : "solid"} ${look.stroke}`;
      const row = of && rowOf(run, of);
      const grade = row?.grade ? [made("b", { className: row.grade }, playCharts.face(row.grade, when === "now" ? 34 : 22), ` ${row.words}`)] : [];
      return made("li", { className: when }, made("span", {}, line, `${when}: ${labelOf(run)}`), ...grade);
    }));
    playCharts.strips(element("strips"), now, before, looks);
  }

  function headline() {
    const { now, before } = state;
    if (!state.facts.home || !now.verdict.words.now) return [now.words.headline, now.pages && before?.words.before];
    return [now.verdict.words.now, before?.verdict.words.before];
  }

  function show() {
    const { now, before } = state;
    element("headline").textContent = headline().filter(Boolean).join(" ");
    showPair();
    showFelt();
    showCharts();
    element("numbers").tBodies[0].replaceChildren(...now.words.rows.map(([title, shown]) => {
      const earlier = before?.words.rows.find(([each]) => each === title)?.[1] ?? "";
      return made("tr", {}, made("th", { scope: "row", textContent: title }), made("td", { textContent: shown }), made("td", { textContent: earlier }));
    }));
    element("command").textContent = now.command;
    element("compare").textContent = now.compare;
    const link = element("toml");
    URL.revokeObjectURL(link.href);
    link.href = URL.createObjectURL(new Blob([now.toml], { type: "text/plain" }));
    link.download = `${state.facts.name}-played.toml`;
    element("truth").textContent = now.words.scope;
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
    document.body.dataset.state = "asked";
    clearTimeout(state.timer);
    state.timer = setTimeout(send, 80);
  }

  // The answer to a setting; none where a newer one is on its way.
  async function answered(number, turned, more) {
    try {
      const response = await fetch(at("run", more), { method: "POST", body: JSON.stringify(turned) });
      if (number !== state.asked) return null;
      if (response.status === 403) throw new Error("the server has a new token: open the address that aqmlab play printed");
      const answer = await sentenceOrJson(response);
      if (number !== state.asked || answer.superseded) return null;
      refuse(answer.refused);
      return answer.refused ? null : { ...answer, turned };
    } catch (error) {
      if (number === state.asked) refuse(error instanceof TypeError ? "aqmlab play has stopped." : String(error.message));
      return null;
    }
  }

  async function send() {
    const number = state.asked += 1;
    document.body.classList.add("busy");
    const found = await answered(number, structuredClone(state.turned), "&quick=1");
    if (number !== state.asked) return;
    document.body.classList.remove("busy");
    document.body.dataset.state = found ? "shown" : "refused";
    if (!found) return;
    state.now = found;
    element("headline").setAttribute("aria-busy", String(found.more));  // said once, when the longer run is there
    settle();
    show();
    document.body.dataset.shown = String(number);
    refine(number);
  }

  // After a first look the longer run: of this setting, then of the one before, if that had no time for it.
  async function refine(number) {
    for (const side of ["now", "before"]) {
      if (!state[side]?.more) continue;
      const found = await answered(number, state[side].turned, "");
      if (number !== state.asked) return;
      if (found) { state[side] = found; show(); }
    }
    element("headline").setAttribute("aria-busy", "false");
    document.body.dataset.state = "whole";
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
    element("utilization-title").textContent += state.facts.home ? "" : ` (${state.facts.link})`;
    element("detail").open = !state.facts.home;
    document.title = `${state.facts.name} – aqmlab play`;
    element("full-report").href = at("comparison/report");
    build();
    await send();
  })().catch((error) => refuse(String(error.message)));
})();
