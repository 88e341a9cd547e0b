// Light and dark: what the system prefers, until the switch says otherwise.
"use strict";

const Theme = (() => {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const listeners = [];
  let chosen = null;
  try {
    chosen = localStorage.getItem("mercator-theme");
  } catch {
    // Pages from disk may have no storage; then each starts with what the system prefers.
  }
  let isPrinting = false;
  let colours = {};

  const isDark = () => !isPrinting && (chosen ?? (system.matches ? "dark" : "light")) === "dark";

  function apply() {
    root.dataset.theme = isDark() ? "dark" : "light";
    const style = getComputedStyle(root);
    colours = {};
    for (const name
             of ["background", "panel", "line", "text", "muted", "accent", "second", "cell",
                 "cell-line", "node", "node-line", "edge", "bad", "good"]) {
      colours[name] = style.getPropertyValue(`--${name}`).trim();
    }
    for (const listener of listeners) listener();
  }

  function toggle() {
    chosen = isDark() ? "light" : "dark";
    try {
      localStorage.setItem("mercator-theme", chosen);
    } catch {
      // See above.
    }
    apply();
  }

  system.addEventListener("change", apply);
  // Paper is white; canvases are drawn anew before and after.
  addEventListener("beforeprint", () => {
    isPrinting = true;
    root.dataset.printing = "";
    apply();
  });
  addEventListener("afterprint", () => {
    isPrinting = false;
    delete root.dataset.printing;
    apply();
  });

  return {
    start: apply,
    toggle,
    isDark,
    colour: (name) => colours[name],
    onChange: (listener) => listeners.push(listener),
  };
})();
