// The numbers at the ticks of an axis, as aqmlab/show/figures/chart.py writes them.
const axisTicks = (() => {
  "use strict";
  const TOLERANCE = 1e-9;

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

  return { written };
})();
