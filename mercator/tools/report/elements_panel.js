// The arrays of one instruction: what is chosen in one of them, and what belongs to it in others.
"use strict";

const ElementsPanel = (() => {
  const WIDEST_SLIDER = 1000000;  // a number box has all values
  const MOST_GRIDS = 8;           // operands that are drawn at first
  const MOST_NAMED = 6;           // places that are named in words

  // Values of runtime variables: one for each element that the maps tell apart by constants, since
  // the directions have other variables in its index.
  class Runtimes {
    constructor(onchange) {
      this.values = new Map();
      this.onchange = onchange;
      this.element = element("div", {class: "runtimes"});
    }
    static key([, , , tensor, text]) {
      const inner = /\[(.*)\]$/s.exec(text)?.[1] ?? "";
      return `${tensor}[${
          inner.split(",").map((part) => (/^\s*\d+\s*$/.test(part) ? part.trim() : "·")).join()}]`;
    }
    add(map) {
      for (const variable of map.r) {
        const [, lo, hi, , text] = variable;
        if (this.values.has(Runtimes.key(variable))) continue;
        const entry = {value: Expr.nearestToZero(lo, hi)};
        this.values.set(Runtimes.key(variable), entry);
        this.makeControl(
            entry, text, typeof lo === "number" ? lo : null, typeof hi === "number" ? hi : null);
      }
    }
    makeControl(entry, text, lo, hi) {
      const set = (value, other) => {
        if (!Number.isSafeInteger(value) || !Expr.within(value, lo, hi)) return;
        entry.value = value;
        other.value = value;
        this.onchange();
      };
      const number = element("input", {
        type: "number",
        min: lo,
        max: hi,
        value: entry.value,
        "aria-label": text,
        oninput: () => set(number.valueAsNumber, slider)
      });
      const slider = element("input", {
        type: "range",
        min: Math.max(lo ?? -WIDEST_SLIDER, -WIDEST_SLIDER),
        max: Math.min(hi ?? WIDEST_SLIDER, WIDEST_SLIDER),
        value: entry.value,
        "aria-label": text,
        oninput: () => set(slider.valueAsNumber, number)
      });
      this.element.append(element(
          "label",
          {title: "known only when the program runs; the same value is taken for every element"},
          element("code", {}, text), " = ", number, slider));
    }
    of(map) {
      return map.r.map(
          (variable) => this.values.get(Runtimes.key(variable))?.value ??
              Expr.nearestToZero(variable[1], variable[2]));
    }
  }

  class Panel {
    constructor(id, container) {
      this.id = id;
      this.details = Data.details(id);
      this.output = 0;
      this.box = null;
      this.source = null;  // null: the result, else one of this.operands
      this.element = container;
      this.isHeat = false;
      this.outputs =
          Data.shape(id).leaves.map((leaf, i) => ({leaf, i})).filter(({leaf}) => leaf.dims);
      if (this.outputs.length > 0) this.output = this.outputs[0].i;
      this.build();
    }

    // The pairs of leaves of the chosen output, by operand and leaf.
    build() {
      this.element.replaceChildren();
      const {o, i} = this.details;
      if (this.outputs.length === 0)
        return void this.element.append(
            element("p", {class: "muted"}, "The result has no elements."));
      this.runtimes = new Runtimes(() => this.update());
      const leaf = Data.shape(this.id).leaves[this.output];
      this.result = new GridView({label: "result", leaf, onpick: (box) => this.choose(null, box)});
      this.input = element("input", {
        class: "index",
        spellcheck: "false",
        "aria-label": "element or tile of the result",
        onchange: () => this.typed()
      });
      this.message = element("span", {class: "warning"});
      this.made = element("p", {class: "made", "aria-live": "polite"});
      this.element.append(this.makeBar(), this.runtimes.element, this.result.element, this.made);
      this.operands = [];
      if (this.details.pairs) this.element.append(Inspector.shortenedNote(this.details));
      if (typeof o === "string")
        this.element.append(element("p", {class: "warning"}, `unknown: ${o}`));
      for (const [output, operand, operandLeaf, maps] of Array.isArray(o) ? o : []) {
        if (output !== this.output) continue;
        const back = Array.isArray(i) ?
            i.find(([to, k, l]) => to === output && k === operand && l === operandLeaf) :
            undefined;
        this.operands.push({operand, operandLeaf, maps, back: back?.[3]});
      }
      this.shown = 0;
      this.list = element("div", {});
      this.more = element("button", {onclick: () => this.showMore()});
      this.element.append(this.list, this.more);
      this.showMore();
      // Not the first element, which too many maps leave where it is.
      const first = leaf.dims.map((size, i) => Math.min(size >> 1, 4 + i));
      this.choose(null, first.map((value) => [value, value, 1]));
    }

    makeBar() {
      const heat = element(
          "input", {type: "checkbox", onchange: (event) => this.setHeat(event.target.checked)});
      heat.checked = this.isHeat;
      const outputs = element(
          "select",
          {
            "aria-label": "which result",
            onchange: (event) => {
              this.output = Number(event.target.value);
              this.build();
            },
          },
          ...this.outputs.map(
              ({leaf, i}) => element(
                  "option", {value: i, selected: i === this.output},
                  `{${leaf.path.join()}} ${leaf.type}[${leaf.dims.join()}]`)),
      );
      return element(
          "div",
          {class: "bar"},
          this.outputs.length > 1 ? element("label", {}, "result ", outputs) : null,
          element("label", {}, "element ", this.input),
          element(
              "label", {
                title:
                    "each element of an operand in the colour of the number of elements of the result that it is read for"
              },
              heat, " how often each element is read"),
          this.message,
      );
    }

    showMore() {
      for (const entry of this.operands.slice(this.shown, this.shown + MOST_GRIDS))
        this.list.append(this.makeOperand(entry));
      this.shown = Math.min(this.operands.length, this.shown + MOST_GRIDS);
      const rest = this.operands.length - this.shown;
      this.more.hidden = rest === 0;
      this.more.textContent = `${plural(rest, "more array")}`;
      if (this.box) this.update();
    }
    makeOperand(entry) {
      const from = Data.operands(this.id)[entry.operand];
      const leaf = Data.shape(from).leaves[entry.operandLeaf];
      const suffix = leaf.path.length === 0 ? "" : ` {${leaf.path.join()}}`;
      entry.name = `${Data.name(from)}${suffix}`;
      entry.label = `operand ${entry.operand}${suffix}: ${Data.name(from)}`;
      const known = Array.isArray(entry.maps) && leaf.dims;
      entry.grid = known ?
          new GridView({label: entry.label, leaf, onpick: (box) => this.choose(entry, box)}) :
          null;
      entry.leaf = leaf;
      const cost = Costs.ofOperand(this.id, entry.operand, leaf);
      const sectors = cost?.sectors_per_warp === undefined ?
          null :
          element(
              "button", {
                class: `sector-count ${Costs.isBad(cost) ? "bad" : ""}`,
                title: "the warp and its sectors",
                onclick: () => Inspector.showWarp(entry.operand)
              },
              `${Costs.sectorCount(cost.sectors_per_warp)} a warp, ${
                  formatCount(cost.ideal_sectors_per_warp)} needed`);
      if (sectors !== null) entry.grid?.element.querySelector("figcaption").append(" ", sectors);
      const texts = known ? entry.maps.map((n) => Data.map(n)) : [];
      for (const map of texts) this.runtimes.add(map);
      if (Array.isArray(entry.back))
        for (const n of entry.back) this.runtimes.add(Data.map(n));
      return element(
          "section",
          {class: "operand", "data-operand": entry.operand},
          entry.grid?.element ??
              element(
                  "p", {}, element("b", {}, entry.label), " ",
                  element(
                      "span", {class: "warning"},
                      typeof entry.maps === "string" ? `unknown: ${entry.maps}` :
                                                       "has no elements")),
          ...texts.map(
              (map) => element(
                  "code", {class: "map"},
                  (map.x ? "" : "may name more than is read: ") +
                      (map.a ? `${map.a} (all devices together are drawn)` : map.t))),
      );
    }

    // ---- what is chosen ----

    typed() {
      const leaf = Data.shape(this.id).leaves[this.output];
      const box = ElementText.parse(this.input.value, leaf.dims);
      this.message.textContent = typeof box === "string" ? box : "";
      if (typeof box !== "string") this.choose(null, box);
    }
    choose(entry, box) {
      this.source = entry;
      this.box = box;
      if (entry === null) this.input.value = ElementText.toText(box);
      this.message.textContent = "";
      this.update();
    }
    setHeat(isHeat) {
      this.isHeat = isHeat;
      this.update();
    }

    // The products of the maps from the box to an array, and what to say of them.
    reach(maps, leaf) {
      if (!Array.isArray(maps))
        return {products: [], note: `unknown: ${maps ?? "not read"}`, isGood: false};
      try {
        const list = maps.map((n) => Data.map(n));
        const products =
            list.map((map) => ElementSet.of(map, this.box, this.runtimes.of(map), leaf.dims));
        const [least, most] = ElementSet.countUnion(products, leaf.dims);
        const isPart = products.some((product) => product.isPart);
        const total = leaf.dims.reduce((product, size) => product * size, 1);
        const many = least === most ?
            formatCount(least) :
            `${formatCount(least)} to ${formatCount(Math.min(most, total))}`;
        const note = isPart ?
            `too many: only a part is drawn, from ${
                formatCount(ElementSet.BUDGET)} values of the variables` :
            `${list.every((map) => map.x) ? "" : "at most "}${many} of ${plural(total, "element")}`;
        return {products, note, isGood: !isPart};
      } catch (error) {
        if (!(error instanceof Expr.Beyond)) throw error;
        return {
          products: [],
          note: "numbers beyond 2^53, or without bound: not drawn",
          isGood: false
        };
      }
    }

    update() {
      if (this.box === null) return;
      const leaf = Data.shape(this.id).leaves[this.output];
      const made = [];
      for (const entry of this.operands.slice(0, this.shown)) {
        if (!entry.grid) continue;
        if (this.source === null) {
          const reached = this.reach(entry.maps, entry.leaf);
          entry.grid.show(reached);
          if (reached.isGood)
            made.push(...reached.products.map((product) => this.place(entry, product)));
        } else
          entry.grid.show({
            picked: entry === this.source ? this.box : null,
            note: entry === this.source ? `[${ElementText.toText(this.box)}] is chosen` : ""
          });
        entry.grid.setHeat(
            this.isHeat && Array.isArray(entry.back) ? this.counter(entry, leaf) : null);
      }
      // The arrays below may be out of sight.
      const list = made.filter((text) => text !== "");
      this.made.textContent = list.length === 0 ?
          "" :
          `made from ${list.slice(0, MOST_NAMED).join(", ")}${
              list.length > MOST_NAMED ? ", …" : ""}`;
      if (this.source === null)
        this.result.show({picked: this.box, note: `[${ElementText.toText(this.box)}] is chosen`});
      else {
        const reached = this.reach(this.source.back, leaf);
        this.result.show({...reached, note: `${reached.note} made from it`});
      }
    }
    // "right[16, 3]", "left[3, 0:64]": about where a product lies; "" if it is empty.
    place(entry, product) {
      if (product.isEmpty) return "";
      const index = entry.leaf.dims.map(() => "0");
      for (const factor of product.factors) {
        factor.bounds().forEach(([lo, hi], k) => {
          index[factor.dimensions[k]] = lo === hi ? `${lo}` : `${lo}:${hi + 1}`;
        });
      }
      return `${entry.name}[${index.join(", ")}]`;
    }
    // In other colours, at once.
    redraw() {
      for (const grid of [this.result, ...(this.operands ?? []).map((entry) => entry.grid)])
        grid?.drawNow();
    }
    counter(entry, leaf) {
      return new Heat.Counter(
          entry.back.map((n) => Data.map(n)), (map) => this.runtimes.of(map), leaf.dims);
    }
  }

  return {Panel};
})();
