// The scenario that a setting of the page stands for, and that scenario as TOML. Data of tools/browser/build.py.
const aqmlabHousehold = (() => {
  "use strict";
  const WHOLE_S = 70, QUICK_S = 20, LEAST_S = 8, USUAL_MBPS = 110;  // fewer seconds on faster lines, as in aqmlab play
  const WARM_UP_S = 4, COOL_DOWN_S = 4;

  function put(document, key, value) {
    const parts = key.split("."), last = parts.pop();
    parts.reduce((table, part) => table[part], document)[last] = value;
  }

  function lengthS({ rates_mbps: rates }, quick) {
    const share = Math.min(1, USUAL_MBPS / Object.values(rates).reduce((sum, each) => sum + each));
    return Math.max(LEAST_S, Number(((quick ? QUICK_S : WHOLE_S) * share).toPrecision(2)));
  }

  // The household with the queue of a setting, of the page's length. `resolved` fills a scenario in, by the module.
  function documentOf(data, setting, resolved, quick = false) {
    const { document: own, faults } = data.homes[setting.technology], document = structuredClone(own);
    for (const [key, rate] of Object.entries(setting.rates_mbps)) put(document, key, rate);
    for (const fault of setting.faults) for (const [key, value] of Object.entries(faults[fault])) put(document, key, value);
    for (const table of ["populations", "flows", "datagrams"]) {
      document[table] = (document[table] ?? []).filter((group) => {
        group.count = setting.counts[group.name] ?? group.count;
        if (setting.sender && table === "flows" && group.direction === "down") group.host = { ...group.host, congestion: data.senders[setting.sender] };
        return group.count > 0 && !setting.off.includes(group.name.replace(/-(up|down)$/, ""));
      });
      if (!document[table].length) delete document[table];
    }
    if (!(document.populations ?? document.flows ?? document.datagrams)) throw new Error("Nobody uses the line: switch something on.");
    document.duration_s = lengthS(setting, quick);
    document.warm_up_s = Math.min(WARM_UP_S, document.duration_s / 5);
    document.cool_down_s = Math.min(COOL_DOWN_S, document.duration_s / 10);
    // What nobody uses may not be recorded either.
    const recorded = { ...(document.populations ? { responses: "rows" } : {}), ...(document.datagrams ? { datagrams: true } : {}) };
    document.record = { ...recorded, queue_interval_ms: 100, link_interval_ms: 100 };
    const queue = data.queues[setting.scheme];
    if (queue) putQueue(document, queue[setting.place], resolved);
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

  return { documentOf, lengthS, toToml };
})();
globalThis.aqmlabHousehold = aqmlabHousehold;
