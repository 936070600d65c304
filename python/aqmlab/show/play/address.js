// Settings of the page and their addresses, which are the same for every engine. `facts` says what can be set and what is usual. An
// address has what is not usual: #v=0.1.0&right=pie&downloads=0. A scene is such a setting too.
const playAddress = (() => {
  "use strict";
  // How an address writes what has another name in a setting.
  const WRITTEN = { "line.down_mbps": "down", "line.up_mbps": "up", backup: "uploads", download: "downloads", scheme: "left", beside: "right" };
  const BEFORE = "before", SEEDS = 1e6, RATES_MBPS = { low: 0.5, high: 1000 }, OF_SCHEME = "p.";
  const written = (name) => WRITTEN[name] ?? name;

  // What can be set on the line of a setting.
  const of = (facts, turned) => facts.technologies?.[turned?.technology] ?? facts;
  // Nothing turned yet: parameters that are not sent stay as they follow from the rest.
  const untouched = (facts, technology) => {
    const start = structuredClone(of(facts, { technology }).start);
    return facts.home ? start : { ...start, parameters: {} };
  };
  const namesOf = (all) => all.map((each) => each.name);
  const schemesOf = (facts) => Object.keys(facts.parameters);

  function toAddress(facts, { turned, beside }) {
    const usual = untouched(facts, turned.technology), found = new URLSearchParams({ v: facts.version });
    const put = (name, value, own) => { if (String(value ?? "") !== String(own ?? "")) found.set(written(name), value); };
    if (turned.technology !== facts.start.technology) found.set("technology", turned.technology);
    for (const [name, rate] of Object.entries(turned.rates_mbps)) put(name, rate, usual.rates_mbps[name]);
    for (const knob of of(facts, turned).home?.counts ?? []) put(knob.name, turned.counts[knob.name] ?? knob.value, knob.value);
    for (const name of ["off", "faults"]) put(name, turned[name]?.join("."), usual[name]?.join("."));
    for (const name of ["scheme", "place", "sender", "ecn", "limit", "demand", "seed"]) put(name, turned[name], usual[name]);
    for (const [name, value] of Object.entries(turned.parameters)) put(`${OF_SCHEME}${name}`, value, usual.parameters[name]);
    put("beside", beside || BEFORE, facts.beside || BEFORE);
    return `#${found}`;
  }

  const isWhole = (value, least, most) => Number.isInteger(value) && value >= least && value <= most;
  const plain = (text) => (text === "true" ? true : text === "false" ? false : text !== "" && Number.isFinite(Number(text)) ? Number(text) : text);

  // The setting that a table of written names and texts stands for; what is not legal is left at what is usual.
  function fromTexts(facts, given) {
    const technology = given.technology in (facts.technologies ?? {}) ? given.technology : facts.start.technology;
    const here = of(facts, { technology }), turned = untouched(facts, technology), { home } = here;
    const text = (name) => given[written(name)];
    const among = (name, legal) => { if (legal.includes(text(name))) turned[name] = text(name); };
    among("scheme", schemesOf(here));
    for (const knob of here.knobs.filter((each) => each.name in turned.rates_mbps)) {
      const rate = Number(text(knob.name));
      if (rate >= Math.min(RATES_MBPS.low, knob.low) && rate <= Math.max(RATES_MBPS.high, knob.high)) turned.rates_mbps[knob.name] = rate;
    }
    const seed = Number(text("seed") ?? NaN);
    if (isWhole(seed, 0, SEEDS)) turned.seed = seed;
    if (["true", "false"].includes(text("ecn"))) turned.ecn = text("ecn") === "true";
    for (const [name, value] of Object.entries(given)) if (name.startsWith(OF_SCHEME)) turned.parameters[name.slice(OF_SCHEME.length)] = plain(value);
    for (const knob of here.knobs.filter((each) => ["limit", "demand"].includes(each.name))) {
      if (isWhole(Number(text(knob.name) ?? NaN), knob.low, knob.high)) turned[knob.name] = Number(text(knob.name));
    }
    if (home) {
      among("place", namesOf(home.places));
      among("sender", namesOf(home.senders).filter(Boolean));
      for (const [name, legal] of [["off", home.applications], ["faults", home.faults]]) {
        const asked = text(name)?.split(".");
        if (asked) turned[name] = namesOf(legal).filter((each) => asked.includes(each));
      }
      for (const knob of home.counts) {
        const count = Number(text(knob.name) ?? NaN);
        if (isWhole(count, knob.low, knob.high) && count !== knob.value) turned.counts[knob.name] = count;
      }
    }
    const right = text("beside");
    return { turned, beside: right === BEFORE ? "" : schemesOf(here).includes(right) ? right : facts.beside ?? "" };
  }

  // The setting of an address and the version that made it.
  function fromAddress(facts, hash) {
    const given = Object.fromEntries(new URLSearchParams(hash.replace(/^#/, "")));
    return { ...fromTexts(facts, given), version: given.v ?? facts.version };
  }
  const ofScene = (facts, { setting }) => fromTexts(facts, Object.fromEntries(Object.entries(setting).map(([name, value]) => [name, [value].flat().join(".")])));

  return { of, untouched, schemesOf, toAddress, fromAddress, ofScene };
})();
globalThis.playAddress = playAddress;
