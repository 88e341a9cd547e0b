// Brings the parts of the page together.
"use strict";

const Page = (() => {
  const get = (id) => document.getElementById(id);
  Theme.start();

  const select = (id, operand) => {
    graph.select(id, operand);
    Inspector.show(id, operand);
    table.mark(id);
    announce(`${Data.name(id)}, ${Scene.subtitle(id)}`);
  };
  Inspector.start(get("inspector"), select);
  const graph = new GraphView(get("graph"), get("tip"), {select});
  Search.start(get("search"), get("found"), select);
  const table = new CostTable(get("costs"), select);

  get("subject").textContent = Data.module.file;
  get("counts").textContent =
      `${plural(Data.count, "instruction")} in ${plural(Data.computations.length, "computation")}`;
  get("theme").addEventListener("click", () => Theme.toggle());
  get("print").addEventListener("click", () => print());
  get("help").addEventListener("click", () => get("keys").showModal());
  get("zoom-in").addEventListener("click", () => graph.zoom(1.25));
  get("zoom-out").addEventListener("click", () => graph.zoom(0.8));
  get("fit").addEventListener("click", () => graph.fit());
  get("keys").addEventListener("click", () => get("keys").close());
  for (const [kind, hue] of GraphDraw.KINDS) {
    get("legend").append(element(
        "span", {
          class: "kind",
          style: hue === null ? "--kind: var(--muted)" : `--kind: hsl(${hue} 65% 55%)`
        },
        kind));
  }
  get("legend").append(
      element("span", {class: "bad"}, "● an access that is not coalesced"),
      element("span", {}, "the redder, the more time"),
      element("span", {class: "operands"}, "→ what the chosen reads"),
      element("span", {class: "users"}, "→ what reads it"));
  for (const [name, value] of [["warp-size", "warp_size"], ["sector-bytes", "sector_bytes"]])
    for (const place of document.querySelectorAll(`.${name}`))
      place.textContent = Data.module[value];

  addEventListener("keydown", (event) => {
    const isTyping = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
    const keys = {
      "/": () => get("search").focus(),
      "?": () => get("keys").showModal(),
      t: () => Theme.toggle(),
      g: () => get("graph").focus(),
      1: () => Inspector.openTab("elements"),
      2: () => Inspector.openTab("warp"),
      3: () => Inspector.openTab("maps"),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
  });

  // The divider between graph and inspector.
  get("divider").addEventListener("pointerdown", (event) => {
    const divider = get("divider");
    divider.setPointerCapture(event.pointerId);
    const move = (moved) => document.documentElement.style.setProperty(
        "--inspector", `${Math.max(320, innerWidth - moved.clientX)}px`);
    divider.addEventListener("pointermove", move);
    divider.addEventListener(
        "pointerup", () => divider.removeEventListener("pointermove", move), {once: true});
  });

  // First the instruction that costs most, or the result.
  const dearest = Costs.entries.reduce(
      (best, entry) => (best === null || Costs.total(entry) > Costs.total(best) ? entry : best),
      null);
  graph.resized();
  select(
      dearest === null ? Data.computations[Data.module.entry].root : Data.idOfCost(dearest), null);
  const [left, top, right, bottom] = graph.plane.extent();
  if ((right - left) * 0.7 < graph.width && (bottom - top) * 0.7 < graph.height) graph.fit();

  return {graph, select, table};
})();
