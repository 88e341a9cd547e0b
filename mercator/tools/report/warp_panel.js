// The addresses of a warp against sectors of memory, for one access of an instruction.
"use strict";

const WarpPanel = (() => {
  const WIDTH = 520;
  const LANE = WIDTH / Warp.LANES;
  const COLUMNS = 8;  // sectors in a row
  const MOST_SECTORS = 128;

  function svg(tag, attributes, ...children) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    made.append(...children);
    return made;
  }

  // What the instruction accesses: {label, bits, maps or unknown}.
  function accesses(id, kernel) {
    const list = [];
    const add = (label, leaf, maps, cost, operand) => list.push({
      label,
      operand,
      bits: leaf.bits,
      type: leaf.type,
      maps: Array.isArray(maps) ? maps.map((n) => Data.map(n)) : null,
      unknown: maps,
      cost
    });
    for (const [operand, leafNumber, maps] of kernel.r) {
      const from = Data.operands(id)[operand];
      const leaf = Data.shape(from).leaves[leafNumber];
      add(`reads operand ${operand}: ${Data.name(from)}`, leaf, maps,
          Costs.ofOperand(id, operand, leaf), operand);
    }
    for (const [leafNumber, maps] of kernel.w) {
      const leaf = Data.shape(id).leaves[leafNumber];
      add(leaf.path.length === 0 ? "writes the result" :
                                   `writes {${leaf.path.join()}} of the result`,
          leaf, maps, Costs.ofOutput(id, leaf));
    }
    return list;
  }

  class Panel {
    constructor(id, container) {
      this.element = container;
      this.kernel = Data.details(id).k;
      if (this.kernel === undefined || typeof this.kernel === "string") {
        const why = this.kernel ?? "this is not a kernel of its own";
        container.append(element("p", {class: "muted"}, `No warp is drawn: ${why}.`));
        return;
      }
      this.list = accesses(id, this.kernel);
      this.at = {block: 0, warp: 0, steps: new Map()};
      // In the middle, since the first steps of a window may lie in the padding.
      for (const [name, [lo, hi]] of Warp.steps(this.list.flatMap((access) => access.maps ?? [])))
        this.at.steps.set(name, (lo + hi) >> 1);
      this.current = this.worst();
      this.controls = element("div", {class: "bar"});
      this.table = element(
          "div", {class: "accesses", role: "listbox", "aria-label": "what the kernel accesses"});
      this.picture = element("div", {class: "warp"});
      const [x, y, z] = this.kernel.threads;
      this.blocks = this.kernel.blocks.reduce((product, count) => product * count, 1);
      this.warps = Math.ceil((x * y * z) / Warp.LANES);
      container.append(
          element(
              "p", {class: "muted"},
              `As a kernel of ${plural(this.blocks, "block")} of ${plural(x * y * z, "thread")} (${
                  this.kernel.scheme}); what one warp of ${Warp.LANES} threads accesses at once.`),
          this.table,
          this.controls,
          this.picture,
      );
      this.findBlock();
      this.makeControls();
      this.update();
    }

    summaryOf(access) {
      if (access.maps === null) return null;
      try {
        const byLane = Warp.lanes(access.maps, this.kernel, access.bits, this.at);
        return {byLane, ...Warp.summary(byLane, access.bits)};
      } catch (error) {
        if (error instanceof Expr.Beyond) return null;
        throw error;
      }
    }
    worst() {
      const excess = this.list.map((access) => {
        const summary = this.summaryOf(access);
        return summary === null || summary.ideal === 0 ? 0 : summary.touched.length / summary.ideal;
      });
      return Math.max(0, excess.indexOf(Math.max(...excess)));
    }

    // The first access to an operand; undefined: to the result.
    chooseOperand(operand) {
      const found = this.list?.findIndex((access) => access.operand === operand) ?? -1;
      if (found < 0) return;
      this.current = found;
      this.findBlock();
      this.makeControls();
      this.update();
    }
    // The first block may access nothing, such as one that lies in the padding.
    findBlock() {
      const {block} = this.at;
      const access = this.list[this.current];
      for (const place of [block, this.blocks >> 1, this.blocks - 1]) {
        this.at.block = place;
        if (this.summaryOf(access)?.touched.length !== 0) return;
      }
      this.at.block = block;
    }

    makeControls() {
      const number = (label, lo, hi, value, set) => element(
          "label", {}, `${label} `, element("input", {
            type: "number",
            min: lo,
            max: hi,
            value,
            oninput: (event) => {
              const chosen = event.target.valueAsNumber;
              if (!Number.isSafeInteger(chosen) || chosen < lo || chosen > hi) return;
              set(chosen);
              this.update();
            }
          }),
          element("span", {class: "muted"}, ` of ${formatCount(hi - lo + 1)} `));
      this.controls.replaceChildren(
          number("block", 0, this.blocks - 1, this.at.block, (value) => (this.at.block = value)),
          number("warp", 0, this.warps - 1, this.at.warp, (value) => (this.at.warp = value)),
      );
      const maps = this.list.flatMap((access) => access.maps ?? []);
      for (const [name, [lo, hi]] of Warp.steps(maps)) {
        if (hi > lo)
          this.controls.append(number(
              name, lo, hi, this.at.steps.get(name), (value) => this.at.steps.set(name, value)));
      }
    }

    update() {
      const summaries = this.list.map((access) => this.summaryOf(access));
      this.table.replaceChildren(
          ...this.list.map((access, i) => {
            const summary = summaries[i];
            const verdict = summary === null ?
                "unknown" :
                summary.touched.length === 0 ?
                "nothing here" :
                `${plural(summary.touched.length, "sector")}, ${summary.ideal} needed`;
            const looks = summary === null || summary.touched.length === 0 ? "" :
                summary.isCoalesced                                        ? "good" :
                                                                             "bad";
            const choose = () => {
              this.current = i;
              this.update();
            };
            return element(
                "button", {
                  role: "option",
                  "aria-selected": String(i === this.current),
                  class: i === this.current ? "chosen" : "",
                  onclick: choose
                },
                element("span", {}, access.label),
                element("span", {class: `verdict ${looks}`}, verdict));
          }),
      );
      const access = this.list[this.current];
      const summary = summaries[this.current];
      this.picture.replaceChildren();
      if (!access) return;
      if (summary === null) {
        this.picture.append(element(
            "p", {class: "warning"},
            `unknown: ${
                typeof access.unknown === "string" ? access.unknown : "numbers beyond 2^53"}`));
        return;
      }
      const moved = summary.touched.length * Warp.SECTOR;
      const share = moved === 0 ?
          "" :
          ` ${formatPercent(summary.useful / moved)} of the bytes moved are used.`;
      const overall = access.cost?.sectors_per_warp === undefined ?
          "" :
          ` All warps, on average: ${formatCount(access.cost.sectors_per_warp)} sectors, ${
              formatCount(access.cost.ideal_sectors_per_warp)} needed.`;
      if (summary.touched.length === 0) {
        this.picture.append(element("p", {}, "This warp accesses nothing here."));
        return;
      }
      const verdict = summary.isCoalesced ? element("b", {class: "good"}, "Coalesced. ") :
                                            element("b", {class: "bad"}, "Not coalesced. ");
      this.picture.append(
          element(
              "p", {}, verdict,
              `${plural(summary.touched.length, "sector")} of ${Warp.SECTOR} bytes for ${
                  plural(summary.useful, "useful byte")}; ${summary.ideal} would do: ${
                  summary.why}.${share}${overall}`),
          this.draw(summary),
      );
    }

    draw({byLane, touched}) {
      const shown = touched.slice(0, MOST_SECTORS);
      const rows = Math.ceil(shown.length / COLUMNS);
      const [width, height, top, apart] = [WIDTH / COLUMNS, 26, 92, 40];
      const picture = svg("svg", {
        viewBox: `0 0 ${WIDTH} ${top + rows * apart + 4}`,
        class: "sectors",
        role: "img",
        "aria-label":
            `${byLane.length} threads above the ${touched.length} sectors that they access`
      });
      const lines = svg("g", {class: "lines"});
      const hue = (lane) => `hsl(${Math.round((lane / Warp.LANES) * 300)} 70% 55%)`;
      byLane.forEach((positions, lane) => {
        const x = lane * LANE;
        const mark = svg("rect", {
          x: x + 1,
          y: 14,
          width: LANE - 2,
          height: 14,
          rx: 2,
          fill: positions.length === 0 ? "none" : hue(lane),
          class: "lane"
        });
        mark.append(
            svg("title", {},
                positions.length === 0 ? `thread ${lane}: nothing` :
                                         `thread ${lane}: byte ${positions[0] / 8}`));
        picture.append(mark);
        if (lane % 4 === 0)
          picture.append(
              svg("text", {x: x + LANE / 2, y: 10, "text-anchor": "middle"}, String(lane)));
      });
      shown.forEach((sector, i) => {
        const [x, y] = [(i % COLUMNS) * width, top + Math.floor(i / COLUMNS) * apart];
        const box = svg(
            "rect", {x: x + 2, y, width: width - 4, height: height - 8, rx: 3, class: "sector"});
        box.append(svg(
            "title", {},
            `bytes ${formatCount(sector.number * Warp.SECTOR)} to ${
                formatCount(
                    sector.number * Warp.SECTOR + Warp.SECTOR - 1)}: ${sector.bytes.size} used`));
        picture.append(box);
        const unit = (width - 4) / Warp.SECTOR;
        for (const byte of sector.bytes)
          picture.append(svg(
              "rect",
              {x: x + 2 + byte * unit, y, width: unit + 0.3, height: height - 8, class: "used"}));
        picture.append(
            svg("text", {x: x + 4, y: y + height + 2}, formatCount(sector.number * Warp.SECTOR)));
        for (const lane of sector.lanes) {
          const byte = byLane[lane]
                           .map((bit) => Math.floor(bit / 8))
                           .find((place) => Math.floor(place / Warp.SECTOR) === sector.number) ??
              sector.number * Warp.SECTOR;
          const end = x + 2 + (byte - sector.number * Warp.SECTOR + 0.5) * unit;
          lines.append(svg("path", {
            d: `M${lane * LANE + LANE / 2},28 C${lane * LANE + LANE / 2},60 ${end},${y - 34} ${
                end},${y}`,
            stroke: hue(lane)
          }));
        }
      });
      picture.append(lines);
      const box = element("div", {}, picture);
      if (touched.length > shown.length)
        box.append(element(
            "p", {class: "muted"}, `and ${plural(touched.length - shown.length, "more sector")}`));
      return box;
    }
  }

  return {Panel};
})();
