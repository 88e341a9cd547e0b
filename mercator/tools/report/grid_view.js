// An array with what people see and choose of it: a caption, its dimensions, and the mouse and keys
// on its elements.
"use strict";

class GridView extends GridCanvas {
  // `leaf` is the array; onpick(box) is told what is chosen here, as [lo, hi, step] by dimension.
  constructor({label, leaf, onpick}) {
    super(leaf);
    this.onpick = onpick;
    this.canvas.setAttribute("aria-label", `${label}: its elements`);
    this.note = element("span", {class: "note"});
    this.controls = element("div", {class: "dimensions"});
    this.makeControls();
    this.element = element(
        "figure",
        {class: "array"},
        element(
            "figcaption", {}, element("b", {}, label), " ",
            element("code", {}, `${leaf.type}[${leaf.dims.join()}]`), " ", this.note),
        this.controls,
        this.canvas,
        this.legend,
        this.place,
    );
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.element);
  }

  makeControls() {
    this.controls.replaceChildren();
    if (this.rank <= 2) return;
    const choice = (title, current, set) => element(
        "label",
        {},
        title,
        element(
            "select", {onchange: (event) => set(Number(event.target.value))},
            ...this.dims.map(
                (size, i) =>
                    element("option", {value: i, selected: i === current}, `d${i} (${size})`))),
    );
    this.controls.append(
        choice(
            "rows ", this.row,
            (dimension) =>
                this.setDimensions(dimension, this.column === dimension ? this.row : this.column)),
        choice(
            "columns ", this.column,
            (dimension) =>
                this.setDimensions(this.row === dimension ? this.column : this.row, dimension)),
    );
    this.sliders = new Map();
    this.dims.forEach((size, dimension) => {
      if (dimension === this.row || dimension === this.column || size <= 1) return;
      const number = element("output", {}, this.fixed[dimension]);
      const slider = element("input", {
        type: "range",
        min: 0,
        max: size - 1,
        value: this.fixed[dimension],
        oninput: () => {
          this.fixed[dimension] = Number(slider.value);
          number.value = slider.value;
          this.draw();
        },
      });
      this.sliders.set(dimension, {slider, number});
      this.controls.append(element("label", {}, `d${dimension} `, slider, number));
    });
  }
  setDimensions(row, column) {
    Object.assign(this, {row, column});
    this.makeControls();
    this.follow();
    this.draw();
  }

  // ---- what is shown ----

  // What lights up: products of ElementSet; what is chosen: a box, or null.
  show({products = [], picked = null, note = "", isGood = true}) {
    Object.assign(this, {products, picked});
    this.note.textContent = note;
    this.note.classList.toggle("warning", !isGood);
    this.follow();
    this.draw();
  }
  setHeat(heat) {
    this.heat = heat;
    this.heats = new Map();
    this.draw();
  }

  // ---- mouse and keys ----

  cellAt(event) {
    const bounds = this.canvas.getBoundingClientRect();
    const {rows, columns, pixels} = this.seen;
    const c = Math.floor((event.clientX - bounds.left - GridCanvas.LEFT) / pixels);
    const r = Math.floor((event.clientY - bounds.top - GridCanvas.TOP) / pixels);
    return r >= 0 && r < rows && c >= 0 && c < columns ? [r, c] : null;
  }
  // Where an element is drawn, as a place of the window, for the tests.
  toWindow(index) {
    const bounds = this.canvas.getBoundingClientRect();
    const {pixels, block} = this.seen;
    const at = (dimension, start) =>
        (dimension === undefined ? 0 : Math.floor((index[dimension] - start) / block));
    return [
      bounds.left + GridCanvas.LEFT + (at(this.column, this.origin[1]) + 0.5) * pixels,
      bounds.top + GridCanvas.TOP + (at(this.row, this.origin[0]) + 0.5) * pixels
    ];
  }
  pick(from, to) {
    const [a, b] = [this.indexOf(...from), this.indexOf(...to)];
    const last = this.seen.block - 1;
    this.onpick(
        a.map((value, i) => {
          if (i !== this.row && i !== this.column) return [value, value, 1];
          const isTile = from[0] !== to[0] || from[1] !== to[1];
          return [
            Math.min(value, b[i]),
            Math.min(this.dims[i] - 1, Math.max(value, b[i]) + (isTile ? last : 0)), 1
          ];
        }),
    );
  }

  listen() {
    const {canvas} = this;
    let start = null;
    canvas.addEventListener("pointerdown", (event) => {
      start = this.cellAt(event);
      if (start) canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => this.hover(this.cellAt(event)));
    canvas.addEventListener("pointerup", (event) => {
      const end = this.cellAt(event);
      if (start !== null && end !== null) this.pick(start, end);
      start = null;
    });
    canvas.addEventListener(
        "wheel",
        (event) => {
          if (event.ctrlKey || event.metaKey) {
            event.preventDefault();
            this.zoom(event.deltaY < 0 ? 1 : -1);
          } else if ((event.shiftKey || event.altKey) && this.scroll(event.deltaY, event.deltaX))
            event.preventDefault();
        },
        {passive: false},
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
  }
  hover(cell) {
    if (cell === null) return;
    const index = this.indexOf(...cell);
    const count = this.heat && this.heats.get(index.join());
    const text = `[${index.join(", ")}]`;
    this.canvas.title = count === undefined || count === null ?
        text :
        `${text} is read for ${plural(count, "element")} of the result`;
  }
  key(event) {
    const arrows = {
      ArrowUp: [this.row, -1],
      ArrowDown: [this.row, 1],
      ArrowLeft: [this.column, -1],
      ArrowRight: [this.column, 1]
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "+" || event.key === "=")
      this.zoom(1);
    else if (event.key === "-")
      this.zoom(-1);
    else if (arrows[event.key])
      this.moveChoice(...arrows[event.key], event.shiftKey);
    else
      return;
    event.preventDefault();
  }
  // Moves what is chosen along a dimension, or makes it larger or smaller.
  moveChoice(dimension, step, isGrowing) {
    if (dimension === undefined) return;
    const box =
        (this.picked ?? this.fixed.map((value) => [value, value, 1])).map((range) => range.slice());
    const range = box[dimension];
    if (isGrowing)
      range[1] = Math.max(range[0], Math.min(this.dims[dimension] - 1, range[1] + step));
    else if (range[0] + step >= 0 && range[1] + step < this.dims[dimension])
      [range[0], range[1]] = [range[0] + step, range[1] + step];
    this.onpick(box);
  }
}
