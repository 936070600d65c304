// What can be saved from the page: each picture as SVG and PNG, each chart as PNG and CSV. All is made here, of what the page holds.
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

  function blank(width, height) {
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [width, height];
    const ctx = canvas.getContext("2d");
    ctx.fillStyle = LOOKS.print["--ground"];
    ctx.fillRect(0, 0, width, height);
    return { canvas, ctx };
  }

  function savePng(figure, name) {
    const { text, width, height } = printed(figure);
    const image = new Image();
    image.onload = () => {
      const { canvas, ctx } = blank(PIXELS * width, PIXELS * height);
      ctx.drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob((blob) => offer(blob, "image/png", `${name}.png`));
    };
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
  }

  // A chart as it stands on the page: its title, what it shows, its panels, and a sample of each line.
  function saveChart({ data, canvases, inPrint }, name) {
    const panels = canvases(), ratio = uPlot.pxRatio, line = 20 * ratio, margin = 8 * ratio;
    const apart = panels.length > 1, rows = apart ? 0 : Math.ceil(data.series.length / 3);
    const wide = panels[0].width, high = panels.reduce((sum, each) => sum + each.height + (apart ? line : 0), 0);
    const { canvas, ctx } = blank(wide, high + (2.6 + rows) * line);
    const write = (text, x, y, font) => {
      ctx.fillStyle = LOOKS.print["--ink"];
      ctx.font = `${font} ${13 * ratio}px system-ui, sans-serif`;
      ctx.fillText(text, x, y);
    };
    inPrint(() => {
      write(data.title, margin, line, "bold");
      write(data.y.unit.words, margin, 2 * line, "");
      let top = 2.4 * line;
      panels.forEach((panel, at) => {
        if (apart) write(data.series[at].name, margin, (top += line) - 0.3 * line, "bold");
        ctx.drawImage(panel, 0, top);
        top += panel.height;
      });
      if (!apart) {
        data.series.forEach((series, at) => {
          const x = margin + (at % 3) * (wide / 3), y = top + (0.7 + Math.floor(at / 3)) * line;
          ctx.strokeStyle = LOOKS.print[series.named] || series.colour;
          ctx.lineWidth = 3 * ratio;
          ctx.setLineDash(series.dash.map((part) => part * ratio));
          ctx.beginPath();
          ctx.moveTo(x, y - 4 * ratio);
          ctx.lineTo(x + 30 * ratio, y - 4 * ratio);
          ctx.stroke();
          write(series.name, x + 38 * ratio, y, "");
        });
      }
    }).then(() => canvas.toBlob((blob) => offer(blob, "image/png", `${name}.png`)));
  }

  const quoted = (text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

  function csvOf(data) {
    const columns = [[data.x.label, data.x.values]];
    for (const series of data.series) {
      columns.push([series.name, series.y]);
      for (const each of ["lower", "upper", "lost"]) if (series[each]) columns.push([`${series.name}.${each}`, series[each]]);
    }
    const rows = data.x.values.map((_, at) => columns.map(([, values]) => values[at] ?? "").join(","));
    return `${[columns.map(([name]) => quoted(name)).join(","), ...rows].join("\n")}\n`;
  }

  for (const figure of document.querySelectorAll("figure[id]")) {
    const name = figure.id;
    const forms = figure.chart ? {
      PNG: () => saveChart(figure.chart, name),
      CSV: () => offer(csvOf(figure.chart.data), "text/csv", `${name}.csv`),
    } : {
      SVG: () => offer(printed(figure).text, "image/svg+xml", `${name}.svg`),
      PNG: () => savePng(figure, name),
    };
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
