// Where an axis has its ticks and the numbers at them: the rules of aqmlab/show/figures/ticks.py, for charts that are zoomed.
const axisTicks = (() => {
  "use strict";
  const LEAST = 3, MOST = 9, TOLERANCE = 1e-9;
  const rounded = (value) => Number(value.toPrecision(12));
  const pairs = (values) => values.slice(1).map((value, at) => [values[at], value]);

  function* steps(span) {
    const power = Math.floor(Math.log10(span));
    for (const exponent of [power - 2, power - 1, power]) for (const each of [1, 2, 2.5, 5]) yield each * 10 ** exponent;
  }

  function multiples(least, most, step) {
    const found = [];
    const last = Math.floor(most / step + TOLERANCE);
    for (let at = Math.ceil(least / step - TOLERANCE); at <= last; at++) found.push(rounded(at * step) + 0);
    return found;
  }

  function linear(least, most, gap) {
    const found = [...steps(most - least)].map((step) => [step, multiples(least, most, step)]);
    const enough = found.filter(([, at]) => at.length >= LEAST);
    const fitting = enough.find(([step, at]) => at.length <= MOST && step >= gap * (most - least));
    return (fitting || enough.at(-1))[1];
  }

  function inDecades(least, most, mantissas, every) {
    const found = [];
    for (let power = Math.floor(Math.log10(least)); power <= Math.ceil(Math.log10(most)); power++) {
      if (power % every === 0) for (const mantissa of mantissas) found.push(rounded(mantissa * 10 ** power));
    }
    return found.filter((at) => at >= least * (1 - TOLERANCE) && at <= most * (1 + TOLERANCE));
  }

  function fewOfMany(least, most, gap) {
    const length = Math.log(most / least);
    for (const share of [1, 0.8, 0.6, 0.4, 0]) {
      for (const step of steps(most - least)) {
        const kept = [];
        for (const at of multiples(least, most, step)) {
          if (at > 0 && (!kept.length || Math.log(at / kept.at(-1)) >= share * gap * length)) kept.push(at);
        }
        if (kept.length >= LEAST && kept.length <= MOST) return kept;
      }
    }
    return [least, most];
  }

  function logarithmic(least, most, gap) {
    const decades = Math.log10(most / least);
    const candidates = [[[1, 2, 5], 1], [[1, 3], 1], [[1], 1], [[1], 2], [[1], 3], [[1], 4], [[1, 1.5, 2, 3, 5, 7], 1]];
    for (const [mantissas, every] of candidates) {
      const found = inDecades(least, most, mantissas, every);
      const gaps = pairs(found).map(([a, b]) => Math.log10(b / a) / decades);
      if (found.length >= LEAST && Math.min(...gaps) >= gap) return found;
    }
    return fewOfMany(least, most, gap);
  }

  const ticks = (least, most, log, gap) => (log ? logarithmic : linear)(least, most, gap);

  function plain(value, digits) {
    for (const [factor, name] of [[1e12, "T"], [1e9, "G"], [1e6, "M"]]) {
      if (value >= Math.max(factor, 1e7)) return `${plain(value / factor, digits)} ${name}`;
    }
    const decimals = Math.max(0, digits - 1 - Math.floor(Math.log10(value)));
    return value.toLocaleString("en-US", { minimumFractionDigits: 0, maximumFractionDigits: Math.min(decimals, 20) });
  }

  function bytes(size, digits) {
    for (const [factor, name] of [[1e9, "GB"], [1e6, "MB"], [1e3, "kB"]]) {
      if (size >= factor * (1 - TOLERANCE)) return `${plain(size / factor, digits)} ${name}`;
    }
    return `${plain(size, digits)} B`;
  }

  // A number with its unit, which has a kind and a factor: 18 ms, 1.2 s, 340 kB, 12.5 %.
  function written(value, unit, digits = 3) {
    if (value == null) return "–";
    value *= unit.factor;
    if (value === 0) return unit.kind === "percent" ? "0 %" : "0";
    const sign = value < 0 ? "−" : "", size = Math.abs(value);
    if (unit.kind === "time") {
      return sign + (size >= 1 - TOLERANCE ? `${plain(size, digits)} s` : `${plain(1e3 * size, digits)} ms`);
    }
    if (unit.kind === "percent") return `${sign}${plain(size, digits)} %`;
    return sign + (unit.kind === "bytes" ? bytes(size, digits) : plain(size, digits));
  }

  return { ticks, written };
})();
