// Numbers and the verdict as people say them: aqmlab/show/words/amounts.py and verdict.py, whose numbers and prefixes come as data.
const aqmlabWords = (() => {
  "use strict";

  // Of two numbers that are as near the even one, as Python rounds.
  function fixed(value, places) {
    const scaled = value * 10 ** places, low = Math.floor(scaled);
    const nearest = scaled - low === 0.5 && low % 2 === 0 ? low / 10 ** places : value;
    return nearest.toLocaleString("en-US", { minimumFractionDigits: places, maximumFractionDigits: places }).replace(/^-(0(?:\.0*)?)$/, "$1");
  }
  function digits(value) {
    const size = Math.abs(value);
    if (size < 9.95) return fixed(value, size >= 0.995 || size === 0 ? 1 : 2);
    return fixed(value, 0);
  }
  const LONGER = "longer than the run";
  const write = {
    duration: (seconds) => (!Number.isFinite(seconds) ? LONGER : Math.abs(seconds) < 0.0995 ? `${digits(1000 * seconds)} ms` : `${digits(seconds)} s`),
    delay: (ms) => (!Number.isFinite(ms) ? LONGER : Math.abs(ms) >= 999.5 ? `${digits(ms / 1000)} s` : `${digits(ms)} ms`),
    share_of_time: (value) => (!value ? "0 %" : Math.abs(value) < 0.0995 ? `${Number(value.toPrecision(2))} %` : `${digits(value)} %`),
    bit_rate: (mbps) => `${mbps ? digits(mbps) : 0} Mbit/s`,
    score: (value) => fixed(value, 1),
  };

  function number(fares, rules) {
    if (fares.badness === Infinity) return "nothing arrives";
    const [what, how] = rules.as_said[fares.quantity], { lower, upper } = fares.number;
    if (upper === Infinity) return `${what}> ${write[how](lower)}`;
    if (lower === -Infinity) return `${what}< ${write[how](upper)}`;
    const [least, most] = [write[how](lower), write[how](upper)];
    return least === most ? `${what}${least}` : `${what}${least} to ${most}`;
  }
  const wayOf = (group) => group.match(/-(up|down)$/)?.[1] ?? "";
  const grade = (fares, rules) => (fares.mayBeWorse ? `${rules.grades[fares.grade]} or worse` : rules.grades[fares.grade]);

  function fares(own, rules) {
    if (own.tooShort) return "too short";
    if (own.grade === null) return `${number(own, rules)} ${wayOf(own.group)}`.trimEnd();
    if (own.quantity === "video_bitrate_mbps") return `plays ${number(own, rules)}`;
    return `${grade(own, rules)} ${number(own, rules)}`;
  }

  // ----------------------------------------------------------------------------------------------------------- verdict

  const withArticle = (name) => (/[A-Z0-9]/.test(name) ? name : `the ${name}`);
  const capital = (words) => words[0].toUpperCase() + words.slice(1);
  const subject = ({ name, kind }) => capital(kind === "pages" ? name : withArticle(name));
  const capped = (own, rules) => Math.min(own.badness, rules.worst_badness);
  function gradeAndNumber(own, rules) {
    const way = wayOf(own.group);
    return `${grade(own, rules)} (${number(own, rules)}${way ? ` ${way}` : ""})`;
  }

  // Who is worst off of the applications of a run, as `now` and as `before` beside the next one; empty where nobody is judged.
  function worst(applications, rules) {
    const judged = applications.filter((each) => each.fares.grade !== null);
    if (!judged.length) return { now: "", before: "" };
    if (judged.every((each) => each.fares.grade === 0)) return rules.all_good;
    const now = worstOff(judged.map((each) => ({ ...each, both: [each.fares] })), rules);
    return { now, before: `Before: ${now[0].toLowerCase()}${now.slice(1)}` };
  }

  // For whom the queue matters most, in one sentence. `sides` are two of a name and the applications of its run; the first is the baseline.
  function verdict(sides, rules) {
    const names = [...new Set(sides.flatMap((side) => side.applications.map((each) => each.name)))];
    const of = (side, name) => side.applications.find((each) => each.name === name);
    const judged = names.map((name) => ({ ...(of(sides[0], name) ?? of(sides[1], name)), both: sides.map((side) => of(side, name)?.fares) }))
      .filter((each) => each.both.some((own) => own && own.grade !== null));
    if (!judged.length) return "";
    const changed = judged.filter(({ both: [own, other] }) => own && other && own.grade !== other.grade);
    if (!changed.length) {
      const unknown = judged.some((each) => each.both.some((own) => own?.mayBeWorse));
      return `${unknown ? "" : "No grade changes. "}${worstOff(judged, rules)}`;
    }
    const change = ({ both: [own, other] }) => [Math.abs(own.grade - other.grade), Math.abs(capped(own, rules) - capped(other, rules))];
    const most = changed.reduce((best, each) => {
      const [grades, bad] = change(each), [bestGrades, bestBad] = change(best);
      return grades > bestGrades || (grades === bestGrades && bad > bestBad) ? each : best;
    });
    const told = most.both.map((own, place) => `${gradeAndNumber(own, rules)} ${sides[place].under}`).join(", ");
    return `${subject(most)} ${most.name.endsWith("s") ? "change" : "changes"} most: ${told} (1 seed: may be chance).`;
  }

  function worstOff(judged, rules) {
    const own = judged.filter((each) => each.both[0]);
    if (!own.length) return "";
    const worst = own.reduce((most, each) => (capped(each.both[0], rules) > capped(most.both[0], rules) ? each : most));
    return `${subject(worst)} ${worst.name.endsWith("s") ? "are" : "is"} worst off: ${gradeAndNumber(worst.both[0], rules)}.`;
  }

  return { fares, verdict, worst, write };
})();
globalThis.aqmlabWords = aqmlabWords;
