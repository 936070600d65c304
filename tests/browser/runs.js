// The page of `make browser` without a browser, under Node: node runs.js FOLDER CASES, where FOLDER is that of the page and CASES a file
// with a JSON list. Of { name, scenario, seed } it prints the digest of every table (FNV-1a, as in crates/sim/tests/golden/mod.rs) and
// the text of run.json; of { name, setting } the setting and the scenario of each side, and if { runs } what the page says of both runs.
"use strict";
const { readFileSync } = require("node:fs");
const { join } = require("node:path");
const { TextEncoder } = require("node:util");

const [folder, cases] = process.argv.slice(2);
require(join(folder, "worker.js"));
require(join(folder, "words.js"));
require(join(folder, "address.js"));
require(join(folder, "data.js"));

// 64 bits in two halves: the prime is 2^40 + 0x1b3.
class Digest {
  constructor() { this.high = 0xcbf29ce4; this.low = 0x84222325; }
  add(bytes) {
    let { high, low } = this;
    for (let at = 0; at < bytes.length; at += 1) {
      low = (low ^ bytes[at]) >>> 0;
      const product = low * 0x1b3;
      high = (Math.imul(high, 0x1b3) + Math.floor(product / 0x100000000) + (low << 8)) >>> 0;
      low = product >>> 0;
    }
    Object.assign(this, { high, low });
  }
  addText(text) { this.add(new TextEncoder().encode(text)); }
  get hex() { return [this.high, this.low].map((half) => half.toString(16).padStart(8, "0")).join(""); }
}

function digestOf(table) {
  const digest = new Digest();
  digest.addText(table.name);
  for (const [name, { names }] of table.columns) {
    digest.addText(name);
    const values = table.values(name);
    digest.add(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    for (const each of names ?? []) digest.addText(`${each}\n`);
  }
  return digest.hex;
}

function ran(engine, scenario, seed) {
  const result = engine.run(JSON.stringify(scenario), seed);
  const tables = Object.fromEntries([...result.tables.values()].map((table) => [table.name, digestOf(table)]));
  return [result, { tables, summary: result.text }];
}

function sideOf(engine, data, { setting: given, runs }, side) {
  const { turned, beside } = playAddress.ofScene(data.facts, { setting: given }), setting = side === "left" ? turned : { ...turned, scheme: beside };
  const scenario = aqmlabHousehold.documentOf(data, setting, engine.resolved, true);
  const found = { turned: setting, scenario, toml: aqmlabHousehold.toToml(scenario, ["a comment"]), applications: [] };
  if (!runs) return found;
  const [result, numbers] = ran(engine, scenario, setting.seed), applications = aqmlabStatistics.applications(result, data.rules);
  const strip = aqmlabStatistics.strip(result, data.rules);
  const words = applications.map((each) => [each.name, aqmlabWords.fares(each.fares, data.rules)]);
  return { ...found, ...numbers, applications, words, strip, worst: aqmlabWords.worst(applications, data.rules) };
}

(async () => {
  const data = globalThis.aqmlabData, found = {};
  const engine = await aqmlabEngine.started(await WebAssembly.compile(readFileSync(join(folder, "engine.wasm"))));
  for (const asked of JSON.parse(readFileSync(cases, "utf8"))) {
    if (asked.scenario) [, found[asked.name]] = ran(engine, asked.scenario, asked.seed);
    else {
      const [left, right] = ["left", "right"].map((side) => sideOf(engine, data, asked, side));
      const sides = [{ applications: left.applications, under: "as it is" }, { applications: right.applications, under: "with RIGHT" }];
      found[asked.name] = { left, right, sentence: asked.runs ? aqmlabWords.verdict(sides, data.rules) : "" };
    }
  }
  process.stdout.write(JSON.stringify(found, (_, value) => (value === Infinity ? "inf" : value)));
})().catch((error) => { process.stderr.write(`${error.stack}\n`); process.exitCode = 1; });
