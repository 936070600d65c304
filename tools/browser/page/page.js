// The page: controls to a setting, the setting to two runs in workers, their answers to charts, a table and a verdict.
"use strict";
(() => {
  const data = globalThis.aqmlabData, { made } = playControls, household = aqmlabHousehold;
  const SIDES = ["left", "right"], WAIT_MS = 200;
  const element = (id) => document.getElementById(id);
  const sectionOf = (side) => document.querySelector(`.side[data-side="${side}"]`);
  const state = { setting: null, scene: "", answers: {}, asked: 0, timer: 0, shown: 0, note: "" };

  // --------------------------------------------------------------------------------------------------------- engines

  const isFile = location.protocol === "file:";
  let compiled = null;  // the module, once a worker has it

  // As a file a page may fetch nothing: the module and the worker then come as text.
  const folder = isFile ? new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: "folder.js", onload: () => resolve(globalThis.aqmlabFolder), onerror: () => reject(new Error("folder.js is missing")) }));
  }) : null;
  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // A worker for each side: one run at a time, and a run that nobody wants any more ends with its worker.
  class Engine {
    // The module is compiled once: by the worker `before` whose beginning this one waits.
    constructor(before) { this.worker = null; this.busy = null; this.ready = Promise.resolve(before).then(() => this.begin()); }

    async begin() {
      const own = folder && await folder;
      const address = own ? URL.createObjectURL(new Blob([own.worker], { type: "text/javascript" })) : "worker.js";
      const worker = new Worker(address);
      const known = { ...data, scenes: [] };
      await new Promise((resolve, reject) => {
        worker.onmessage = ({ data: said }) => {
          if (said.error) reject(new Error(said.error));
          compiled = said.ready;
          resolve();
        };
        worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
        const module = compiled ?? undefined, bytes = own && !compiled ? bytesOf(own.module) : undefined;
        worker.postMessage({ begin: { module, bytes, address: new URL("engine.wasm", location.href).href, known } });
      });
      if (own) URL.revokeObjectURL(address);
      this.worker = worker;
    }

    // The answer to a setting; null if something else was asked for meanwhile.
    async run(asked, progress) {
      this.stop();
      await this.ready;
      if (asked.id !== state.asked) return null;
      return new Promise((resolve, reject) => {
        this.busy = () => resolve(null);
        this.worker.onmessage = ({ data: said }) => {
          if (said.id !== asked.id) return;
          if (said.share !== undefined) { progress(said.share); return; }
          this.busy = null;
          if (said.error) reject(new Error(said.error));
          else resolve(said.answer);
        };
        this.worker.onerror = (event) => reject(new Error(event.message));
        this.worker.postMessage(asked);
      });
    }

    stop() {
      if (!this.busy) return;
      this.worker.terminate();
      this.busy();
      this.busy = null;
      this.ready = this.begin();
    }
  }
  const engines = {};

  // -------------------------------------------------------------------------------------------------------- controls

  const labelOf = (name) => data.schemes.find((each) => each.name === name)?.label ?? data.as_it_is;
  const underOf = (name) => (name === data.as_it_is ? name : `with ${labelOf(name)}`);
  const lookOf = (name) => data.schemes.find((each) => each.name === name)?.look ?? data.own_look;

  // The scene that a setting is, whatever its seed.
  const sceneOf = (setting) => data.scenes.find((each) =>
    household.toAddress(data, household.legal(data, { ...each.setting, seed: setting.seed })) === household.toAddress(data, setting))?.name ?? "";

  function changed(change) {
    change(state.setting);
    state.scene = sceneOf(state.setting);
    showScene();
    ask();
  }
  const set = (name, value) => changed((setting) => {
    setting[name] = value;
    if (name === "technology") {
      Object.assign(setting, household.usualRates(data, value));
      setting.off = setting.off.filter((each) => each in data.homes[value].applications);
      build();
    }
  });

  const rate = (name, label) => playControls.control({ name, label, kind: "range", log: true, ...household.RATES_MBPS }, state.setting[name], set, true);
  const count = (name, label) => {
    const [low, high] = household.COUNTS[name];
    return playControls.control({ name, label, kind: "range", low, high, integer: true }, state.setting[name], set);
  };
  function choice(name, label, choices) {
    const select = made("select", { name }, ...choices.map((each) => new Option(each.label, each.name)));
    select.value = state.setting[name];
    select.addEventListener("change", () => set(name, select.value));
    return made("label", {}, made("span", { textContent: label }), made("span"), select);
  }
  const toggled = (name) => (each, on) => changed((setting) => {
    setting[name] = name === "off" ? household.OFF.filter((own) => (own === each ? !on : setting.off.includes(own)))
      : Object.keys(household.FAULTS).filter((own) => (own === each ? on : setting.faults.includes(own)));
  });

  function build() {
    const { setting } = state, { applications } = data.homes[setting.technology], form = element("controls");
    const focused = document.activeElement?.form === form ? document.activeElement.name : "";
    const switches = household.OFF.filter((each) => each in applications).map((name) => ({ name, label: applications[name] }));
    const next = made("button", { type: "button", name: "seed", textContent: "Other users (next seed)" });
    next.addEventListener("click", () => set("seed", state.setting.seed + 1));
    form.replaceChildren(
      playControls.group("The line",
        choice("technology", "technology", Object.keys(data.homes).map((name) => ({ name, label: name }))),
        rate("down", "down, Mbit/s"), rate("up", "up, Mbit/s")),
      playControls.group("Who uses it", count("readers", "people who read web pages"), count("uploads", "uploads (backups)"),
        count("downloads", "downloads"),
        choice("sender", "servers of downloads send with", Object.keys(data.senders).map((name) => ({ name, label: name.toUpperCase().replace("RENO", "Reno") })))),
      playControls.switches("At the same time", switches, (name) => !setting.off.includes(name), toggled("off")),
      playControls.oneOf("Where a chosen queue stands", "place", data.places, setting.place, set),
      playControls.switches("Faults", Object.entries(household.FAULTS).map(([name, { label }]) => ({ name, label })), (name) => setting.faults.includes(name), toggled("faults")),
      next,
    );
    if (focused) form.querySelector(`[name="${CSS.escape(focused)}"]`)?.focus();
    for (const side of SIDES) sectionOf(side).querySelector("select").value = setting[side];
  }

  function showScene() {
    element("scene").value = state.scene;
    element("sentence").textContent = data.scenes.find((each) => each.name === state.scene)?.sentence ?? "";
  }
  function enter(name) {
    const scene = data.scenes.find((each) => each.name === name);
    if (!scene) return;
    state.setting = household.legal(data, { ...scene.setting, seed: state.setting.seed });
    state.scene = name;
    build();
    showScene();
    ask();
  }

  // ------------------------------------------------------------------------------------------------------------ runs

  function refuse(text) {
    element("refused").hidden = !text;
    element("refused").textContent = text;
  }

  function ask() {
    clearTimeout(state.timer);
    state.note = "";
    const address = household.toAddress(data, state.setting);
    if (location.hash !== address) history.replaceState(null, "", address);
    element("address").href = address;
    state.timer = setTimeout(begin, WAIT_MS);
  }

  function failed(error) {
    if (!state.shown) element("headline").textContent = "";
    refuse(String(error.message));
    ended();
    document.body.dataset.state = "failed";
  }

  function ended() {
    element("cancel").disabled = true;
    element("progress").value = 0;
    element("progress").hidden = true;
    document.body.classList.remove("stale");
  }

  async function begin() {
    const id = state.asked += 1;
    try {
      await simulate(id);
    } catch (error) {
      if (id === state.asked) failed(error);
    }
  }

  async function simulate(id) {
    const setting = structuredClone(state.setting);
    refuse(state.note);
    document.body.dataset.state = "running";
    document.body.classList.add("stale");
    element("cancel").disabled = false;
    element("progress").hidden = false;
    // A first look, and the whole run, of which it is the beginning.
    for (const quick of [true, false]) {
      element("look").textContent = quick ? "Simulating …" : "First look; a longer run follows …";
      const shares = { left: 0, right: 0 };
      const progress = (side) => (share) => {
        shares[side] = share;
        element("progress").value = (shares.left + shares.right) / 2;
      };
      const found = await Promise.all(SIDES.map((side) => engines[side].run({ id, setting, side, quick }, progress(side))));
      if (id !== state.asked || found.includes(null)) return;
      state.answers = Object.fromEntries(SIDES.map((side, place) => [side, found[place]]));
      state.of = setting;
      show();
    }
    ended();
    document.body.dataset.state = "done";
    const { left, right } = state.answers;
    element("look").textContent = `${left.scenario.duration_s} simulated seconds for each side, in ${aqmlabWords.write.duration(Math.max(left.tookMs, right.tookMs) / 1000)}.`;
  }

  element("cancel").addEventListener("click", () => {
    state.asked += 1;
    clearTimeout(state.timer);
    for (const side of SIDES) engines[side].stop();
    ended();
    document.body.dataset.state = "cancelled";
    element("look").textContent = "Cancelled. What is shown is of the last setting that was simulated.";
    document.querySelector("#controls select").focus();
  });

  // ------------------------------------------------------------------------------------------------------------ show

  function cell(own) {
    if (!own) return made("td", { textContent: "–" });
    const words = aqmlabWords.fares(own, data.rules).replace(/(\d) (?=\S)/g, "$1\u00a0"), grade = own.grade === null ? "" : data.rules.grades[own.grade];
    return made("td", {}, ...(grade ? [playCharts.face(grade)] : []), made("span", { textContent: words, className: grade }));
  }

  function showSide(side, other) {
    const own = state.answers[side], section = sectionOf(side), scheme = state.of[side], felt = section.querySelector(".felt");
    const strips = section.querySelector(".strips"), told = own.strip && own.applications.find((each) => each.name === own.strip.of);
    const grade = told?.fares.grade;
    felt.replaceChildren(...(told ? [playCharts.face(data.rules.grades[grade], 32), made("span", {}, `${told.name}: `,
      made("b", { className: data.rules.grades[grade], textContent: aqmlabWords.fares(told.fares, data.rules) }))] : []));
    section.querySelector(".title").textContent = own.strip ? `Delay of the ${own.strip.of}, one way` : "";
    if (!own.strip) {
      playCharts.clearStrips(strips);
      strips.replaceChildren(made("p", { className: "none", textContent: "No call and no game is on: switch one on to see its delay." }));
      return;
    }
    const look = lookOf(scheme), stroke = { stroke: playCharts.colour(look.colour), dash: look.dash, width: 2 };
    const run = { strip: own.strip, whole_s: own.measuredS };
    playCharts.strips(strips, run, null, [stroke, stroke], { strip: other.strip, whole_s: other.measuredS });
  }

  function show() {
    const { left, right } = state.answers, { rules } = data;
    showSide("left", right);
    showSide("right", left);
    const sides = SIDES.map((side) => ({ applications: state.answers[side].applications, under: underOf(state.of[side]) }));
    const sentence = aqmlabWords.verdict(sides, rules);
    element("headline").textContent = state.of.left === state.of.right ? `Both sides have the same queue. ${sentence}` : sentence;
    for (const side of SIDES) element(`head-${side}`).textContent = labelOf(state.of[side]);
    const names = [...new Set(SIDES.flatMap((side) => state.answers[side].applications.map((each) => each.name)))];
    const of = (side, name) => state.answers[side].applications.find((each) => each.name === name)?.fares;
    element("verdict").tBodies[0].replaceChildren(...names.map((name) => made("tr", {},
      made("th", { scope: "row", textContent: name }), ...SIDES.map((side) => cell(of(side, name))))));
    element("notes").textContent = `Good, fair and poor end at: ${limits(left.applications.concat(right.applications))}. Delays: 95 % of the packets or frames, one way; `
      + "of pages the time within which half of them load. Calls, games and meetings are also judged by loss, jitter and frozen pictures.";
    onward();
    state.shown += 1;
    document.body.dataset.shown = state.shown;
  }

  function limits(applications) {
    const units = { pages: "s", video: "% still" };
    const kinds = [...new Set(applications.map((each) => each.kind))].filter((kind) => kind in data.rules.kinds);
    return kinds.map((kind) => `${kind} ${[...new Set(data.rules.kinds[kind].criteria[0].limits)].join("/")} ${units[kind] ?? "ms"}`).join(", ");
  }

  function onward() {
    const { of } = state, files = {};
    for (const side of SIDES) {
      const { scenario } = state.answers[side], link = element(`toml-${side}`), scheme = labelOf(of[side]);
      files[side] = `home-${of[side].replaceAll(" ", "-")}.toml`;
      const comment = [`A household ${underOf(of[side])}, made by the page of aqmlab ${data.version}.`, `The page's numbers: aqmlab run ${files[side]} --seed ${of.seed}`];
      URL.revokeObjectURL(link.href);
      link.href = URL.createObjectURL(new Blob([household.toToml(scenario, comment)], { type: "text/plain" }));
      link.download = files[side];
      link.textContent = `Save the ${side} scenario: ${scheme} (TOML)`;
    }
    const other = SIDES.map((side) => of[side]).find((each) => each !== data.as_it_is);
    element("command").textContent = [
      `aqmlab run ${files.left} --seed ${of.seed}`,
      ...(of.left === data.as_it_is && other ? [`aqmlab compare ${files.left} --schemes ${other} --queue-in ${of.place}`] : []),
    ].join("\n");
    element("truth").textContent = `This is one run for each side with seed ${of.seed}, simulated on your machine by aqmlab ${data.version}: `
      + "packets, TCP, pages, calls and games. Nothing was sent anywhere. Another seed changes these numbers.";
  }

  // ----------------------------------------------------------------------------------------------------------- begin

  let resized = 0;
  const redraw = () => { clearTimeout(resized); resized = setTimeout(() => { if (state.answers.left) { showSide("left", state.answers.right); showSide("right", state.answers.left); } }, 150); };
  window.addEventListener("resize", redraw);
  window.matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);

  function read() {
    const { setting, version } = household.fromAddress(data, location.hash);
    state.setting = setting;
    state.scene = sceneOf(setting);
    state.note = version === data.version ? "" : `This address was made by version ${version}; here is ${data.version}, whose numbers may differ.`;
  }
  window.addEventListener("hashchange", () => {
    read();
    build();
    showScene();
    begin();
  });

  read();
  element("scene").append(new Option("your own", ""), ...data.scenes.map((each) => new Option(each.title, each.name)));
  element("scene").addEventListener("change", () => enter(element("scene").value));
  const queues = [new Option(`${data.as_it_is} (drop-tail)`, data.as_it_is), ...data.schemes.map((each) => new Option(each.label, each.name))];
  for (const side of SIDES) {
    const select = sectionOf(side).querySelector("select");
    select.append(...queues.map((each) => each.cloneNode(true)));
    select.addEventListener("change", () => set(side, select.value));
    engines[side] = new Engine(engines.left?.ready);
  }
  build();
  showScene();
  begin();
})();
