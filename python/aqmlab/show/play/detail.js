// Queue, link and pages of two runs in detail, each chart with both.
const playDetail = (() => {
  "use strict";
  const element = (id) => document.getElementById(id);
  const overTime = (run, x, y) => run && { x: run[x].time_s, y: run[x][y] };

  function curve(run, name) {
    const found = run?.[name];
    if (!found) return null;
    const seen = found.seconds.map((seconds, place) => [seconds, found.share[place] * 100]).filter(([seconds]) => seconds !== null && seconds > 0);
    const x = [], y = [];
    for (const [seconds, share] of seen) {  // of equal times the greatest share: uPlot wants ascending x
      if (x.length && seconds <= x[x.length - 1]) y[y.length - 1] = share;
      else { x.push(seconds); y.push(share); }
    }
    return { x, y };
  }

  // `looks` and `names` are of both runs; `words` says why a chart is empty.
  function show(now, other, { looks, names, words }) {
    const { MILLISECONDS, PERCENT } = playCharts;
    const draw = (id, of, options) => {
      const mine = of(now);
      if (mine) { playCharts.draw(element(id), mine, of(other), looks, { ...options, names }); return; }
      playCharts.clear(element(id));
      element(id).append(playControls.made("p", { className: "none", textContent: words[now.numbers.pages_begun ? "none_loaded" : "no_pages"] }));
    };
    const whole = { time: false }, percents = { range: [0, 100] };
    const upward = { range: (_, __, most) => [0, (most || 1) * 1.05] };
    element("queue-title").textContent = `Queueing delay (${now.link})`;
    draw("queue", (run) => overTime(run, "queue", "delay_ms"),
      { x: whole, y: upward, xLabel: "simulated time", yLabel: "wait", yScale: MILLISECONDS, xName: "time", xUnit: "s", yUnit: "ms" });
    draw("utilization", (run) => overTime(run, "utilization", "percent"),
      { x: whole, y: percents, xLabel: "simulated time", yLabel: "busy", yScale: PERCENT, xName: "time", xUnit: "s", yUnit: "%" });
    for (const [name, xLabel] of [["pages", "page load time"], ["responses", "response time"]]) {
      draw(name, (run) => curve(run, name), { x: { time: false, distr: 3 }, y: percents, xLabel, yLabel: "share", yScale: PERCENT, xName: "time", xUnit: "s", yUnit: "%" });
    }
  }
  return { show };
})();
