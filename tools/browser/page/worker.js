// A run in a worker: scenarios in, what people notice out. Cancelling ends the worker; the next one gets the compiled module.
if (typeof self !== "undefined" && typeof self.postMessage === "function" && typeof document === "undefined") {
  let engine = null, data = null;

  async function begin({ module, bytes, address, known }) {
    const compiled = module ?? (bytes ? await WebAssembly.compile(bytes) : await fetched(address));
    data = known;
    engine = await aqmlabEngine.started(compiled);
    self.postMessage({ ready: compiled });
  }
  // Some servers name no type for modules, without which they are not compiled while they come.
  async function fetched(address) {
    const response = await fetch(address);
    if (!response.ok) throw new Error(`${address}: ${response.status}`);
    return WebAssembly.compile(await response.arrayBuffer());
  }

  function run({ id, setting, quick }) {
    const scenario = aqmlabHousehold.documentOf(data, setting, engine.resolved, quick), begun = performance.now();
    const result = engine.run(JSON.stringify(scenario), setting.seed, (share) => { self.postMessage({ id, share }); return false; });
    const tookMs = performance.now() - begun, { rules } = data;
    self.postMessage({ id, answer: {
      scenario, tookMs, measuredS: aqmlabStatistics.measuredS(result),
      applications: aqmlabStatistics.applications(result, rules), strip: aqmlabStatistics.strip(result, rules),
    } });
  }

  self.onmessage = async ({ data: asked }) => {
    try {
      if (asked.begin) await begin(asked.begin);
      else run(asked);
    } catch (error) {
      self.postMessage({ id: asked.id, error: String(error.message ?? error) });
    }
  };
}
