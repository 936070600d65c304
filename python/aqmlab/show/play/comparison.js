// The full comparison of two settings: several seeds behind the page, how far they are, and the report. `full` is the engine's part of it:
// `status`, `start(before, now)` and `cancel`, each of which says how far it is, and where the report is.
const playComparison = (() => {
  "use strict";
  const WAIT_MS = 300;
  const element = (id) => document.getElementById(id);

  // `pair` returns the two settings that are to be compared; none before the first run.
  function begin(full, pair) {
    let timer = 0, asked = 0;

    function show(seen) {
      const running = seen.state === "running";
      element("full-cancel").hidden = element("full-progress").hidden = !running;
      element("full-report").hidden = seen.state !== "done";
      element("full-refused").hidden = !seen.refused;
      element("full-refused").textContent = seen.refused ? seen.words : "";
      if (running && seen.simulated_s !== null) element("full-progress").value = seen.share;
      else element("full-progress").removeAttribute("value");
      element("full-status").textContent = seen.refused ? "" : seen.words;
      document.body.dataset.comparison = seen.state;
      if (running) again();
    }
    function again() { timer = setTimeout(() => command(full.status), WAIT_MS); }

    async function command(asks) {
      clearTimeout(timer);
      const number = asked += 1;
      try {
        const answer = await asks();
        if (number === asked) show(answer);
      } catch (error) {
        if (number !== asked) return;
        element("full-refused").hidden = false;
        element("full-refused").textContent = String(error.message);
        if (!element("full-cancel").hidden) again();
      }
    }

    element("full").hidden = false;
    element("full-report").href = full.report;
    element("full-start").addEventListener("click", () => { const settings = pair(); if (settings) command(() => full.start(...settings)); });
    element("full-cancel").addEventListener("click", () => command(full.cancel));
  }
  return { begin };
})();
