// What a run says of each application, by the rules of the Python package (aqmlab.statistics, aqmlab.comparison.verdict), whose kinds,
// criteria and limits come as data. tests/python/test_browser_page.py holds both against each other on the same runs.
const aqmlabStatistics = (() => {
  "use strict";
  const RESOLUTION = 0.001, SLACK = 1e-9, ROUNDING = 1e-12;
  const NOTHING = { lower: NaN, upper: NaN };
  const exact = (value) => ({ lower: value, upper: value });
  const atLeast = (value) => ({ lower: value, upper: Infinity });
  const times = (factor, { lower, upper }) => ({ lower: factor * lower, upper: factor * upper });
  const sum = (values) => values.reduce((total, each) => total + each, 0);
  const ascending = (values) => [...values].sort((one, other) => one - other);

  function mean(observations) {
    const known = observations.filter((each) => !Number.isNaN(each.lower));
    if (!known.length) return NOTHING;
    return { lower: sum(known.map((each) => each.lower)) / known.length, upper: sum(known.map((each) => each.upper)) / known.length };
  }

  const windowOf = ({ summary }) => [summary.measured_from_s, summary.measured_until_s];
  const measuredS = ({ summary }) => summary.measured_until_s - summary.measured_from_s;
  const endedS = ({ summary }) => summary.ended_s ?? summary.scenario.duration_s;
  const inside = (at, [from, until]) => at >= from && at < until;
  const within = (begin, end, [from, until]) => Math.max(0, Math.min(end, until) - Math.max(begin, from));

  // The rows of a table that have a name in a column, as their places.
  function rowsOf(table, column, name) {
    const found = [], codes = table.values(column), wanted = table.listed(column).indexOf(name);
    codes.forEach((code, row) => { if (code === wanted) found.push(row); });
    return found;
  }

  // -------------------------------------------------------------------------------------------------------- datagrams

  function sourcesOf(result, group) {
    const table = result.tables.get("datagrams"), rows = rowsOf(table, "group", group);
    return (name) => { const values = table.values(name); return rows.map((row) => Number(values[row])); };
  }

  // Of each source what a percentile of its delay at least and at most is, in milliseconds.
  function delayEndsMs(column, percentile) {
    const least = column(`delay_p${percentile}_least_s`), most = column(`delay_p${percentile}_most_s`);
    return least.map((lower, place) => {
      const upper = most[place];
      return times(1000, { lower: upper <= lower * (1 + RESOLUTION) ? upper : lower, upper });
    });
  }

  function overSources(result, group, ends, ofSilent) {
    const column = sourcesOf(result, group), found = ends(column);
    const sent = column("sent_packets"), received = column("received_packets"), underWay = column("under_way_packets");
    return mean(found.map((own, place) => (received[place] === 0 && underWay[place] === 0 ? ofSilent : own)).filter((_, place) => sent[place] > 0));
  }

  function loss(result, group) {
    const column = sourcesOf(result, group);
    const [sent, lost, underWay] = ["sent", "lost", "under_way"].map((fate) => sum(column(`${fate}_packets`)));
    return sent ? { lower: (100 * lost) / sent, upper: (100 * (lost + underWay)) / sent } : NOTHING;
  }

  const delay = (percentile) => (result, group) =>
    overSources(result, group, (column) => delayEndsMs(column, percentile), atLeast(1000 * measuredS(result)));

  const jitter = (result, group) => overSources(result, group, (column) => {
    const least = column("delay_minimum_s").map((value) => (Number.isNaN(value) ? 0 : 1000 * value));
    return delayEndsMs(column, 99).map(({ lower, upper }, place) => ({ lower: Math.max(0, lower - least[place]), upper: upper - least[place] }));
  }, atLeast(1000 * measuredS(result)));

  const goodputKbps = (result, group) => (8 * sum(sourcesOf(result, group)("arrived_bytes"))) / 1000 / measuredS(result);

  // ITU-T G.107: aqmlab/statistics/voice.py explains each term; the constants are its own.
  function voiceMos(voice) {
    const slope = (() => {
      const octaves = Math.log2(voice.range_ms / voice.least_heard_ms), power = voice.steepness;
      const [rise, bend] = [1, 3].map((each) => (1 + (each / octaves) ** power) ** (1 / power - 1));
      return (25 * (rise - bend)) / (voice.range_ms * Math.LN2);
    })();
    const ofDelay = (ms) => {
      const octaves = Math.log2(Math.min(Math.max(ms, voice.least_heard_ms), voice.range_ms) / voice.least_heard_ms), power = voice.steepness;
      const rise = (1 + octaves ** power) ** (1 / power), bend = 3 * (1 + (octaves / 3) ** power) ** (1 / power);
      return 25 * (rise - bend + 2) + slope * Math.max(ms - voice.range_ms, 0);
    };
    const rating = (delayMs, lost) => {
      const unheard = 100 - (100 - lost) * (1 - voice.late_percent / 100);
      const r = Math.max(0, voice.best_r - ofDelay(voice.packet_ms + delayMs) - (voice.greatest_impairment * unheard) / (unheard + voice.robustness_percent));
      return Number.isNaN(r) ? 0 : r;
    };
    const score = (r) => {
      const own = Math.min(Math.max(r, 0), 100);
      return Math.max(1, 1 + 0.035 * own + own * (own - 60) * (100 - own) * 7e-6);
    };
    return (result, group) => overSources(result, group, (column) => {
      const [sent, lost, underWay] = ["sent", "lost", "under_way"].map((fate) => column(`${fate}_packets`));
      return delayEndsMs(column, 99).map(({ lower, upper }, place) => {
        const of = Math.max(sent[place], 1);
        const worst = rating(Math.min(upper, 1000 * voice.endless_s), (100 * (lost[place] + underWay[place])) / of);
        return { lower: score(worst), upper: score(rating(lower, (100 * lost[place]) / of)) };
      });
    }, exact(score(0)));
  }

  // --------------------------------------------------------------------------------------------- video calls: their frames

  function callsOf(result, group) {
    const table = result.tables.get("video_call_frames");
    const own = result.summary.scenario.datagrams.find((each) => each.name === group);
    const frameS = 1 / (own.adaptive_video ?? own.cloud_game).frames_hz;
    const [source, frame, captured, shown, bytes] = ["source", "frame", "captured_s", "shown_s", "bytes"].map((name) => table.values(name));
    const calls = new Map();
    for (const row of rowsOf(table, "group", group)) {
      const key = Number(source[row]);
      if (!calls.has(key)) calls.set(key, []);
      calls.get(key).push({ frame: Number(frame[row]), captured: captured[row], shown: shown[row], bytes: Number(bytes[row]) });
    }
    return [...calls.entries()].sort(([one], [other]) => one - other).map(([, frames]) => {
      frames.sort((one, other) => one.frame - other.frame);
      const shownS = ascending(frames.map((each) => each.shown).filter((at) => !Number.isNaN(at)));
      const begin = frames[0].captured, end = Math.max(frames.at(-1).captured + frameS, ...shownS.slice(-1));
      return { frames, frameS, shownS, begin, end };
    });
  }

  function freezes({ shownS, frameS, begin, end }) {
    if (!shownS.length) return [[begin, end]];
    const shortest = Math.max(3 * frameS, frameS + 0.15), edges = [begin, ...shownS, end];
    return edges.slice(1).flatMap((edge, place) => (edge - edges[place] >= shortest ? [[edges[place], edge]] : []));
  }

  function perSecondOfCalls(result, group, amount) {
    const window = windowOf(result);
    const timed = callsOf(result, group).map((call) => [call, within(call.begin, call.end, window)]).filter(([, length]) => length > 0);
    return timed.length ? exact(sum(timed.map(([call]) => amount(call, window))) / sum(timed.map(([, length]) => length))) : NOTHING;
  }

  const frozen = (result, group) => perSecondOfCalls(result, group, (call, window) => 100 * sum(freezes(call).map(([begin, end]) => within(begin, end, window))));
  const pictureMbps = (result, group) => perSecondOfCalls(result, group, ({ frames }, window) =>
    (8 * sum(frames.filter((each) => inside(each.shown, window)).map((each) => each.bytes))) / 1e6);

  const place = (share, of) => Math.max(0, Math.ceil(share * of - SLACK) - 1);

  function percentileBetween(delays, watched, share) {
    if (!delays.length) return atLeast(watched.length ? watched[place(share, watched.length)] : 0);
    const all = [...delays.map((at) => [at, 0]), ...watched.map((at) => [at, 1])].sort(([one], [other]) => one - other);
    let come = 0;
    const lower = all.find(([, isWatched], number) => {
      come += isWatched;
      return number + 1 >= Math.ceil(share * (delays.length + come) - SLACK);
    })[0];
    const last = place(share, all.length);
    return { lower, upper: last < delays.length ? delays[last] : Infinity };
  }

  const frameDelay = (percentile) => (result, group) => {
    const window = windowOf(result), end = endedS(result), found = [];
    for (const { frames } of callsOf(result, group)) {
      const last = frames.findLastIndex((each) => !Number.isNaN(each.shown));
      const captured = frames.map((each, number) => ({ ...each, underWay: number > last })).filter((each) => inside(each.captured, window));
      if (!captured.length) continue;
      const delays = ascending(captured.filter((each) => !Number.isNaN(each.shown)).map((each) => each.shown - each.captured));
      const watched = ascending(captured.filter((each) => each.underWay).map((each) => end - each.captured));
      found.push(times(1000, percentileBetween(delays, watched, percentile / 100)));
    }
    return mean(found);
  };

  // ------------------------------------------------------------------------------------------------------------ pages

  // Pages that somebody waited for in the window, by the product-limit estimate of aqmlab/statistics/pages.py.
  function followedPages(result) {
    const table = result.tables.get("pages");
    if (!table) return [];
    const [from, until] = windowOf(result), end = endedS(result);
    const [began, took, ended, objects] = ["began_s", "page_load_time_s", "ended", "objects"].map((name) => table.numbers(name));
    return began.map((at, row) => {
      const loaded = ended[row] > 0 && objects[row] > 0;
      return {
        keep: at < until && at + took[row] > from, loaded,
        entered: at + took[row] >= until ? 0 : Math.max(0, from - at),
        seen: ended[row] > 0 && !loaded ? end - at : took[row],
      };
    }).filter((page) => page.keep);
  }

  function medianOf(pages, share = 0.5) {
    const steps = ascending(new Set(pages.filter((page) => page.loaded).map((page) => page.seen)));
    const below = (limit, name) => pages.filter((page) => page[name] < limit).length;
    let longer = 1, cumulative = 0;
    for (const at of steps) {
      const done = pages.filter((page) => page.loaded && page.seen === at).length;
      const next = longer * (1 - done / (below(at, "entered") - below(at, "seen")));
      cumulative += pages.length * (longer - next);
      longer = next;
      if (cumulative >= share * pages.length * (1 - ROUNDING)) return at;
    }
    return Infinity;
  }

  function pagesMedian(result) {
    const pages = followedPages(result);
    if (!pages.length) return NOTHING;
    const median = medianOf(pages);
    return Number.isFinite(median) ? exact(median) : atLeast(medianOf(pages.map((page) => ({ ...page, loaded: true }))));
  }

  // ----------------------------------------------------------------------------------------------------------- videos

  const modelOf = (result, population) => result.summary.scenario.populations.find((each) => each.name === population)?.model ?? {};
  const viewersOf = (result) => (result.tables.has("video_segments")
    ? result.summary.populations.map((each) => each.name).filter((name) => modelOf(result, name).model === "video-streaming") : []);

  function playback(segments, player, end) {
    const video = { requested: segments[0].requested, shown: [], stalls: [] };
    const arrivals = segments.map((each) => each.arrived).filter((at) => at !== null);
    const needed = Math.ceil(player.start_buffer_seconds / player.segment_seconds - SLACK);
    for (let number = 0; number < player.segments_per_video; number += 1) {
      const due = number ? video.shown.at(-1) + player.segment_seconds : NaN;
      if (number && number < arrivals.length && arrivals[number] <= due) { video.shown.push(due); continue; }
      const last = Math.min(number + needed, player.segments_per_video) - 1;
      const goesOn = last < arrivals.length ? arrivals[last] : Infinity;
      if (number && due < end) video.stalls.push([due, Math.min(goesOn, end)]);
      if (goesOn >= end) break;
      video.shown.push(goesOn);
    }
    return video;
  }

  function watched(result, population) {
    const table = result.tables.get("video_segments"), player = modelOf(result, population);
    const [user, segment, requested, took, arrived, bytes] = ["user", "segment", "requested_at_s", "download_time_s", "arrived", "bytes"].map((name) => table.numbers(name));
    const rows = rowsOf(table, "population", population).sort((one, other) => user[one] - user[other] || segment[one] - segment[other]);
    const videos = new Map();
    for (const row of rows) {
      const key = `${user[row]} ${Math.floor(segment[row] / player.segments_per_video)}`;
      if (!videos.has(key)) videos.set(key, { user: user[row], segments: [] });
      videos.get(key).segments.push({ requested: requested[row], arrived: arrived[row] ? requested[row] + took[row] : null, bytes: bytes[row] });
    }
    const window = windowOf(result), end = endedS(result), viewers = new Map();
    for (const { user: viewer, segments } of videos.values()) {
      const video = playback(segments, player, end);
      const seen = viewers.get(viewer) ?? { shown: 0, stalled: 0, waited: 0, bits: 0 };
      viewers.set(viewer, seen);
      video.shown.forEach((begin, number) => {
        if (number >= segments.length) return;
        const length = within(begin, begin + player.segment_seconds, window);
        seen.shown += length;
        seen.bits += (8 * segments[number].bytes * length) / player.segment_seconds;
      });
      for (const [begin, until] of video.stalls) seen.stalled += within(begin, until, window);
      seen.waited += within(video.requested, video.shown.length ? video.shown[0] : end, window);
    }
    const all = [...viewers.values()];
    return {
      shown: sum(all.map((each) => each.shown)), bits: sum(all.map((each) => each.bits)),
      stalled: sum(all.map((each) => each.stalled + (each.shown + each.stalled > 0 ? 0 : each.waited))),
    };
  }

  function stalled(result, population) {
    const seen = watched(result, population);
    return seen.shown + seen.stalled > 0 ? exact((100 * seen.stalled) / (seen.shown + seen.stalled)) : NOTHING;
  }
  function videoMbps(result, population) {
    const seen = watched(result, population);
    if (!(seen.shown + seen.stalled > 0)) return NOTHING;
    return exact(seen.shown > 0 ? seen.bits / seen.shown / 1e6 : 0);
  }

  // ------------------------------------------------------------------------------------------------- grades of all this

  function badness({ best, limits, worst }, value) {
    const edges = [best, ...limits], greaterIsBetter = best > limits[0];
    for (let number = 0; number + 1 < edges.length; number += 1) {
      const [low, high] = [edges[number], edges[number + 1]];
      if (greaterIsBetter ? value >= high : value <= high) return high === low ? number : number + (value - low) / (high - low);
    }
    const last = edges.at(-1);
    return worst === null ? limits.length + 1 - last / value : limits.length + (value - last) / (worst - last);
  }
  const gradeOf = (value) => Math.ceil(Math.min(Math.max(value - 1, 0), 3));

  const applicationName = (group) => group.replace(/-(up|down)$/, "");
  const wayOf = (group) => group.match(/-(up|down)$/)?.[1] ?? "";

  function kindOf(group, rules) {
    if (group.adaptive_video) return "video call";
    if (group.cloud_game) return "cloud game";
    if (group.name.toLowerCase().split(/[^a-z]+/).some((word) => word === "game" || word === "games")) return "game";
    const [least, most] = rules.call_mbps;
    return group.rate_mbps != null && group.rate_mbps >= least && group.rate_mbps <= most ? "call" : null;
  }

  // `rules` is what tools/browser/build.py exports of the Python package.
  function quantitiesOf(rules) {
    return {
      delay_p95_ms: delay(95), loss_percent: loss, voice_mos: voiceMos(rules.voice), delay_variation_p99_ms: jitter,
      call_frame_delay_p95_ms: frameDelay(95), call_frozen_percent: frozen,
    };
  }

  function mayBeWorse(criterion, number, grade) {
    const end = criterion.best > criterion.limits[0] ? number.lower : number.upper;
    return !Number.isNaN(end) && gradeOf(badness(criterion, end)) > grade;
  }

  function experienceOf(result, group, criteria, quantities) {
    const felt = criteria.map((criterion) => {
      const number = quantities[criterion.quantity](result, group);
      const value = criterion.best > criterion.limits[0] ? number.upper : number.lower;
      return { criterion, number, value, badness: Number.isNaN(value) ? NaN : badness(criterion, value) };
    }).filter((each) => !Number.isNaN(each.value));
    if (!felt.length) return null;
    const deciding = felt.reduce((most, each) => (each.badness > most.badness ? each : most));
    return { group, felt, deciding, badness: goodputKbps(result, group) === 0 ? Infinity : deciding.badness };
  }

  // What the worse of several groups of an application says.
  function judgedAs(result, groups, criteria, quantities) {
    const known = groups.map((group) => experienceOf(result, group, criteria, quantities)).filter(Boolean);
    if (!known.length) return null;
    const worst = known.reduce((most, each) => (each.badness > most.badness ? each : most));
    const grade = gradeOf(worst.badness);
    let told = worst, by = worst.deciding;
    const delays = known.filter((each) => each.felt[0].criterion === criteria[0]);
    if (grade === 0 && delays.length) {
      told = delays.reduce((most, each) => (each.felt[0].badness > most.felt[0].badness ? each : most));
      by = told.felt[0];
    }
    return { group: told.group, quantity: by.criterion.quantity, number: by.number, grade, badness: worst.badness, mayBeWorse: mayBeWorse(by.criterion, by.number, grade) };
  }

  function ofOne(group, criterion, number) {
    if (Number.isNaN(number.lower)) return null;
    const bad = badness(criterion, Math.max(number.lower, 0)), grade = gradeOf(bad);
    return { group, quantity: criterion.quantity, number, grade, badness: bad, mayBeWorse: mayBeWorse(criterion, number, grade) };
  }

  const ungraded = (group, quantity, number) => ({ group, quantity, number, grade: null, badness: NaN, mayBeWorse: false });
  const worseOf = (parts, quantity, of) => parts.map((part) => [part, of(part)]).filter(([, number]) => !Number.isNaN(number.lower))
    .reduce((least, each) => (least === null || each[1].lower < least[1].lower ? each : least), null);

  // Every application of a run in the order in which people are told, each with its name, its kind and how it fares.
  function applications(result, rules) {
    const quantities = quantitiesOf(rules), found = [], { scenario } = result.summary;
    const present = new Set(result.tables.get("datagrams")?.names("group"));
    const judged = new Map();
    for (const group of scenario.datagrams ?? []) {
      const kind = present.has(group.name) ? kindOf(group, rules) : null, name = applicationName(group.name);
      if (kind) judged.set(name, { kind, groups: [...(judged.get(name)?.groups ?? []), group.name] });
    }
    for (const [name, { kind, groups }] of judged) {
      const { criteria, shows_frames: showsFrames } = rules.kinds[kind];
      found.push({ name, kind, fares: judgedAs(result, groups, criteria, quantities) });
      if (showsFrames) {
        for (const group of groups) {
          const number = pictureMbps(result, group);
          found.push({ name: `${name} picture ${wayOf(group)}`.trimEnd(), kind, fares: Number.isNaN(number.lower) ? null : ungraded("", "call_bitrate_mbps", number) });
        }
      }
    }
    const pages = pagesMedian(result);
    if (!Number.isNaN(pages.lower)) found.push({ name: "pages", kind: "pages", fares: ofOne("pages", rules.kinds.pages.criteria[0], pages) });
    for (const viewer of viewersOf(result)) {
      if (measuredS(result) < modelOf(result, viewer).most_buffer_seconds) {
        found.push({ name: viewer, kind: "video", fares: { ...ungraded(viewer, "video_bitrate_mbps", videoMbps(result, viewer)), tooShort: true } });
        continue;
      }
      const fares = ofOne(viewer, rules.kinds.video.criteria[0], stalled(result, viewer)), rate = videoMbps(result, viewer);
      const shows = fares && fares.grade === 0 && !Number.isNaN(rate.lower);
      found.push({ name: viewer, kind: "video", fares: shows ? { ...fares, quantity: "video_bitrate_mbps", number: rate, mayBeWorse: false } : fares });
    }
    for (const { name, delivered_bytes: bytes } of result.summary.flows ?? []) {
      found.push({ name, kind: "flows", fares: ungraded(name, "goodput_mbps", exact((8 * sum(bytes)) / 1e6 / measuredS(result))) });
    }
    return found.filter((each) => each.fares);
  }

  // The delay of an application's packets over the measured window, each way: a call's, else a game's.
  function strip(result, rules) {
    const groups = (result.summary.scenario.datagrams ?? []).map((group) => [group, kindOf(group, rules)]);
    const told = ["call", "game"].map((kind) => groups.find(([, own]) => own === kind)).find(Boolean);
    if (!told || !result.tables.has("datagram_arrivals")) return null;
    const name = applicationName(told[0].name), window = windowOf(result), table = result.tables.get("datagram_arrivals");
    const sent = table.values("sent_s"), took = table.values("delay_s");
    const ways = groups.filter(([group]) => applicationName(group.name) === name).map(([group]) => {
      const rows = rowsOf(table, "group", group.name).filter((row) => inside(sent[row], window)).sort((one, other) => sent[one] - sent[other]);
      return { way: wayOf(group.name) || group.name, time_s: rows.map((row) => sent[row] - window[0]), delay_ms: rows.map((row) => 1000 * took[row]),
        lost_s: lostOf(result, group, table, window) };
    });
    return { of: name, kind: told[1], limits_ms: [...new Set(rules.kinds[told[1]].criteria[0].limits)], ways };
  }

  // When those were sent that never came, of one source that sends at a rate all the time.
  function lostOf(result, group, table, window) {
    const spacing = (8e-6 * group.packet_bytes) / group.rate_mbps, all = rowsOf(table, "group", group.name), sent = table.values("sent_s");
    const first = Math.max(window[0], group.start_s + group.start_spread_s), last = Math.min(window[1], group.stop_s ?? window[1]);
    const phase = all.length ? sent[all[0]] : first;
    const there = new Set(all.map((row) => Math.round((sent[row] - phase) / spacing))), lost = [];
    for (let number = Math.ceil((first - phase) / spacing - 1e-6); number < Math.ceil((last - phase) / spacing - 1e-6); number += 1) {
      if (!there.has(number)) lost.push(phase + spacing * number - window[0]);
    }
    return lost;
  }

  return { applications, strip, measuredS, gradeOf, wayOf };
})();
globalThis.aqmlabStatistics = aqmlabStatistics;
