// Makes elements of the page.
"use strict";

// element("div", {class: "row", onclick: f}, child, "text", …). Properties that start with "on" are
// listeners, null and false leave an attribute out.
function element(tag, properties = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name.startsWith("on"))
      made.addEventListener(name.slice(2), value);
    else if (value === true)
      made.setAttribute(name, "");
    else if (value !== null && value !== undefined && value !== false)
      made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

// 1234567 as "1,234,567"; bounds [lo, hi] as "lo to hi".
function formatCount(value) {
  if (Array.isArray(value)) return `${formatCount(value[0])} to ${formatCount(value[1])}`;
  return value.toLocaleString("en-US", {maximumFractionDigits: 2});
}

// Bounds, in words that may not tell them apart.
function formatBounds([least, most], format) {
  const [from, to] = [format(least), format(most)];
  return from === to ? `about ${to}` : `${from} to ${to}`;
}

// 16777216 as "16.8 MB".
function formatBytes(value) {
  if (Array.isArray(value)) return formatBounds(value, formatBytes);
  const units = ["B", "kB", "MB", "GB", "TB", "PB"];
  let unit = 0;
  while (value >= 1000 && unit + 1 < units.length) {
    value /= 1000;
    ++unit;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toPrecision(3)} ${units[unit]}`;
}

// 2883584 as "2.88 M".
function formatUnits(value) {
  if (Array.isArray(value)) return formatBounds(value, formatUnits);
  return formatBytes(value).replace(/ ?B$/, "");
}

// 0.125 as "12.5 %".
function formatPercent(share) {
  if (Array.isArray(share)) return formatBounds(share, formatPercent);
  if (share > 0 && share < 0.0001) return "less than 0.01 %";
  return `${formatCount(Number((100 * share).toPrecision(3)))} %`;
}

function plural(count, word) { return `${formatCount(count)} ${word}${count === 1 ? "" : "s"}`; }

// Sets the size of a canvas in pixels of the page, sharp on any screen; its drawing context.
function sizeCanvas(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// Runs `work` before the next frame, once however often it is asked for.
function oncePerFrame(work) {
  let asked = false;
  return () => {
    if (asked) return;
    asked = true;
    requestAnimationFrame(() => {
      asked = false;
      work();
    });
  };
}

// Says something to people who do not see the page.
function announce(text) { document.getElementById("announcement").textContent = text; }
