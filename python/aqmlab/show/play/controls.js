// The controls of the page as elements, each with its name: sliders, choices, switches. What they set is told to `changed(name, value)`.
const playControls = (() => {
  "use strict";
  const STEPS = 400;
  const made = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const digits = (value) => {
    const size = Math.abs(value);
    return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 1 ? 2 : size >= 0.1 ? 3 : 4).replace(/(\.\d*?)0+$/, "$1").replace(/\.$/, "");
  };

  function position(knob, value) {
    const share = knob.log && knob.low > 0
      ? Math.log(value / knob.low) / Math.log(knob.high / knob.low)
      : (value - knob.low) / (knob.high - knob.low);
    return Math.round(STEPS * Math.min(1, Math.max(0, share)));
  }
  function valueAt(knob, place) {
    const share = place / STEPS;
    const value = knob.log && knob.low > 0
      ? knob.low * (knob.high / knob.low) ** share
      : knob.low + (knob.high - knob.low) * share;
    return knob.integer ? Math.round(value) : Number(value.toPrecision(3));
  }

  function range(knob, value, changed, typed) {
    const shown = typed ? made("input", { type: "number", min: 0, step: "any", name: `${knob.name}, typed` }) : made("output");
    const slider = made("input", { type: "range", min: 0, max: STEPS, step: 1, name: knob.name });
    // A label names its first field, which is the number.
    slider.setAttribute("aria-label", typed ? `${knob.label}, slider` : knob.label);
    slider.show = (now) => {
      slider.value = position(knob, now);
      slider.say(now);
    };
    slider.say = (now) => {
      const text = knob.integer ? now.toLocaleString("en") : digits(now);
      shown[typed ? "value" : "textContent"] = text;
      slider.setAttribute("aria-valuetext", `${text} (${knob.label})`);
    };
    slider.show(value);
    slider.addEventListener("input", () => {
      const now = valueAt(knob, Number(slider.value));
      slider.say(now);
      changed(knob.name, now);
    });
    if (!typed) return made("label", {}, made("span", { textContent: knob.label }), shown, slider);
    shown.addEventListener("change", () => {
      const now = Number(shown.value);
      if (!(now > 0)) { slider.say(valueAt(knob, Number(slider.value))); return; }
      slider.value = position(knob, now);
      changed(knob.name, now);
    });
    return made("div", {}, made("label", {}, made("span", { textContent: knob.label }), shown), slider);
  }

  function choice(knob, value, changed) {
    const select = made("select", { name: knob.name });
    knob.choices.forEach((each, place) => select.append(new Option(String(each), place, false, each === value)));
    select.addEventListener("change", () => changed(knob.name, knob.choices[Number(select.value)]));
    return made("label", {}, made("span", { textContent: knob.label }), made("span"), select);
  }

  function toggle(knob, value, changed) {
    const box = made("input", { type: "checkbox", name: knob.name, checked: value });
    box.addEventListener("change", () => changed(knob.name, box.checked));
    return made("label", {}, made("span", { textContent: knob.label }), box);
  }

  // `typed`: whether a value can be typed as well.
  const control = (knob, value, changed, typed = false) => ({ range, choice, switch: toggle })[knob.kind](knob, value, changed, typed);

  const group = (title, ...children) => made("fieldset", {}, made("legend", { textContent: title }), ...children);

  // Some of a few: `options` are pairs of name and label; `on` says which are.
  const switches = (title, options, on, changed) => group(title, ...options.map(({ name, label }) => {
    const box = made("input", { type: "checkbox", name: `on.${name}`, checked: on(name) });
    box.addEventListener("change", () => changed(name, box.checked));
    return made("label", { className: "tick" }, box, made("span", { textContent: label }));
  }));

  // One of a few.
  const oneOf = (title, name, options, value, changed) => group(title, ...options.map((each) => {
    const button = made("input", { type: "radio", name, value: each.name, checked: each.name === value });
    button.addEventListener("change", () => changed(name, each.name));
    return made("label", { className: "tick" }, button, made("span", { textContent: each.label }));
  }));

  return { made, digits, control, group, switches, oneOf };
})();
