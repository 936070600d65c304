// The WebAssembly module of crates/browser: a scenario as JSON in, summary and tables out. Columns are views of the module's memory
// and hold until the next run.
const aqmlabEngine = (() => {
  "use strict";
  const DONE = 0, REFUSED = 1, CANCELLED = 2;
  const ARRAYS = { u8: Uint8Array, u32: Uint32Array, u64: BigUint64Array, f32: Float32Array, f64: Float64Array };
  const NO_NAME = 0xffffffff;

  // A table as its columns by name; a column of names as the list of names and of each row its place there.
  class Table {
    constructor(memory, { name, columns }) {
      this.name = name;
      this.columns = new Map(columns.map((column) => [column.name, column]));
      this.memory = memory;
      this.rows = columns.length ? columns[0].length : 0;
    }
    values(name) {
      const { type, at, length } = this.columns.get(name);
      return new ARRAYS[type](this.memory.buffer, length ? at : 0, length);
    }
    numbers(name) { return Array.from(this.values(name), Number); }
    listed(name) { return this.columns.get(name).names; }
    names(name) {
      const names = this.listed(name);
      return Array.from(this.values(name), (code) => (code === NO_NAME ? null : names[code]));
    }
  }

  // `progress` takes the share of the simulated time that has passed, and returns whether the run is to stop.
  async function started(module, progress = () => false) {
    let told = progress, panic = "";
    const text = (at, length) => new TextDecoder().decode(new Uint8Array(instance.exports.memory.buffer, at, length));
    const imports = { aqmlab: {
      progress: (perMille) => (told(perMille / 1000) ? 1 : 0),
      panicked: (at, length) => { panic = text(at, length); },
    } };
    const instance = await WebAssembly.instantiate(module, imports);
    const own = instance.exports;
    const answer = () => text(own.aqmlab_text(), own.aqmlab_text_length());
    const put = (scenario) => {
      const bytes = new TextEncoder().encode(scenario);
      const at = own.aqmlab_room(bytes.length);  // may grow the memory, which then is another buffer
      new Uint8Array(own.memory.buffer, at, bytes.length).set(bytes);
    };
    const called = (call) => {
      try { return call(); } catch (error) { throw new Error(panic || String(error)); }
    };
    const require = (code) => {
      if (code === DONE) return answer();
      const error = new Error(code === CANCELLED ? "cancelled" : answer());
      throw Object.assign(error, { cancelled: code === CANCELLED, refused: code === REFUSED });
    };
    return {
      // The scenario with every default filled in, as JSON.
      resolved(scenario) {
        put(scenario);
        return require(called(() => own.aqmlab_resolve()));
      },
      run(scenario, seed, ask = progress) {
        told = ask;
        put(scenario);
        const summary = require(called(() => own.aqmlab_run(BigInt(seed))));
        own.aqmlab_directory();
        const tables = JSON.parse(answer()).map((each) => new Table(own.memory, each));
        return { text: summary, summary: JSON.parse(summary), tables: new Map(tables.map((each) => [each.name, each])) };
      },
      memoryBytes: () => own.memory.buffer.byteLength,
    };
  }
  return { started };
})();
globalThis.aqmlabEngine = aqmlabEngine;
