// The panel beside the graph: what there is to know of the chosen instruction.
"use strict";

const Inspector = (() => {
  const MOST_LINKS = 12;
  const MOST_PAIRS = 2000;  // as in report_data.cc
  const TABS = [
    ["elements", "Elements"],
    ["warp", "Warp and sectors"],
    ["maps", "Maps"],
  ];
  let root = null;
  let onselect = null;
  let tab = "elements";
  let current = null;
  let panel = null;  // of the tab that is open

  // What the maps of an edge are, in a few lines.
  function edgeText(user, operand) {
    const {o} = Data.details(user);
    const head =
        `${Data.name(Data.operands(user)[operand])} → operand ${operand} of ${Data.name(user)}`;
    if (typeof o === "string") return `${head}\nunknown: ${o}`;
    const texts = [];
    for (const [, k, , maps] of o ?? []) {
      if (k !== operand) continue;
      if (typeof maps === "string")
        texts.push(`unknown: ${maps}`);
      else
        texts.push(...maps.map((n) => Data.map(n).t));
    }
    const rest = texts.length > 6 ? `\n… ${texts.length - 6} more` : "";
    return `${head}\n${texts.length === 0 ? "not read" : texts.slice(0, 6).join("\n") + rest}`;
  }

  function links(title, ids) {
    if (ids.length === 0) return null;
    const chip = (id, i) => element(
        "button", {class: "chip", onclick: () => onselect(id, null), title: Data.shape(id).text},
        title === "operands" ? `${i}: ${Data.name(id)}` : Data.name(id));
    const rest = ids.length - MOST_LINKS;
    return element(
        "div", {class: "links"}, element("span", {class: "muted"}, `${title} `),
        ...ids.slice(0, MOST_LINKS).map(chip),
        rest > 0 ? element("span", {class: "muted"}, ` and ${formatCount(rest)} more`) : null);
  }

  function costLine(id) {
    const cost = Costs.of(id);
    if (cost === null) return null;
    const runs = cost.times > 1 ? `${formatCount(cost.times)} runs of ` : "";
    const share = Costs.total(cost) / Data.cost.total.time_us;
    const finding = (access) => {
      const [what, why] = Costs.explain(access);
      return element(
          "button", {
            class: `finding ${Costs.isUncertain(access) ? "possible" : ""}`,
            onclick: () => showWarp(access.operand)
          },
          element("b", {}, what), `${why} `, element("span", {class: "more"}, "Show the warp →"));
    };
    return element(
        "div",
        {class: "cost"},
        runs,
        element("b", {}, `${formatCount(cost.time_us)} µs`),
        ` (${formatPercent(share)} of all) · ${formatBytes(cost.bytes_read)} read · ${
            formatBytes(cost.bytes_written)} written · ${formatUnits(cost.flops)} flops · `,
        element(
            "span", {class: Costs.look(id).isBad ? "bad" : "muted"},
            `limited by ${cost.limited_by}`),
        ...Costs.suspects(cost).map(finding),
        ...cost.operands.flatMap(Costs.reads)
            .slice(0, MOST_LINKS)
            .map((line) => element("div", {class: "muted"}, line)),
    );
  }

  // That not all is in the page.
  function shortenedNote({pairs}) {
    return element(
        "p", {class: "warning"},
        `Of ${formatCount(pairs)} pairs of arrays with maps, this page has only the first ${
            formatCount(MOST_PAIRS)}.`);
  }

  function mapsList(id) {
    const {o, i} = Data.details(id);
    const part = (title, pairs, describe) => {
      const section = element("section", {}, element("h3", {}, title));
      if (typeof pairs === "string")
        section.append(element("p", {class: "warning"}, `unknown: ${pairs}`));
      else if (!pairs || pairs.length === 0)
        section.append(element("p", {class: "muted"}, "nothing is read"));
      else
        for (const pair of pairs.slice(0, 200))
          section.append(describe(pair), ...mapTexts(pair[3]));
      if (Array.isArray(pairs) && pairs.length > 200)
        section.append(element(
            "p", {class: "muted"}, `and ${formatCount(pairs.length - 200)} more pairs of arrays`));
      return section;
    };
    const leafText = (of, leaf) => {
      const {path} = Data.shape(of).leaves[leaf];
      return path.length === 0 ? "" : ` {${path.join()}}`;
    };
    const operandText = (k, leaf) =>
        `operand ${k}${leafText(Data.operands(id)[k], leaf)}: ${Data.name(Data.operands(id)[k])}`;
    const head = (text) => element("h4", {}, text);
    return element(
        "div",
        {},
        Data.details(id).pairs ? shortenedNote(Data.details(id)) : null,
        part(
            "from an element of the result to what it is made from", o,
            ([output, k, leaf]) => head(`result${leafText(id, output)} → ${operandText(k, leaf)}`)),
        part(
            "from an element of an operand to what it takes part in", i,
            ([output, k, leaf]) => head(`${operandText(k, leaf)} → result${leafText(id, output)}`)),
    );
  }
  function mapTexts(maps) {
    if (typeof maps === "string") return [element("p", {class: "warning"}, `unknown: ${maps}`)];
    return maps.flatMap((n) => {
      const map = Data.map(n);
      const lines =
          [element("code", {class: "map"}, (map.x ? "" : "may name more than is read: ") + map.t)];
      if (map.a) lines.push(element("code", {class: "map"}, `across devices: ${map.a}`));
      for (const [name, , , , text] of map.r)
        lines.push(element("code", {class: "map runtime"}, `${name} = ${text}`));
      return lines;
    });
  }

  function openTab(name) {
    tab = name;
    for (const button of root.querySelectorAll("[role=tab]")) {
      const isOpen = button.dataset.tab === name;
      button.setAttribute("aria-selected", String(isOpen));
      button.tabIndex = isOpen ? 0 : -1;
    }
    const body = root.querySelector(".tab-body");
    body.replaceChildren();
    if (name === "elements")
      panel = new ElementsPanel.Panel(current, body);
    else if (name === "warp")
      panel = new WarpPanel.Panel(current, body);
    else {
      panel = null;
      body.append(mapsList(current));
    }
  }
  function tabs() {
    const names = TABS.map(([name]) => name);
    const buttons = TABS.map(
        ([name, title]) => element(
            "button", {role: "tab", "data-tab": name, onclick: () => openTab(name)}, title));
    const move = (event) => {
      const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
      if (!step) return;
      const next = names[(names.indexOf(tab) + step + names.length) % names.length];
      openTab(next);
      buttons[names.indexOf(next)].focus();
      event.preventDefault();
    };
    return element("div", {class: "tabs", role: "tablist", onkeydown: move}, ...buttons);
  }

  function show(id, operand) {
    if (id !== current) {
      current = id;
      const {hlo} = Data.details(id);
      root.replaceChildren(
          element(
              "h2", {}, element("span", {class: "name"}, Data.name(id)), " ",
              element("span", {class: "opcode"}, Data.opcode(id))),
          element("div", {class: "shape"}, element("code", {}, Data.shape(id).text)),
          ...[costLine(id), links("operands", Data.operands(id)), links("users", Data.users(id))]
              .filter((part) => part !== null),
          element(
              "details", {}, element("summary", {}, "HLO"), element("code", {class: "hlo"}, hlo)),
          tabs(),
          element("div", {class: "tab-body", role: "tabpanel"}),
      );
      openTab(tab);
    }
    root.scrollTop = 0;
    if (operand !== null) showOperand(operand);
  }
  function showOperand(operand) {
    if (tab === "warp") return void panel.chooseOperand?.(operand);
    if (tab === "maps") openTab("elements");
    for (const section of root.querySelectorAll(".operand")) {
      const isChosen = Number(section.dataset.operand) === operand;
      section.classList.toggle("chosen", isChosen);
      if (isChosen) section.scrollIntoView({block: "nearest"});
    }
  }

  function showWarp(operand) {
    openTab("warp");
    panel.chooseOperand?.(operand);
    root.querySelector(".tabs").scrollIntoView({block: "start"});
  }

  return {
    start: (element, select) => {
      root = element;
      onselect = select;
      Theme.onChange(() => panel?.redraw?.());
    },
    show,
    showOperand,
    showWarp,
    shortenedNote,
    openTab,
    edgeText,
    get panel() { return panel; },
  };
})();
