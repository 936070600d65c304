// The page: controls to a setting, the setting to runs, their answers to charts, a verdict and tables, whose words come with the answers.
// Who makes the runs is `playEngine`: the server of aqmlab play, or WebAssembly in the page of `make browser`. Every setting is a run of its
// own from the same users. Beside what is set now stands the setting before, or the same setting with another queue.
"use strict";
(() => {
  const { made, control } = playControls;
  const { colour } = playCharts;
  const engine = playEngine, WAIT_MS = 80;
  const element = (id) => document.getElementById(id);
  const sectionOf = (side) => document.querySelector(`.side[data-side="${side}"]`);
  const state = { facts: null, turned: null, beside: "", now: null, other: null, kept: false, gesture: null, asked: 0, timer: 0, changes: "", note: "" };

  // -------------------------------------------------------------------------------------------------------- controls

  const here = () => playAddress.of(state.facts, state.turned);
  const asItIs = () => state.facts.home?.schemes[0].name;

  // The first change of a control puts what stands now beside what comes; further ones of the same control belong to it, until it is left
  // or touched anew. Focus alone is no change.
  function changed(name, set) {
    if (state.gesture !== name) begin();
    state.gesture = name;
    set();
    ask();
  }
  function begin() { if (state.now && !state.kept && !state.beside) state.other = state.now; }
  element("controls").addEventListener("pointerdown", () => { state.gesture = null; });
  element("controls").addEventListener("focusout", (event) => { if (event.relatedTarget && event.relatedTarget.name !== event.target.name) state.gesture = null; });

  function set(name, value) {
    const { turned } = state;
    if (name === "technology") state.turned = onTechnology(value);
    else if (name === "sender") turned.sender = value || null;
    else if (name in turned.rates_mbps) turned.rates_mbps[name] = value;
    else if (here().home?.counts.some((knob) => knob.name === name)) turned.counts[name] = value;
    else if (name in turned && name !== "parameters") turned[name] = value;
    else turned.parameters[name] = value;
    if (["scheme", "place"].includes(name)) {
      turned.parameters = {};
      if (state.facts.home) turned.ecn = null;
    }
    if (["scheme", "place", "technology"].includes(name)) build();
  }
  const turn = (name, value) => changed(name, () => set(name, value));

  // The same on another kind of line, at its usual rates, without who is not there.
  function onTechnology(technology) {
    const usual = playAddress.untouched(state.facts, technology), { home } = playAddress.of(state.facts, { technology });
    const there = (names, known) => names.filter((name) => known.some((each) => each.name === name));
    const { off, faults } = state.turned;
    return { ...state.turned, technology, rates_mbps: usual.rates_mbps, off: there(off, home.applications), faults: there(faults, home.faults) };
  }

  function standing(knob) {
    const { turned } = state;
    return (knob.name in turned.rates_mbps ? turned.rates_mbps[knob.name] : turned.counts?.[knob.name] ?? turned[knob.name]) ?? knob.value;
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

  const options = (all) => all.map((each) => new Option(each.label, each.name));
  function chosen(name, label, all, value) {
    const select = made("select", { name }, ...options(all));
    select.value = value ?? "";
    select.addEventListener("change", () => turn(name, select.value));
    return made("label", {}, made("span", { textContent: label }), made("span"), select);
  }
  // Each of several on or off, in the list of what is off, or of what is on.
  const toggled = (name, isListed) => (each, on) => changed(`${name}.${each}`, () => {
    const listed = state.turned[name].filter((own) => own !== each);
    state.turned[name] = isListed(on) ? [...listed, each] : listed;
  });

  function ofHome({ applications, schemes, others, places, counts, senders, faults }) {
    const { turned, facts, beside } = state, { group, switches, oneOf } = playControls;
    const knobs = (all, typed) => all.map((knob) => control(knob, standing(knob), turn, typed));
    const isOther = others.some((each) => each.name === turned.scheme);
    const another = made("select", { name: "another" }, new Option("none", ""), ...options(others));
    another.value = isOther ? turned.scheme : "";
    another.addEventListener("change", () => turn("scheme", another.value || asItIs()));
    const where = oneOf("Where the queue stands", "place", places, turned.place, turn);
    where.disabled = [turned.scheme, beside || asItIs()].every((each) => each === asItIs());
    const technologies = Object.keys(facts.technologies);
    return [
      switches("Who uses the line", applications, (name) => !turned.off.includes(name), toggled("off", (on) => !on)),
      group("The line", ...(technologies.length ? [chosen("technology", "technology", technologies.map((name) => ({ name, label: name })), turned.technology)] : []),
        ...knobs(here().knobs, true)),
      oneOf("The queue", "scheme", schemes, turned.scheme, turn), where,
      made("details", { id: "more", open: isOther || element("more")?.open },
        made("summary", { textContent: "More settings" }),
        made("label", {}, made("span", { textContent: "another queue" }), made("span"), another), made("div", { id: "own" })),
      ...(counts.length ? [group("How many", ...knobs(counts), ...(senders.length ? [chosen("sender", "servers of downloads send with", senders, turned.sender)] : []))] : []),
      ...(faults.length ? [switches("Faults", faults, (name) => turned.faults.includes(name), toggled("faults", (on) => on))] : []),
    ];
  }

  function build() {
    const { facts } = state, form = element("controls"), { home, knobs } = here();
    const focused = document.activeElement?.form === form ? document.activeElement : null;
    const kept = focused && { name: focused.name, value: focused.type === "radio" ? state.turned[focused.name] : null };
    form.replaceChildren(...home ? ofHome(home) : [...knobs.map((knob) => control(knob, standing(knob), turn)), made("div", { id: "own" })]);
    settle();
    const button = (text, does) => {
      const pressed = made("button", { type: "button", textContent: text, name: text });
      pressed.addEventListener("click", () => changed(text, does));
      form.append(pressed);
    };
    button("Other users (next seed)", () => { state.turned.seed += 1; });
    button("Back to the scenario", () => { state.turned = playAddress.untouched(facts); build(); });
    const beside = document.querySelector('select[name="beside"]');
    beside.replaceChildren(new Option("the setting before", ""), ...options(queues(here())));
    beside.value = state.beside;
    if (!kept) return;
    const value = kept.value === null ? "" : `[value="${CSS.escape(kept.value)}"]`;
    (form.querySelector(`[name="${CSS.escape(kept.name)}"]${value}`) ?? form.querySelector(`[name="${CSS.escape(kept.name)}"]`))?.focus();
  }

  // ---------------------------------------------------------------------------------------------------- scenes, address

  const address = (setting) => playAddress.toAddress(state.facts, setting);
  function located() {
    showScene();
    const now = address(state);
    if (location.hash !== now) history.replaceState(null, "", now);
    element("address").href = now;
  }

  // The scene that a setting is, whatever its seed.
  function showScene() {
    const { facts, turned } = state;
    const scene = facts.scenes.find((each) => {
      const own = playAddress.ofScene(facts, each);
      return address({ ...own, turned: { ...own.turned, seed: turned.seed } }) === address(state);
    });
    element("scene").value = scene?.name ?? "";
    element("sentence").textContent = scene?.sentence ?? "";
  }
  element("scene").addEventListener("change", () => {
    const { facts } = state, scene = facts.scenes.find((each) => each.name === element("scene").value);
    if (!scene) return;
    const { turned, beside } = playAddress.ofScene(facts, scene);
    Object.assign(state, { turned: { ...turned, seed: state.turned.seed }, beside, kept: false });
    build();
    ask();
  });
  function read() {
    const { facts } = state, { turned, beside, version } = playAddress.fromAddress(facts, location.hash);
    Object.assign(state, { turned, beside, other: null, kept: false });
    state.note = version === facts.version ? "" : `This address was made by version ${version}; here is ${facts.version}, whose numbers may differ.`;
  }
  window.addEventListener("hashchange", () => {
    read();
    build();
    send();
  });

  // ---------------------------------------------------------------------------------------------------- before and now

  document.querySelector('select[name="beside"]').addEventListener("change", (event) => {
    state.beside = event.target.value;
    state.other = null;
    state.kept = false;
    state.gesture = null;
    build();
    ask();
  });
  element("keep").addEventListener("click", () => {
    state.kept = !state.kept;
    state.gesture = null;
    if (state.kept && state.now) {
      Object.assign(state, { beside: "", other: state.now });
      build();
      located();
      told();
    } else showPair();
  });
  element("swap").addEventListener("click", () => {
    [state.now, state.other] = [state.other, state.now];
    if (state.beside) state.beside = state.other.turned.scheme;
    state.turned = structuredClone(state.now.turned);
    state.gesture = null;
    state.asked += 1;  // what is under way is of the other setting
    clearTimeout(state.timer);
    rest();
    build();
    located();
    told();
    refine(state.asked).catch((error) => failed(state.asked, error));
  });
  element("cancel").addEventListener("click", () => {
    state.asked += 1;
    clearTimeout(state.timer);
    engine.cancel();
    rest();
    document.body.dataset.state = "cancelled";
    element("look").textContent = "Cancelled. What is shown is of the last setting that was simulated.";
    element("controls").elements[0].focus();
  });

  const sides = () => [["now", state.now], ["other", state.other]];
  const labelOf = (run) => run?.label ?? run?.scheme ?? "";
  // Side by side both differ in the queue alone.
  const queues = ({ home }) => (home ? [...home.schemes, ...home.others] : playAddress.schemesOf(state.facts).map((name) => ({ name, label: name })));
  const queueOf = (run) => queues(here()).find((each) => each.name === run?.scheme)?.label ?? "";
  const heads = () => (state.beside ? sides().map(([, run]) => queueOf(run)) : ["now", "before"]);
  // Both in the order of time; of two queues side by side as they stand.
  const pair = () => (state.beside ? [state.now, state.other] : [state.other, state.now]);

  function showPair() {
    element("keep").setAttribute("aria-pressed", String(state.kept));
    element("swap").disabled = !state.other;
    element("swap").textContent = state.beside ? "Swap both queues" : "Swap before and now";
  }

  // --------------------------------------------------------------------------------------------------------- detail

  // A scheme's line looks as in every report; of one scheme with two settings the one before is grey.
  function looksOf(now, other) {
    const look = (run) => state.facts.looks[run?.scheme] ?? { colour: "--now", dash: [] };
    const drawn = (run, width) => ({ stroke: colour(look(run).colour), dash: look(run).dash, width });
    const same = other && other.scheme === now.scheme;
    return [drawn(now, 2.5), { ...drawn(other ?? now, 1.5), ...(same ? { stroke: colour("--before") } : {}) }];
  }

  function showDetail() {
    const { now, other, facts } = state;
    element("detail").hidden = !now?.queue;
    if (!element("detail").open || !now?.queue) return;
    playDetail.show(now, other, { looks: looksOf(now, other), names: heads(), words: facts.words });
    rows("numbers", now.words.rows.map(([title]) => title), (run, title) =>
      made("td", { textContent: run?.words.rows.find(([each]) => each === title)?.[1] ?? "" }));
  }
  element("detail").addEventListener("toggle", showDetail);

  // --------------------------------------------------------------------------------------------- what people notice

  // A table of both sides: a row for each title.
  function rows(id, titles, cellOf) {
    const table = element(id), { cells } = table.tHead.rows[0];
    [cells[1].textContent, cells[2].textContent] = heads();
    table.tBodies[0].replaceChildren(...titles.map((title) => made("tr", {},
      made("th", { scope: "row", textContent: title }), ...sides().map(([, run]) => cellOf(run, title)))));
  }

  const rowOf = (run, name) => run?.verdict.rows.find((row) => row.name === name);
  function graded(run, name) {
    const row = rowOf(run, name);
    if (!row) return made("td", { textContent: run ? "–" : "" });
    const words = row.words.replace(/(\d) (?=\S)/g, "$1\u00a0");  // a number stays beside its unit
    return made("td", {}, ...(row.grade ? [playCharts.face(row.grade)] : []), made("span", { textContent: words, className: row.grade ?? "" }));
  }

  function showSide(side, run, look, elsewhere) {
    const section = sectionOf(side), part = (name) => section.querySelector(`.${name}`), strips = part("strips");
    if (side === "now") part("which").textContent = state.beside ? queueOf(run) : `now: ${labelOf(run)}`;
    const row = rowOf(run, run?.strip?.of), before = run && side === "other" && !state.beside ? [made("span", { className: "set", textContent: labelOf(run) })] : [];
    part("felt").replaceChildren(...before, ...(row?.grade ? [playCharts.face(row.grade, 32), made("span", {}, `${row.name}: `, made("b", { className: row.grade, textContent: row.words }))] : []));
    part("title").textContent = !run?.strip ? "" : run.strip.of ? `Delay of the ${run.strip.of}, one way` : "Wait in the queue";
    if (run?.strip) playCharts.strips(strips, run, look, elsewhere);
    else {
      playCharts.clearStrips(strips);
      const none = run ? state.facts.words.no_strip : "Nothing yet: change a setting, or choose a queue here.";
      strips.replaceChildren(...(none ? [made("p", { className: "none", textContent: none })] : []));
    }
  }

  function showSides() {
    const { now, other } = state, looks = looksOf(now, other);
    showSide("now", now, looks[0], other);
    showSide("other", other, looks[1], now);
    const names = [...new Set([now, other].flatMap((run) => run?.verdict.rows.map((row) => row.name) ?? []))];
    element("verdict").hidden = !names.length;
    rows("verdict", names, graded);
    element("notes").textContent = [...new Set([now, other].flatMap((run) => run?.verdict.notes ?? []))].join(" ");
  }

  function headline() {
    const { now, other, beside } = state;
    if (state.changes) return state.changes;
    if (!state.facts.home || !now.verdict.words.now) return [now.words.headline, now.pages && !beside && other?.words.before].filter(Boolean).join(" ");
    const same = beside && beside === now.scheme ? "Both sides have the same queue." : "";
    return [same, now.verdict.words.now, !beside && other?.verdict.words.before].filter(Boolean).join(" ");
  }

  function show() {
    const { now, other } = state;
    showPair();
    showSides();
    showDetail();
    element("command").textContent = now.command;
    element("compare").textContent = now.compare;
    element("compare").parentElement.hidden = element("compare-title").hidden = !now.compare;
    for (const [side, run] of sides()) {
      const link = element(`toml-${side}`);
      link.hidden = !run;
      if (!run) continue;
      URL.revokeObjectURL(link.href);
      link.href = URL.createObjectURL(new Blob([run.toml], { type: "text/plain" }));
      link.download = `${state.facts.name}-${side === "now" ? "played" : "beside"}.toml`;
    }
    element("full-start").textContent = state.beside ? "Compare both queues" : "Compare with the setting before";
    element("truth").textContent = now.words.scope;
    element("look").textContent = now.more || other?.more ? "First look; a longer run follows …" : now.took ?? "";
    if (other && !state.beside) element("toml-other").textContent = "Save the setting before (TOML)";
    else if (other) element("toml-other").textContent = `Save it with ${queueOf(other)} (TOML)`;
  }

  // All but the headline, which is said once: when what both differ in is known.
  async function told() {
    show();
    const number = state.asked, [one, two] = pair();
    const only = (run) => JSON.stringify({ ...run.turned, scheme: 0, place: 0, parameters: 0, ecn: 0 });
    const isQueue = state.facts.home && one && two && one.scheme !== two.scheme && one.whole_s === two.whole_s && one.more === two.more && only(one) === only(two);
    const changes = isQueue ? await engine.changes(one, two).catch(() => "") : "";
    if (number !== state.asked) return false;
    state.changes = changes;
    element("headline").textContent = headline();
    return true;
  }

  // ------------------------------------------------------------------------------------------------------------ runs

  function refuse(text) {
    element("refused").hidden = !text;
    element("refused").textContent = text ?? "";
  }

  function ask() {
    document.body.dataset.state = "asked";
    state.note = "";
    clearTimeout(state.timer);
    located();
    state.timer = setTimeout(send, WAIT_MS);
  }

  function rest() {
    document.body.classList.remove("busy");
    element("cancel").disabled = true;
    element("progress").hidden = true;
    element("headline").setAttribute("aria-busy", "false");
  }
  function failed(number, error) {
    if (number !== state.asked) return;
    if (!state.now) element("headline").textContent = "";
    refuse(String(error.message));
    rest();
    document.body.dataset.state = "refused";
  }

  // The answers to settings; null where a newer one is on its way.
  function answers(number, settings, quick) {
    element("progress").value = 0;
    return engine.run(settings, { quick, wanted: () => number === state.asked, progress: (share) => { element("progress").value = share; } });
  }

  async function send() {
    const number = state.asked += 1;
    showScene();
    document.body.classList.add("busy");
    element("cancel").disabled = false;
    element("progress").hidden = !engine.cancel;
    if (engine.cancel) element("look").textContent = "Simulating …";
    try {
      const settings = [structuredClone(state.turned)];
      if (state.beside) settings.push({ ...structuredClone(state.turned), scheme: state.beside, parameters: {}, ...(state.facts.home ? { ecn: null } : {}) });
      const found = await answers(number, settings, true);
      if (number !== state.asked || !found) return;
      refuse(state.note);
      document.body.classList.remove("busy");
      [state.now, state.other = state.other] = found;
      element("headline").setAttribute("aria-busy", String(Boolean(state.now.more)));  // said once, when the longer run is there
      settle();
      if (!await told()) return;
      Object.assign(document.body.dataset, { state: "shown", shown: String(number) });
      await refine(number);
    } catch (error) {
      failed(number, error);
    }
  }

  // After a first look the longer run: of this setting, and of the one beside it, if that had no time for it.
  async function refine(number) {
    const waiting = sides().filter(([, run]) => run?.more);
    if (waiting.length) {
      const found = await answers(number, waiting.map(([, run]) => run.turned), false);
      if (number !== state.asked || !found) return;
      waiting.forEach(([side], place) => { state[side] = found[place]; });
      if (!await told()) return;
    }
    rest();
    document.body.dataset.state = "whole";
  }

  // ----------------------------------------------------------------------------------------------------------- begin

  let resized = 0;
  const redraw = () => { clearTimeout(resized); resized = setTimeout(() => { if (state.now) { showSides(); showDetail(); } }, 150); };
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  (async () => {
    const facts = state.facts = { scenes: [], technologies: {}, beside: "", ...await engine.facts() };
    element("name").textContent = facts.words.title;
    element("utilization-title").textContent += facts.home ? "" : ` (${facts.link})`;
    element("command-title").textContent = facts.words.command;
    element("compare-title").textContent = facts.words.compare;
    element("detail").open = !facts.home;
    document.title = facts.words.tab ?? `${facts.name} – aqmlab play`;
    if (engine.full) {
      playComparison.begin(engine.full, () => state.now && pair().map((run) => run?.turned ?? playAddress.untouched(facts)));
    }
    element("cancel").hidden = !engine.cancel;
    element("scenes").hidden = !facts.scenes.length;
    element("scene").append(new Option("your own", ""), ...facts.scenes.map((each) => new Option(each.title, each.name)));
    read();
    element("address").href = address(state);
    build();
    await send();
  })().catch((error) => refuse(String(error.message)));
})();
