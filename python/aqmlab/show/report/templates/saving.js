// What can be saved from the page: each picture as SVG and PNG, each chart as CSV. All is made here, of what the page holds.
(() => {
  "use strict";
  const LOOKS = JSON.parse(document.getElementById("looks").textContent);
  const PIXELS = 2.5; // of a PNG for each of the picture

  function offer(content, kind, name) {
    const address = URL.createObjectURL(content instanceof Blob ? content : new Blob([content], { type: kind }));
    const link = document.createElement("a");
    link.href = address;
    link.download = name;
    link.click();
    setTimeout(() => URL.revokeObjectURL(address), 10000);
  }

  // The picture in the colours of print, whatever those of the page are.
  function printed(figure) {
    const copy = figure.querySelector(".drawn svg").cloneNode(true);
    const [, , width, height] = copy.getAttribute("viewBox").split(" ").map(Number);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.setAttribute("xmlns", "http://www.w3.org/2000/svg");
    const text = new XMLSerializer().serializeToString(copy);
    return { text: text.replace(/var\((--[\w-]+)\)/g, (_, name) => LOOKS.print[name] || "#000000"), width, height };
  }

  function savePng(figure, name) {
    const { text, width, height } = printed(figure);
    const image = new Image();
    image.onload = () => {
      const canvas = document.createElement("canvas");
      [canvas.width, canvas.height] = [PIXELS * width, PIXELS * height];
      const ctx = canvas.getContext("2d");
      ctx.fillStyle = LOOKS.print["--ground"];
      ctx.fillRect(0, 0, canvas.width, canvas.height);
      ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => offer(blob, "image/png", `${name}.png`));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  }

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function csvOf(figure) {
    const data = JSON.parse(figure.querySelector("script[type='application/json']").textContent);
    const columns = [[data.x.label, data.x.values]];
    for (const series of data.series) {
      columns.push([series.name, series.y]);
      if (series.lower) columns.push([`${series.name}.lower`, series.lower], [`${series.name}.upper`, series.upper]);
    }
    const rows = data.x.values.map((_, at) => columns.map(([, values]) => values[at] ?? "").join(","));
    return `${[columns.map(([name]) => quoted(name)).join(","), ...rows].join("\n")}\n`;
  }

  for (const figure of document.querySelectorAll("figure[id]")) {
    const name = figure.id;
    const forms = {
      SVG: () => offer(printed(figure).text, "image/svg+xml", `${name}.svg`),
      PNG: () => savePng(figure, name),
    };
    if (figure.classList.contains("chart")) forms.CSV = () => offer(csvOf(figure), "text/csv", `${name}.csv`);
    const place = figure.querySelector(".save");
    for (const [form, save] of Object.entries(forms)) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = form;
      button.title = `save the figure as ${form}`;
      button.addEventListener("click", save);
      place.append(button);
    }
  }
})();
