// The engine of the page of `make browser`: WebAssembly in workers makes the runs, and words.js says what they mean, as the server of
// aqmlab play does. aqmlab/show/play/server.js has the same functions.
const playEngine = (() => {
  "use strict";
  const data = globalThis.aqmlabData, { facts, rules } = data;
  const isFile = location.protocol === "file:";
  let compiled = null;  // the module, once a worker has it

  // As a file a page may fetch nothing: the module and the worker then come as text.
  const folder = isFile ? new Promise((resolve, reject) => {
    document.head.append(Object.assign(document.createElement("script"), { src: "folder.js", onload: () => resolve(globalThis.aqmlabFolder), onerror: () => reject(new Error("folder.js is missing")) }));
  }) : null;
  const bytesOf = (text) => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

  // A worker for each side: one run at a time, and a run that nobody wants any more ends with its worker.
  class Simulator {
    // The module is compiled once: by the worker `before` whose beginning this one waits.
    constructor(before) { this.worker = null; this.busy = null; this.asked = 0; this.ready = Promise.resolve(before).then(() => this.begin()); }

    async begin() {
      const own = folder && await folder;
      const address = own ? URL.createObjectURL(new Blob([own.worker], { type: "text/javascript" })) : "worker.js";
      const worker = new Worker(address);
      await new Promise((resolve, reject) => {
        worker.onmessage = ({ data: said }) => {
          if (said.error) reject(new Error(said.error));
          compiled = said.ready;
          resolve();
        };
        worker.onerror = (event) => reject(new Error(event.message || "the worker does not start"));
        const module = compiled ?? undefined, bytes = own && !compiled ? bytesOf(own.module) : undefined;
        worker.postMessage({ begin: { module, bytes, address: new URL("engine.wasm", location.href).href, known: { ...data, facts: null } } });
      });
      if (own) URL.revokeObjectURL(address);
      this.worker = worker;
    }

    // What the worker says of a setting; null if something else was asked for meanwhile.
    async run(setting, quick, wanted, progress) {
      this.stop();
      await this.ready;
      if (!wanted()) return null;
      const id = this.asked += 1;
      return new Promise((resolve, reject) => {
        this.busy = () => resolve(null);
        this.worker.onmessage = ({ data: said }) => {
          if (said.id !== id) return;
          if (said.share !== undefined) { progress(said.share); return; }
          this.busy = null;
          if (said.error) reject(new Error(said.error));
          else resolve(said.answer);
        };
        this.worker.onerror = (event) => reject(new Error(event.message));
        this.worker.postMessage({ id, setting, quick });
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
  const simulators = [new Simulator()];
  simulators.push(new Simulator(simulators[0].ready));

  // ------------------------------------------------------------------------------------------------------------ words

  const named = (all, name) => all.find((each) => each.name === name)?.label ?? name;
  const queueOf = ({ scheme }) => named([...facts.home.schemes, ...facts.home.others], scheme);
  const underOf = (run) => (run.scheme === data.as_it_is ? run.scheme : `with ${queueOf(run)}`);
  const file = `${facts.name}-played.toml`;

  function verdictOf(applications) {
    const grade = ({ fares }) => (fares.grade === null ? null : rules.grades[fares.grade]);
    return {
      rows: applications.map((each) => ({ name: each.name, words: aqmlabWords.fares(each.fares, rules), grade: grade(each) })),
      words: aqmlabWords.worst(applications, rules),
      notes: [`Good, fair and poor end at: ${limits(applications)}. Delays: 95 % of the packets or frames, one way; of pages the time within `
        + "which half of them load. Calls, games and meetings are also judged by loss, jitter and frozen pictures."],
    };
  }
  function limits(applications) {
    const units = { pages: "s", video: "% still" };
    const kinds = [...new Set(applications.map((each) => each.kind))].filter((kind) => kind in rules.kinds);
    return kinds.map((kind) => `${kind} ${[...new Set(rules.kinds[kind].criteria[0].limits)].join("/")} ${units[kind] ?? "ms"}`).join(", ");
  }

  // What the page shows of a run.
  function answered(turned, said, quick) {
    const { scheme, place, seed } = turned, isOwn = scheme === data.as_it_is, { scenario, applications, tookMs } = said;
    const label = isOwn ? scheme : `${queueOf(turned)} ${named(facts.home.places, place)}`;
    const comment = [`A household, ${label}, made by the page of aqmlab ${facts.version}.`, `The page's numbers: aqmlab run FILE --seed ${seed}`];
    const others = facts.home.schemes.map((each) => each.name).filter((each) => ![scheme, data.as_it_is].includes(each));
    return {
      turned, scheme, label, applications, strip: said.strip, whole_s: said.measuredS, parameters: {}, further: [],
      more: quick && aqmlabHousehold.lengthS(turned, true) < aqmlabHousehold.lengthS(turned, false),
      verdict: verdictOf(applications),
      words: { rows: [], headline: "", before: "", scope: `This is one run with seed ${seed}, simulated on your machine by aqmlab ${facts.version}: packets, TCP, `
        + "pages, calls and games. Nothing was sent anywhere. Another seed changes these numbers." },
      took: `${scenario.duration_s} simulated seconds, in ${aqmlabWords.write.duration(tookMs / 1000)}.`,
      toml: aqmlabHousehold.toToml(scenario, comment),
      command: `aqmlab run ${file} --seed ${seed}`,
      compare: `aqmlab compare ${file} --schemes ${others.join(",")} --queue-in ${place}`,
    };
  }

  async function run(settings, { quick, wanted, progress }) {
    const shares = settings.map(() => 0);
    const found = await Promise.all(settings.map((setting, place) => simulators[place].run(setting, quick, wanted, (share) => {
      shares[place] = share;
      progress(shares.reduce((sum, each) => sum + each) / shares.length);
    })));
    return found.includes(null) ? null : found.map((said, place) => answered(settings[place], said, quick));
  }

  return {
    facts: async () => facts,
    run,
    changes: async (before, now) => aqmlabWords.verdict([before, now].map((each) => ({ applications: each.applications, under: underOf(each) })), rules),
    cancel: () => simulators.forEach((each) => each.stop()),
  };
})();
