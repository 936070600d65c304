// The charts of the page, by uPlot: two runs in each, the one now over the one before; and the faces of grades.
const playCharts = (() => {
  "use strict";
  const colour = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const plots = new Map();

  const TIME = { kind: "time", factor: 1 }, MILLISECONDS = { kind: "time", factor: 1e-3 }, PERCENT = { kind: "percent", factor: 1 };

  // The run before is drawn first, under the one now.
  const joined = (now, before) => uPlot.join([before?.x.length ? [before.x, before.y] : [[now.x[0]], [null]], [now.x, now.y]]);

  function axis(unit, space, more) {
    return {
      stroke: colour("--quiet"), grid: { stroke: colour("--line"), width: 1 }, ticks: { stroke: colour("--line") }, space,
      values: (_, splits) => splits.map((split) => split == null ? "" : axisTicks.written(split, unit, 4)), ...more,
    };
  }

  function clear(place) {
    plots.get(place)?.destroy();
    plots.delete(place);
    place.replaceChildren();
  }

  // `looks` are the strokes of the two lines; `options` the names of both in the legend, scales, labels and units of a chart.
  function draw(place, now, before, [mine, its], options) {
    clear(place);
    const value = (unit) => (_, raw) => raw === null || raw === undefined ? "–" : `${playControls.digits(raw)} ${unit}`;
    plots.set(place, new uPlot({
      width: Math.max(240, place.clientWidth), height: options.height ?? 230, cursor: { drag: { x: true, y: false } },
      legend: { show: options.legend ?? true, live: true }, hooks: options.hooks ?? {},
      scales: { x: options.x, y: options.y },
      axes: [axis(TIME, 64, { label: options.xLabel, ...(options.xLabel ? {} : { size: 32 }) }),
        axis(options.yScale, 26, { label: options.yLabel, size: 62 })],
      series: [
        { label: options.xName, value: value(options.xUnit) },
        { label: options.names?.[1], ...its, points: { show: false }, spanGaps: true, value: value(options.yUnit), show: Boolean(before) },
        { label: options.names?.[0], ...mine, points: { show: false }, spanGaps: true, value: value(options.yUnit) },
      ],
    }, joined(now, before), place));
  }

  // ---------------------------------------------------------------------------------------------------- strip charts

  const LEAST_MS = 40;
  const highest = (run) => Math.max(0, ...(run?.strip?.ways ?? []).map((way) => way.delay_ms.reduce((most, each) => Math.max(most, each), 0)));

  // Lines where a grade ends, with their numbers; and packets that never came, as ticks at the top.
  function over(limits, lost) {
    return (plot) => {
      const { ctx, bbox } = plot, unit = devicePixelRatio;
      ctx.save();
      ctx.font = `${11 * unit}px system-ui, sans-serif`;
      ctx.textAlign = "right";
      for (const limit of limits) {
        const y = plot.valToPos(limit, "y", true);
        if (y < bbox.top) continue;
        const text = `${limit} ms`, right = bbox.left + bbox.width - 2 * unit, width = ctx.measureText(text).width;
        ctx.strokeStyle = colour("--ink");
        ctx.setLineDash([2 * unit, 3 * unit]);
        ctx.beginPath();
        ctx.moveTo(bbox.left, y);
        ctx.lineTo(right - width - 6 * unit, y);
        ctx.stroke();
        ctx.fillStyle = colour("--paper");
        ctx.fillRect(right - width - 4 * unit, y - 8 * unit, width + 6 * unit, 16 * unit);
        ctx.fillStyle = colour("--ink");
        ctx.fillText(text, right, y + 4 * unit);
      }
      ctx.fillStyle = colour("--unusable");
      for (const at of lost) ctx.fillRect(plot.valToPos(at, "x", true), bbox.top, 1.5 * unit, 7 * unit);
      ctx.restore();
    };
  }

  function said(name, way) {
    const sorted = [...way.delay_ms].sort((one, other) => one - other);
    if (!sorted.length) return `${name}, ${way.way}: nothing arrived`;
    const [half, most] = [sorted[sorted.length >> 1], sorted.at(-1)].map((each) => axisTicks.written(each, MILLISECONDS));
    return `${name}, ${way.way}: half of the time up to ${half}, at most ${most}; ${way.lost_s.length} lost`;
  }

  function clearStrips(place) {
    for (const old of place.querySelectorAll(".strip")) clear(old);
  }

  // A chart for each way of a run; with those of the run `elsewhere` all have the same scales, so that the saw beside the flat line is seen.
  function strips(place, run, look, elsewhere = null) {
    clearStrips(place);
    const same = elsewhere?.strip && elsewhere.strip.of === run.strip.of ? elsewhere : null;
    const most = Math.max(LEAST_MS, highest(run), highest(same)) * 1.08;
    const seconds = Math.max(run.whole_s, same?.whole_s ?? 0);  // a first look fills the beginning
    place.replaceChildren(...run.strip.ways.map((way) => {
      const canvas = playControls.made("div", { className: "strip" });
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", said(run.strip.of || "queue", way));
      const lost = way.lost_s.length ? `, ${way.lost_s.length} lost` : "";
      return playControls.made("figure", {}, playControls.made("figcaption", { textContent: `${way.way}${lost}` }), canvas);
    }));
    run.strip.ways.forEach((way, number) => {
      const canvas = place.children[number].lastChild;
      if (!way.time_s.length) {
        canvas.replaceChildren(playControls.made("p", { className: "none", textContent: "Nothing arrives." }));
        return;
      }
      draw(canvas, { x: way.time_s, y: way.delay_ms }, null, [look, look], {
        x: { time: false, range: [0, seconds] }, y: { range: [0, most] }, yScale: MILLISECONDS, height: 150, legend: false,
        xName: "time", xUnit: "s", yUnit: "ms", hooks: { draw: [over(run.strip.limits_ms, way.lost_s)] },
      });
    });
  }

  // ----------------------------------------------------------------------------------------------------------- faces

  const MOUTHS = { good: "M6 12.5 Q10 17 14 12.5", fair: "M6.5 14 H13.5", poor: "M6 15.5 Q10 11.5 14 15.5", unusable: "M6 16 Q10 10.5 14 16" };
  const EYES = { unusable: "M5.7 6.2 l2.6 2.6 m0 -2.6 l-2.6 2.6 M11.7 6.2 l2.6 2.6 m0 -2.6 l-2.6 2.6" };

  // A grade as a face; the word stands beside it.
  function face(grade, size = 20) {
    const picture = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    for (const [name, value] of Object.entries({ viewBox: "0 0 20 20", width: size, height: size, class: `face ${grade}`, "aria-hidden": "true" })) {
      picture.setAttribute(name, value);
    }
    const eyes = EYES[grade] ?? "M7 7.2 v0.6 M13 7.2 v0.6";
    picture.innerHTML = `<circle cx="10" cy="10" r="9"/><path d="${eyes}"/><path d="${MOUTHS[grade]}"/>`;
    return picture;
  }

  return { colour, draw, clear, strips, clearStrips, face, MILLISECONDS, PERCENT };
})();
