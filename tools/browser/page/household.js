// A setting of the page: its address, the scenario that it stands for, and that scenario as TOML. Data of tools/browser/build.py.
const aqmlabHousehold = (() => {
  "use strict";
  const WHOLE_S = 70, QUICK_S = 20, LEAST_S = 8, USUAL_MBPS = 110;  // fewer seconds on faster lines, as in aqmlab play
  const WARM_UP_S = 4, COOL_DOWN_S = 4;
  const COUNTS = { readers: [0, 30], uploads: [0, 6], downloads: [0, 12] };
  const RATES_MBPS = { low: 0.5, high: 1000 };
  const FAULTS = {
    wifi: { label: "The phone is far from the router (6 Mbit/s)", does: (document) => { document.devices.find((each) => each.name === "phone").wifi_mbps = 6; } },
    loss: { label: "The line loses 1 % of the packets down", does: (document) => { document.line.loss_probability_down = 0.01; } },
    varies: { label: "The line's rate varies", does: (document) => { document.line.rates_vary = true; } },
  };
  const OFF = ["call", "game", "meeting", "television"];

  const homeOf = (data, { technology }) => data.homes[technology].document;
  const usualRates = (data, technology) => {
    const { down_mbps: down, up_mbps: up } = data.homes[technology].document.line;
    return { down, up };
  };

  const usual = (data, technology = "cable") => ({
    technology, ...usualRates(data, technology), readers: 2, uploads: 1, downloads: 1, sender: "cubic", off: [], faults: [],
    left: data.as_it_is, right: "fq-codel", place: "router", seed: 1,
  });

  // Settings in an address or a scene: what is not legal is left at what is usual.
  function legal(data, given) {
    const technology = given.technology in data.homes ? given.technology : "cable", setting = usual(data, technology);
    const choices = { left: [data.as_it_is, ...data.schemes.map((each) => each.name)], place: data.places.map((each) => each.name), sender: Object.keys(data.senders) };
    choices.right = choices.left;
    for (const [name, among] of Object.entries(choices)) if (among.includes(given[name])) setting[name] = given[name];
    for (const name of ["down", "up"]) {
      const rate = Number(given[name]);
      if (rate >= RATES_MBPS.low && rate <= RATES_MBPS.high) setting[name] = rate;
    }
    for (const [name, [least, most]] of Object.entries({ ...COUNTS, seed: [1, 1e6] })) {
      const number = Number(given[name] ?? NaN);
      if (Number.isInteger(number) && number >= least && number <= most) setting[name] = number;
    }
    setting.off = OFF.filter((each) => given.off?.includes(each) && each in data.homes[technology].applications);
    setting.faults = Object.keys(FAULTS).filter((each) => given.faults?.includes(each));
    return setting;
  }

  function toAddress(data, setting) {
    const own = usual(data, setting.technology), written = new URLSearchParams({ v: data.version });
    if (setting.technology !== "cable") written.set("technology", setting.technology);
    for (const [name, value] of Object.entries(own)) {
      const now = setting[name];
      if (name !== "technology" && String(now) !== String(value)) written.set(name, Array.isArray(now) ? now.join(".") : now);
    }
    return `#${written}`;
  }

  // The setting of an address and the version that made it.
  function fromAddress(data, hash) {
    const given = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
    for (const name of ["off", "faults"]) given[name] = given[name]?.split(".") ?? [];
    return { setting: legal(data, given), version: given.v ?? data.version };
  }

  // ---------------------------------------------------------------------------------------------------------- scenario

  const people = ({ readers, uploads, downloads, off }, { applications }) =>
    readers + uploads + downloads + OFF.filter((each) => each in applications && !off.includes(each)).length;

  // The household with the queue of one side, of its own length. `resolved` fills a scenario in, by the module.
  function documentOf(data, setting, side, resolved, quick = false) {
    const document = structuredClone(homeOf(data, setting)), counted = { readers: setting.readers, backup: setting.uploads, download: setting.downloads };
    if (!people(setting, data.homes[setting.technology])) throw new Error("Nobody uses the line: switch something on.");
    Object.assign(document.line, { down_mbps: setting.down, up_mbps: setting.up });
    for (const table of ["populations", "flows", "datagrams"]) {
      document[table] = (document[table] ?? []).filter((group) => {
        if (group.name in counted) group.count = counted[group.name];
        if (group.name === "download") Object.assign(group, structuredClone(data.senders[setting.sender]));
        return group.count > 0 && !setting.off.includes(group.name.replace(/-(up|down)$/, ""));
      });
      if (!document[table].length) delete document[table];
    }
    for (const fault of setting.faults) FAULTS[fault].does(document);
    const share = Math.min(1, USUAL_MBPS / (setting.down + setting.up));
    const seconds = (whole) => Math.max(LEAST_S, Number((whole * share).toPrecision(2)));
    document.duration_s = seconds(quick ? QUICK_S : WHOLE_S);
    document.warm_up_s = Math.min(WARM_UP_S, document.duration_s / 5);
    document.cool_down_s = Math.min(COOL_DOWN_S, document.duration_s / 10);
    // What nobody uses may not be recorded either.
    const recorded = { ...(document.populations ? { responses: "rows" } : {}), ...(document.datagrams ? { datagrams: true } : {}) };
    document.record = { ...recorded, queue_interval_ms: 100, link_interval_ms: 100 };
    const scheme = data.schemes.find((each) => each.name === setting[side]);
    if (scheme) putQueue(document, scheme.at[setting.place], resolved);
    return document;
  }

  function putQueue(document, { line, keeps_bytes_of: keeps }, resolved) {
    const own = keeps.length ? JSON.parse(resolved(JSON.stringify(document))).line : null;
    Object.assign(document.line, structuredClone(line));
    for (const queue of keeps) document.line[queue].limit_bytes = own[queue].limit_bytes;
  }

  // -------------------------------------------------------------------------------------------------------------- TOML

  const isTable = (value) => value !== null && typeof value === "object" && !Array.isArray(value);
  const isTables = (value) => Array.isArray(value) && value.length > 0 && value.every(isTable);

  function inline(value) {
    if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
    if (isTable(value)) return `{ ${Object.entries(value).map(([key, each]) => `${key} = ${inline(each)}`).join(", ")} }`;
    return JSON.stringify(value);
  }

  function toToml(document, comment) {
    const pairs = (table) => Object.entries(table).map(([key, value]) => `${key} = ${inline(value)}`);
    const entries = Object.entries(document), plain = entries.filter(([, value]) => !isTable(value) && !isTables(value));
    const lines = [...comment.map((each) => `# ${each}`), ...pairs(Object.fromEntries(plain))];
    for (const [key, value] of entries) {
      for (const table of isTables(value) ? value : []) lines.push("", `[[${key}]]`, ...pairs(table));
      if (isTable(value)) lines.push("", `[${key}]`, ...pairs(value));
    }
    return `${lines.join("\n")}\n`;
  }

  return { usual, usualRates, legal, toAddress, fromAddress, documentOf, toToml, COUNTS, RATES_MBPS, FAULTS, OFF };
})();
globalThis.aqmlabHousehold = aqmlabHousehold;
