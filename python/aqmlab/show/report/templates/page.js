// Charts of a page become interactive: alternatives are switched on and off (in all charts at once), values are
// read off under the pointer, a stretch is shown by dragging over it. What is drawn is in the page as data.
(() => {
  "use strict";
  const hidden = new Set(); // names of alternatives that are switched off
  const charts = [], grids = [];
  const colours = getComputedStyle(document.documentElement);
  let printing = false; // or saving: in the colours of print, whatever those of the page are
  let paper = 0; // how wide charts are on paper, in pixels, while the page is printed
  const colour = (name) => (printing && LOOKS.print[name]) || colours.getPropertyValue(name).trim();
  const RATIO = uPlot.pxRatio; // of a canvas to the page
  const isDark = matchMedia("(prefers-color-scheme: dark)");
  // The page's style has each colour of a figure under a name, as the pictures have; a colour without one is as it is.
  const colourOf = (series) => (series.named ? colour(series.named) : series.colour);
  const LOOKS = JSON.parse(document.getElementById("looks").textContent);
  const { written } = axisTicks;

  function element(tag, attributes = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  const SHAPES = LOOKS.shapes; // of the markers, as print has them
  const corners = (marker, x, y, size) => (SHAPES[marker] || []).map(([dx, dy]) => [x + size * dx, y + size * dy]);

  // A key: a button with the look of the line, its name, and its value under the pointer.
  function keyOf(series) {
    const ink = series.named ? `var(${series.named})` : series.colour;
    const shape = corners(series.marker, 22, 9, 5).map((corner) => corner.join(",")).join(" ");
    const sample = `<svg viewBox="0 0 44 18" aria-hidden="true"><line x1="0" y1="9" x2="44" y2="9" stroke="${ink}" ` +
      `stroke-width="3" stroke-dasharray="${series.dash.join(" ")}"/><polygon points="${shape}" fill="${ink}"/></svg>`;
    const key = element("button", { type: "button", "aria-pressed": "true", title: "show or hide, in all charts" });
    key.innerHTML = sample;
    const value = element("span", { class: "value" });
    key.append(element("span", {}, series.name), value);
    key.addEventListener("click", () => toggle(series.name));
    return { key, value };
  }

  function toggle(name) {
    if (!hidden.delete(name)) hidden.add(name);
    for (const chart of charts) chart.follow();
  }

  // Markers at some places of what is visible of a line, beside its dashes, for those who do not see its colour.
  function drawMarkers(plot, place, series, first) {
    const marked = series.points ? Infinity : 7;
    const [from, until] = plot.series[0].idxs;
    const known = [];
    for (let at = from; at <= until; at++) if (series.y[at] != null) known.push(at);
    if (!series.marker || !known.length || (known.length > 900 && !series.points)) return;
    const every = Math.max(1, known.length / marked);
    const ctx = plot.ctx;
    ctx.save();
    ctx.fillStyle = colourOf(series);
    for (let at = first * every; at < known.length; at += every) {
      const row = known[Math.floor(at)];
      const x = plot.valToPos(plot.data[0][row], "x", true);
      const y = plot.valToPos(series.y[row], "y", true);
      ctx.beginPath();
      for (const [cx, cy] of corners(series.marker, x, y, 4 * RATIO)) ctx.lineTo(cx, cy);
      ctx.fill();
    }
    ctx.restore();
  }

  function drawLevels(plot, levels) {
    const ctx = plot.ctx;
    ctx.save();
    ctx.strokeStyle = colour("--soft");
    ctx.setLineDash([4 * RATIO, 4 * RATIO]);
    for (const level of levels) {
      const y = Math.round(plot.valToPos(level, "y", true));
      ctx.beginPath();
      ctx.moveTo(plot.bbox.left, y);
      ctx.lineTo(plot.bbox.left + plot.bbox.width, y);
      ctx.stroke();
    }
    ctx.restore();
  }

  function limited(axis) {
    return (plot, least, most) => {
      const [from, until] = axis.limits;
      if (axis.log) return [from ?? (least ?? 0.1) / 1.1, until ?? (most ?? 1) * 1.1];
      if (least == null) return [from ?? 0, until ?? 1];
      const [lower, upper] = uPlot.rangeNum(least, most, 0.05, false);
      return [from ?? lower, until ?? upper];
    };
  }

  const GLYPH = 6.8; // width of a character at an axis, in pixels
  const widest = (labels) => Math.max(1, ...labels.map((label) => label.length)) * GLYPH;

  // Packets that did not arrive: marks above the lines, a row for each alternative.
  function drawLost(plot, series, row) {
    if (!series.lost || hidden.has(series.name)) return;
    const ctx = plot.ctx, top = plot.bbox.top - (4 + 5 * row) * RATIO;
    ctx.save();
    ctx.fillStyle = colourOf(series);
    series.lost.forEach((count, at) => {
      const x = plot.valToPos(plot.data[0][at], "x", true);
      if (count && x >= plot.bbox.left && x <= plot.bbox.left + plot.bbox.width) ctx.fillRect(x - RATIO, top - 4 * RATIO, 2 * RATIO, 4 * RATIO);
    });
    ctx.restore();
  }

  // Where a logarithmic axis has lines: at 1 to 9 of each decade, finer where that is hardly any; uPlot counts from its end on.
  function decades(plot, at, least, most) {
    let found = [];
    for (const step of [1, 0.1, 0.01]) {
      found = [];
      for (let power = Math.floor(Math.log10(least)); power <= Math.log10(most); power++) {
        for (let mantissa = 1; mantissa < 10 - step / 2; mantissa += step) found.push(Number((mantissa * 10 ** power).toPrecision(9)));
      }
      found = found.filter((value) => value >= least && value <= most);
      if (found.length > 2) break;
    }
    return found;
  }

  // Which splits of a logarithmic axis have labels: 1, 2, 5, or 1, 3 of each decade, or some decades, as there is room.
  function roundOnes(plot, splits, at, space) {
    const scale = at ? "y" : "x", decade = Math.abs(plot.valToPos(10, scale) - plot.valToPos(1, scale));
    const kept = 0.3 * decade >= space ? [1, 2, 5] : 0.47 * decade >= space ? [1, 3] : [1];
    const every = Math.max(1, Math.ceil(space / decade));
    const labelled = splits.map((value) => {
      const power = Math.floor(Math.log10(value) + 1e-9), mantissa = Number((value / 10 ** power).toPrecision(9));
      return kept.includes(mantissa) && power % every === 0 ? value : null;
    });
    if (labelled.filter((value) => value !== null).length > 1) return labelled;
    let last = -Infinity; // within less than a decade: all that have room
    return splits.map((value) => {
      const place = plot.valToPos(value, scale);
      if (Math.abs(place - last) < space) return null;
      last = place;
      return value;
    });
  }

  // Names at the ends of lines, in pixels from the top; nothing where a line ends early or names had to stand far off.
  function placesOfNames(plot, shown) {
    const apart = 16 * RATIO, last = plot.data[0].length - 1;
    const wanted = shown.map((series, at) => [at, plot.valToPos(series.y[last] ?? NaN, "y", true)]).sort(([, a], [, b]) => b - a);
    if (wanted.some(([, y]) => Number.isNaN(y)) || hidden.size) return [];
    const placed = wanted.map(([, y]) => y);
    for (let at = 1; at < placed.length; at++) placed[at] = Math.min(placed[at], placed[at - 1] - apart);
    return placed.some((y, at) => wanted[at][1] - y > 2.5 * apart) ? [] : wanted.map(([at], order) => [at, placed[order]]);
  }
  const namedAtEnds = (data) => data.series.length > 1 && data.series.length <= 6 && !data.apart && data.series.every((series) => series.lost);

  function drawNames(plot, shown) {
    const ctx = plot.ctx;
    ctx.save();
    ctx.font = `${12 * RATIO}px system-ui, sans-serif`;
    ctx.textBaseline = "middle";
    ctx.textAlign = "left";
    for (const [at, y] of placesOfNames(plot, shown)) {
      ctx.fillStyle = colourOf(shown[at]);
      ctx.fillText(shown[at].name, plot.bbox.left + plot.bbox.width + 6 * RATIO, y);
    }
    ctx.restore();
  }

  const axisOf = (axis, across) => ({
    ...(across ? { size: (plot, labels) => widest(labels || []) + 12 } : { label: axis.unit.words, labelSize: 20, size: 30 }),
    gap: 4, labelGap: 0,
    stroke: () => colour("--ink"),
    grid: { stroke: () => colour("--line"), width: 1 },
    ticks: { stroke: () => colour("--line"), width: 1, size: 5 },
    font: "12px system-ui, sans-serif", labelFont: "13px system-ui, sans-serif",
    space: across ? 26 : 72,
    ...(axis.log ? { splits: decades, filter: roundOnes } : {}),
    values: (plot, splits) => splits.map((value) => (value == null ? "" : written(value, axis.unit, 4))),
  });

  // The columns of a plot: of each line its values, and of its band both edges; `ofLine` says whose each is.
  function columnsOf(data, shown) {
    const columns = [data.x.values], lines = [{}], bands = [], ofLine = [];
    const noisy = data.apart || data.series.some((series) => series.lost) || data.x.values.length > 900;
    for (const series of shown) {
      const line = columns.push(series.y) - 1;
      ofLine[line] = series;
      lines.push({
        label: series.name, stroke: () => colourOf(series), width: series.points ? 0 : noisy ? 1 : 2,
        dash: noisy ? [] : series.dash, points: { show: false }, spanGaps: false,
      });
      if (!series.lower) continue;
      for (const edge of [series.upper, series.lower]) {
        ofLine[columns.push(edge) - 1] = series;
        lines.push({ stroke: "transparent", width: 0, points: { show: false } });
      }
      bands.push({ series: [line + 1, line + 2], fill: () => `${colourOf(series)}30` }); // six digits, and how dense
    }
    return { columns, lines, bands, ofLine };
  }

  // A plot of some lines of a chart. `answer` follows its pointer, `zoom` its stretch; `last`: whether it has the x axis.
  function plotOf(data, shown, place, size, { answer, zoom, last }) {
    const { columns, lines, bands, ofLine } = columnsOf(data, shown);
    const plot = new uPlot({
      ...size(last), series: lines, bands, legend: { show: false },
      cursor: { drag: { x: true, y: false }, points: { show: false }, y: false, sync: { key: data.title } },
      scales: {
        x: { time: false, distr: data.x.log ? 3 : 1, range: (drawn, least, most) => [least, most] },
        y: { distr: data.y.log ? 3 : 1, range: limited(data.y) },
      },
      axes: [{ ...axisOf(data.x, false), ...(last ? {} : { size: 6, label: null, values: (drawn, at) => at.map(() => "") }) }, axisOf(data.y, true)],
      padding: [8 + (shown.some((series) => series.lost) ? 5 * shown.length : 0), namedAtEnds(data) ? 12 + widest(shown.map((series) => series.name)) : 22, 0, 0],
      hooks: {
        setCursor: [answer],
        setScale: [(drawn, scale) => { if (scale === "x") zoom(drawn); }],
        draw: [(drawn) => { drawLevels(drawn, data.levels); shown.forEach((series, row) => drawLost(drawn, series, row)); if (namedAtEnds(data)) drawNames(drawn, shown); }],
        drawSeries: [(drawn, line) => {
          const series = ofLine[line];
          if (series && columns[line] === series.y && !data.apart && !series.lost) {
            drawMarkers(drawn, line, series, data.series.indexOf(series) / data.series.length);
          }
        }],
      },
    }, columns, place);
    const follow = () => plot.batch(() => ofLine.forEach((series, line) => plot.setSeries(line, { show: !hidden.has(series.name) })));
    return { plot, follow };
  }

  function interactive(figure) {
    const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    data.x.values = grids[data.x.grid] ??= data.x.values; // charts share places on their axes: the first one has them
    const keys = data.series.map(keyOf);
    const reading = element("p", { class: "reading" });
    const whole = element("button", { type: "button" }, "whole range");
    const hint = "Move over the chart to read values; drag to zoom.";
    const answer = (plot) => {
      const at = plot.cursor.idx;
      reading.textContent = at == null ? hint : `${data.x.unit.words}: ${written(data.x.values[at], data.x.unit)}`;
      data.series.forEach((series, place) => {
        keys[place].value.textContent = at == null ? "" : written(series.y[at], data.y.unit);
      });
    };
    const live = element("div", { class: "live" }, element("p", { class: "name" }, data.title),
      element("p", { class: "across" }, data.y.unit.words));
    figure.prepend(live);
    figure.classList.add("scripted");

    // Lines that would hide one another stand one below another, over the same axes.
    const shown = data.apart && data.series.length > 1 ? data.series.map((series) => [series]) : [data.series];
    if (shown.length > 1) data.y.limits = [data.y.limits[0], data.y.limits[1] ?? greatest(data)];
    const width = () => paper || Math.max(240, live.clientWidth);
    // What goes up and down over time is wide; the others are nearer to a square.
    const height = () => Math.max(240, Math.min(380, Math.round((data.series[0].lost ? 0.36 : 0.55) * width())));
    const size = (last) => ({ width: width(), height: shown.length > 1 ? (last ? 144 : 100) : height() }); // each with 86 between its axes
    const plots = [];
    let zooming = false;
    const zoom = (from) => {
      if (zooming) return;
      zooming = true;
      const { min, max } = from.scales.x;
      for (const { plot } of plots) if (plot !== from) plot.setScale("x", { min, max });
      zooming = false;
    };
    shown.forEach((series, at) => {
      const place = element("div", { role: "img", "aria-label": data.words });
      if (shown.length > 1) live.append(element("p", { class: "whose" }, series[0].name));
      live.append(place);
      plots.push({ ...plotOf(data, series, place, size, { answer, zoom, last: at === shown.length - 1 }), place });
    });
    live.append(reading, element("div", { class: "keys" }, ...keys.map((each) => each.key), whole));
    answer(plots[0].plot);
    whole.addEventListener("click", () => {
      const [first, last] = [data.x.values[0], data.x.values.at(-1)];
      for (const { plot } of plots) plot.setScale("x", { min: first, max: last });
    });
    const resize = () => {
      if ((!paper && (printing || !live.clientWidth)) || width() === plots[0].plot.width) return;
      plots.forEach(({ plot }, at) => plot.setSize(size(at === plots.length - 1)));
    };
    new ResizeObserver(resize).observe(live);
    const follow = () => {
      for (const each of plots) each.follow();
      data.series.forEach((series, at) => keys[at].key.setAttribute("aria-pressed", String(!hidden.has(series.name))));
    };
    charts.push({ plots, keys, follow, resize });
    figure.chart = { data, canvases: () => plots.map(({ plot }) => plot.ctx.canvas), inPrint, redraw: redrawn };
  }

  const greatest = (data) =>
    1.04 * Math.max(...data.series.flatMap((series) => [...series.y, ...(series.upper || [])]).filter((each) => each != null));

  document.querySelectorAll("figure.chart").forEach(interactive);

  function redrawn() {
    for (const { plots, resize } of charts) {
      resize();
      for (const { plot } of plots) plot.redraw(false, true);
    }
  }

  // Does something with charts that are drawn in the colours of print.
  async function inPrint(act) {
    printing = true;
    redrawn();
    await new Promise((drawn) => queueMicrotask(() => queueMicrotask(drawn))); // uPlot draws in a microtask
    act();
    printing = false;
    redrawn();
  }

  // Sections that the screen folds are printed; what is folded inside of them is not.
  const folded = () => [...document.querySelectorAll("details.section:not([open])")];
  let opened = [];
  addEventListener("beforeprint", () => {
    opened = folded();
    for (const section of opened) section.open = true;
    [printing, paper] = [true, 490]; // 13 cm
    redrawn();
  });
  addEventListener("afterprint", () => {
    for (const section of opened) section.open = false;
    [printing, paper] = [false, 0];
    redrawn();
  });

  isDark.addEventListener("change", () => redrawn());
})();
