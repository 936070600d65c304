// The engine of `aqmlab play`: the server of this machine makes the runs and says what they mean.
const playEngine = (() => {
  "use strict";
  const { token } = document.body.dataset;
  const at = (path, more = "") => `${path}?token=${encodeURIComponent(token)}${more}`;

  // The answer as a table; one that is no JSON is an error's text, which is shown as it is.
  async function asked(path, more, method = "GET", body = undefined) {
    let response, text;
    try {
      response = await fetch(at(path, more), { method, body: body && JSON.stringify(body) });
      text = await response.text();
    } catch {
      throw new Error("aqmlab play has stopped.");
    }
    if (response.status === 403) throw new Error("the server has a new token: open the address that aqmlab play printed");
    let answer;
    try {
      answer = JSON.parse(text);
    } catch {
      answer = { refused: text.trim() || `the server answered ${response.status} ${response.statusText}` };
    }
    if (!response.ok && !answer.superseded) throw new Error(answer.refused);
    return answer;
  }

  // One run at a time, since a newer one stops the one before; null where something newer was asked for.
  async function run(settings, { quick, wanted }) {
    const found = [];
    for (const setting of settings) {
      if (!wanted()) return null;
      const answer = await asked("run", quick ? "&quick=1" : "", "POST", setting);
      if (answer.superseded) return null;
      found.push({ ...answer, turned: setting });
    }
    return found;
  }

  return {
    facts: () => asked("knobs"),
    run,
    changes: async (before, now) => (await asked("changes", "", "POST", { before: before.turned, now: now.turned })).words,
    // The full comparison: how far it is; begun with two settings; cancelled.
    full: {
      report: at("comparison/report"),
      status: () => asked("comparison"),
      start: (before, now) => asked("comparison", "", "POST", { before, now }),
      cancel: () => asked("comparison", "", "DELETE"),
    },
  };
})();
