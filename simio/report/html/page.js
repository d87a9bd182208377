"use strict";
// Draws the plots in the colours of the page, when they come into view of the reader: Plotly needs their width.
const FIGURES = JSON.parse(document.getElementById("figures").textContent);
const CONFIG = { displaylogo: false, showSendToCloud: false, displayModeBar: false, responsive: true };
const root = document.documentElement;

function colour(name) {
  return getComputedStyle(root).getPropertyValue(name).trim();
}

function layoutOf(figure, width) {
  const narrow = width < 560;
  const shown = figure.data.filter((trace) => trace.showlegend !== false).length;
  const rows = figure.layout.showlegend ? Math.ceil(shown / (narrow ? 1 : 3)) : 0;
  const axis = { gridcolor: colour("--rule"), zerolinecolor: colour("--rule"), linecolor: colour("--box"), automargin: true };
  const layout = {
    ...figure.layout,
    height: (figure.layout.height || (narrow ? 260 : 320)) + 19 * rows,
    margin: { l: 50, r: 14, t: 12, b: 44 },
    paper_bgcolor: "rgba(0,0,0,0)", plot_bgcolor: "rgba(0,0,0,0)",
    font: { family: "system-ui, 'Segoe UI', 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif", size: narrow ? 11 : 12, color: colour("--ink") },
    legend: { orientation: "h", x: 0, y: 1.02, yanchor: "bottom", ...figure.layout.legend },
    hoverlabel: { bgcolor: colour("--card"), bordercolor: colour("--box"), font: { color: colour("--ink") }, align: "left" },
  };
  for (const name of ["xaxis", "yaxis"]) layout[name] = { ...axis, ...figure.layout[name] };
  return layout;
}

function figureOf(name, width) {
  const figure = FIGURES[name];
  return { data: structuredClone(figure.data), layout: layoutOf(figure, width) };
}

function draw(element, width) {
  const figure = figureOf(element.dataset.plot, width || element.clientWidth);
  if (width) figure.layout.width = width;
  return Plotly.react(element, figure.data, figure.layout, CONFIG);
}

function drawAll(width) {
  const seen = [...document.querySelectorAll(".plot")].filter((element) => element.offsetParent !== null);
  return Promise.all(seen.map((element) => draw(element, width)));
}

// --- which case is shown -----------------------------------------------------------------------------------

function choose(number) {
  for (const panel of document.querySelectorAll(".panel")) panel.hidden = panel.dataset.case !== String(number);
  const pick = document.getElementById("pick");
  if (pick) pick.value = String(number);
  return drawAll();
}

// --- pictures as files -------------------------------------------------------------------------------------

function inLight(make) {
  root.dataset.theme = "light";
  try { return make(); } finally { delete root.dataset.theme; }
}

function plotImage(name, format) {
  const figure = inLight(() => figureOf(name, 900));
  figure.layout.paper_bgcolor = "white";
  return Plotly.toImage(figure, { format, width: 900, height: Math.max(figure.layout.height, 420), scale: format === "png" ? 2 : 1 });
}

const COPIED = ["fill", "stroke", "stroke-width", "stroke-dasharray", "font-size", "font-weight", "font-family", "text-anchor"];

function drawingText(svg) {
  return inLight(() => {
    const copy = svg.cloneNode(true);
    const originals = svg.querySelectorAll("*");
    copy.querySelectorAll("*").forEach((element, at) => {
      const style = getComputedStyle(originals[at]);
      for (const key of COPIED) element.setAttribute(key, style.getPropertyValue(key));
      element.removeAttribute("class");
    });
    const [, , width, height] = svg.getAttribute("viewBox").split(" ");
    copy.removeAttribute("style");
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    return new XMLSerializer().serializeToString(copy);
  });
}

async function drawingImage(svg, format) {
  const url = "data:image/svg+xml;charset=utf-8," + encodeURIComponent(drawingText(svg));
  if (format === "svg") return url;
  const image = new Image();
  image.src = url;
  await image.decode();
  const canvas = document.createElement("canvas");
  canvas.width = 2 * image.width;
  canvas.height = 2 * image.height;
  const context = canvas.getContext("2d");
  context.fillStyle = "white";
  context.fillRect(0, 0, canvas.width, canvas.height);
  context.drawImage(image, 0, 0, canvas.width, canvas.height);
  return canvas.toDataURL("image/png");
}

async function save(button) {
  const holder = button.closest("figure");
  const format = button.dataset.format;
  const plot = holder.querySelector(".plot");
  const url = plot ? await plotImage(plot.dataset.plot, format) : await drawingImage(holder.querySelector("svg"), format);
  const link = document.createElement("a");
  link.href = url;
  link.download = `${holder.dataset.file || "picture"}.${format}`;
  link.click();
}

// --- beginning ---------------------------------------------------------------------------------------------

document.addEventListener("click", (event) => {
  const button = event.target.closest("button[data-format]");
  const link = event.target.closest("a[data-case]");
  if (button) save(button);
  if (link) choose(link.dataset.case);
});
document.addEventListener("change", (event) => {
  if (event.target.id === "pick") choose(event.target.value);
});
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => drawAll());
addEventListener("beforeprint", () => {
  root.dataset.theme = "light";
  drawAll(690);
});
addEventListener("afterprint", () => {
  delete root.dataset.theme;
  drawAll();
});
drawAll().then(() => { root.dataset.drawn = "yes"; });
