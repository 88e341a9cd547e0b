// A canvas with the elements of one array as cells: two of its dimensions, at a chosen place of the
// others, and of a large array the part that its window is on.
"use strict";

class GridCanvas {
  static LEFT = 44;  // room for the numbers of rows
  static TOP = 18;   // and of columns
  static MOST_HEIGHT = 260;
  // Of a cell: its side in pixels, and the elements along each side that it stands for.
  static LEVELS = [
    ...Array.from({length: 22}, (_, i) => ({pixels: 4, block: 2 ** (22 - i)})),
    ...[4, 6, 9, 13, 18, 26].map((pixels) => ({pixels, block: 1})),
  ];

  constructor(leaf) {
    Object.assign(
        this,
        {leaf, dims: leaf.dims, rank: leaf.dims.length, products: [], picked: null, heat: null});
    this.fixed = this.dims.map(() => 0);
    this.chooseDimensions();
    this.level = GridCanvas.LEVELS.length - 2;
    this.origin = [0, 0];  // the first row and column that are seen
    this.canvas = element("canvas", {tabindex: "0", class: "grid", role: "img"});
    this.legend = element("div", {class: "heat-legend", hidden: true});
    this.place = element("span", {class: "place"});
    this.draw = oncePerFrame(() => this.drawNow());
  }

  // The dimensions that are innermost in memory, of those that have more than one element.
  chooseDimensions() {
    const order = this.leaf.order.filter((dimension) => this.dims[dimension] > 1);
    const rest = this.leaf.order.filter((dimension) => this.dims[dimension] <= 1);
    [this.column, this.row] = [...order, ...rest, -1, -1];
    if (this.column === -1) this.column = undefined;
    if (this.row === -1) this.row = undefined;
    // Rows come before columns where memory leaves the choice to people.
    if (this.rank === 2) [this.row, this.column] = [0, 1];
  }

  // ---- the window ----

  size(dimension) { return dimension === undefined ? 1 : this.dims[dimension]; }
  // What lights up or is chosen, as [lo, hi] by dimension; null if nothing.
  focus() {
    if (this.picked !== null) return this.picked.map(([lo, hi]) => [lo, hi]);
    let joined = null;
    for (const product of this.products) {
      const bounds = product.bounds(this.rank);
      if (bounds === null) continue;
      joined = joined === null ?
          bounds :
          joined.map(([lo, hi], i) => [Math.min(lo, bounds[i][0]), Math.max(hi, bounds[i][1])]);
    }
    return joined;
  }
  // Moves the window and the sliders to where something lights up.
  follow() {
    const focus = this.focus();
    if (focus === null) return;
    for (const [dimension, {slider, number}] of this.sliders ?? []) {
      const [lo, hi] = focus[dimension];
      if (this.fixed[dimension] >= lo && this.fixed[dimension] <= hi) continue;
      this.fixed[dimension] = lo;
      slider.value = number.value = lo;
    }
    if (!this.hasSize) {
      this.pending = true;
      return;
    }
    const along = (dimension) => (dimension === undefined ? [0, 0] : focus[dimension]);
    const spans = [along(this.row), along(this.column)];
    const fits = ({pixels, block}, extents) =>
        extents.every((extent, i) => Math.ceil(extent / block) * pixels <= this.room[i]);
    const whole = [this.size(this.row), this.size(this.column)];
    const find = (extents, from) =>
        GridCanvas.LEVELS.findLastIndex((level, i) => i <= from && fits(level, extents));
    // The whole array if its elements can be told apart; else what lights up and something around
    // it.
    const first = GridCanvas.LEVELS.findIndex((level) => level.block === 1);
    const level = find(whole, GridCanvas.LEVELS.length - 1);
    const around = spans.map(([lo, hi], i) => Math.min(whole[i], hi - lo + 5));
    this.level =
        level >= first ? level : Math.max(level, find(around, GridCanvas.LEVELS.length - 3), 0);
    const {pixels, block} = GridCanvas.LEVELS[this.level];
    this.origin = spans.map(([lo, hi], i) => {
      const shown = Math.floor(this.room[i] / pixels) * block;
      return this.limited(Math.floor((lo + hi) / 2 - shown / 2), i);
    });
  }
  limited(start, axis) {
    const {pixels, block} = GridCanvas.LEVELS[this.level];
    const size = this.size(axis === 0 ? this.row : this.column);
    const shown = Math.floor(this.room[axis] / pixels) * block;
    const latest = Math.max(0, Math.ceil((size - shown) / block) * block);
    return Math.max(0, Math.min(latest, Math.floor(start / block) * block));
  }

  zoom(steps) {
    const {rows, columns, block} = this.seen;
    const centre = [this.origin[0] + (rows * block) / 2, this.origin[1] + (columns * block) / 2];
    this.level = Math.max(0, Math.min(GridCanvas.LEVELS.length - 1, this.level + steps));
    const {pixels, block: finer} = GridCanvas.LEVELS[this.level];
    this.origin = centre.map(
        (place, i) => this.limited(place - (Math.floor(this.room[i] / pixels) * finer) / 2, i));
    this.draw();
  }
  // In pixels. False if there is nothing to scroll to.
  scroll(down, right) {
    const {pixels, block} = this.seen;
    const before = this.origin.join();
    const cells = (distance) =>
        Math.sign(distance) * Math.ceil(Math.abs(distance) / pixels) * block;
    this.origin = [
      this.limited(this.origin[0] + cells(down), 0), this.limited(this.origin[1] + cells(right), 1)
    ];
    this.draw();
    return this.origin.join() !== before;
  }
  // ---- drawing ----

  // The room for cells: [height, width].
  get room() {
    return [GridCanvas.MOST_HEIGHT, Math.max(40, this.element.clientWidth - GridCanvas.LEFT - 2)];
  }
  get hasSize() { return this.element.clientWidth > 0; }

  drawNow() {
    if (!this.hasSize) return;
    if (this.pending) {
      this.pending = false;
      this.follow();
    }
    const {pixels, block} = GridCanvas.LEVELS[this.level];
    const cells = [this.row, this.column].map(
        (dimension, i) => Math.max(
            1,
            Math.min(
                Math.floor(this.room[i] / pixels),
                Math.ceil((this.size(dimension) - this.origin[i]) / block))));
    const [rows, columns] = cells;
    const context =
        sizeCanvas(this.canvas, this.element.clientWidth, GridCanvas.TOP + rows * pixels + 1);
    const gap = pixels >= 6 ? 1 : 0;
    this.seen = {rows, columns, pixels, block};
    const paint = (colour, test) => {
      context.fillStyle = colour;
      for (let r = 0; r < rows; ++r) {
        for (let c = 0; c < columns; ++c) {
          if (test(r, c))
            context.fillRect(
                GridCanvas.LEFT + c * pixels, GridCanvas.TOP + r * pixels, pixels - gap,
                pixels - gap);
        }
      }
    };
    if (this.dims.includes(0)) {
      this.place.textContent = "no elements";
      return;
    }
    context.fillStyle = Theme.colour("cell-line");
    context.fillRect(
        GridCanvas.LEFT - 1, GridCanvas.TOP - 1, columns * pixels + 1, rows * pixels + 1);
    if (this.heat)
      this.paintHeat(context, rows, columns, pixels, gap);
    else
      paint(Theme.colour("cell"), () => true);
    const lit = this.litCells(rows, columns, block);
    if (this.heat)
      this.outline(context, lit, rows, columns, pixels);
    else
      paint(Theme.colour("accent"), (r, c) => lit[r * columns + c]);
    this.ring(context, lit, columns, pixels);
    if (this.picked !== null) {
      const inside = (dimension, start, i) => {
        if (dimension === undefined) return true;
        const first = start + i * block;
        return this.picked[dimension][0] < first + block && this.picked[dimension][1] >= first;
      };
      const others = this.dims.every(
          (_, d) => d === this.row || d === this.column ||
              (this.fixed[d] >= this.picked[d][0] && this.fixed[d] <= this.picked[d][1]));
      if (others) {
        const isPicked = (r, c) =>
            inside(this.row, this.origin[0], r) && inside(this.column, this.origin[1], c);
        paint(Theme.colour("second"), isPicked);
        const cells = Uint8Array.from(
            {length: rows * columns}, (_, i) => isPicked(Math.floor(i / columns), i % columns));
        this.ring(context, cells, columns, pixels, "second");
      }
    }
    this.drawNumbers(context, rows, columns, pixels, block);
    this.legend.hidden = !this.heat;
    this.place.textContent = this.placeText(rows, columns, block);
  }

  // A few small cells are easily overlooked.
  ring(context, lit, columns, pixels, colour = "accent") {
    const places = [];
    for (let i = 0; i < lit.length && places.length < 5; ++i)
      if (lit[i]) places.push(i);
    if (places.length >= 5 || pixels > 9) return;
    context.strokeStyle = Theme.colour(colour);
    context.lineWidth = 1.5;
    for (const place of places) {
      context.beginPath();
      context.arc(
          GridCanvas.LEFT + ((place % columns) + 0.5) * pixels,
          GridCanvas.TOP + (Math.floor(place / columns) + 0.5) * pixels, pixels + 3, 0, 7);
      context.stroke();
    }
  }

  placeText(rows, columns, block) {
    const parts = [];
    const along = (word, dimension, start, cells) => {
      const end = Math.min(this.size(dimension), start + cells * block);
      if (end - start < this.size(dimension))
        parts.push(`${word} ${formatCount(start)} to ${formatCount(end - 1)} of ${
            formatCount(this.size(dimension))}`);
    };
    along("rows", this.row, this.origin[0], rows);
    along("columns", this.column, this.origin[1], columns);
    if (block > 1)
      parts.push(`a cell stands for ${formatCount(block)} × ${formatCount(block)} elements`);
    return parts.join("; ");
  }

  drawNumbers(context, rows, columns, pixels, block) {
    context.font = "10px ui-sans-serif, system-ui, sans-serif";
    context.fillStyle = Theme.colour("muted");
    context.textAlign = "right";
    context.textBaseline = "middle";
    const every = Math.ceil(14 / pixels);
    for (let r = 0; r < rows; r += every)
      context.fillText(
          this.origin[0] + r * block, GridCanvas.LEFT - 5,
          GridCanvas.TOP + r * pixels + pixels / 2);
    context.textAlign = "center";
    const apart = Math.ceil((String(this.origin[1] + columns * block).length * 6 + 10) / pixels);
    for (let c = 0; c < columns; c += apart)
      context.fillText(
          this.origin[1] + c * block, GridCanvas.LEFT + c * pixels + pixels / 2,
          GridCanvas.TOP - 9);
    context.textAlign = "start";
    context.textBaseline = "alphabetic";
  }

  // By cell whether any of its elements lights up.
  litCells(rows, columns, block) {
    const lit = new Uint8Array(rows * columns);
    for (const product of this.products) {
      const mask = this.cellsOf(product, rows, columns, block);
      if (mask)
        for (let i = 0; i < lit.length; ++i) lit[i] |= mask[i];
    }
    return lit;
  }
  cellsOf(product, rows, columns, block) {
    if (product.isEmpty) return null;
    const [firstRow, firstColumn] = this.origin;
    const mask = new Uint8Array(rows * columns).fill(1);
    for (const factor of product.factors) {
      const [rowAt, columnAt] =
          [factor.dimensions.indexOf(this.row), factor.dimensions.indexOf(this.column)];
      if (rowAt < 0 && columnAt < 0) {
        if (!factor.has(this.fixed)) return null;
        continue;
      }
      const own = new Uint8Array(rows * columns);
      const [from, to] = rowAt >= 0 ? [firstRow, firstRow + rows * block] :
                                      [firstColumn, firstColumn + columns * block];
      factor.forEach(
          (values) => {
            const isHere = factor.dimensions.every(
                (dimension, i) =>
                    i === rowAt || i === columnAt || values[i] === this.fixed[dimension]);
            if (!isHere) return;
            const r = rowAt < 0 ? -1 : Math.floor((values[rowAt] - firstRow) / block);
            const c = columnAt < 0 ? -1 : Math.floor((values[columnAt] - firstColumn) / block);
            if ((rowAt >= 0 && (r < 0 || r >= rows)) || (columnAt >= 0 && (c < 0 || c >= columns)))
              return;
            if (columnAt < 0)
              own.fill(1, r * columns, (r + 1) * columns);
            else if (rowAt < 0)
              for (let i = c; i < own.length; i += columns) own[i] = 1;
            else
              own[r * columns + c] = 1;
          },
          from,
          to,
          block,
      );
      for (let i = 0; i < mask.length; ++i) mask[i] &= own[i];
    }
    return mask;
  }

  // ---- heat ----

  // As many cells as time allows; the rest in later frames. A cell shows its first element.
  paintHeat(context, rows, columns, pixels, gap) {
    const end = performance.now() + 12;
    let missing = false;
    const counts = [];
    let most = this.mostHeat ?? 1;
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) {
        const index = this.indexOf(r, c);
        const key = index.join();
        let count = this.heats.get(key);
        if (count === undefined && performance.now() < end) {
          count = this.heat.at(index);
          this.heats.set(key, count);
        }
        if (count === undefined)
          missing = true;
        else
          most = Math.max(most, count);
        counts.push(count);
      }
    }
    this.mostHeat = most;
    const least = this.heat.isPart ? "at least " : "";
    this.legend.replaceChildren(
        "read for ", element("b", {}, "1"), element("i", {
          style: `background: linear-gradient(to right, ${
                  [0, 0.25, 0.5, 0.75, 1].map(Heat.colour).join()})`
        }),
        element("b", {}, formatCount(most)),
        ` ${least}elements of the result; not coloured: not read`);
    counts.forEach((count, i) => {
      context.fillStyle = count === undefined || count === 0 ?
          Theme.colour("cell") :
          Heat.colour(most === 1 ? 0 : Math.log(count) / Math.log(most));
      context.fillRect(
          GridCanvas.LEFT + (i % columns) * pixels,
          GridCanvas.TOP + Math.floor(i / columns) * pixels, pixels - gap, pixels - gap);
    });
    if (missing) this.draw();
  }
  outline(context, lit, rows, columns, pixels) {
    context.strokeStyle = Theme.colour("accent");
    context.lineWidth = 2;
    for (let r = 0; r < rows; ++r) {
      for (let c = 0; c < columns; ++c) {
        if (lit[r * columns + c])
          context.strokeRect(
              GridCanvas.LEFT + c * pixels + 1, GridCanvas.TOP + r * pixels + 1, pixels - 3,
              pixels - 3);
      }
    }
  }

  // ---- places ----

  // The index of the first element of a cell.
  indexOf(r, c) {
    const index = this.fixed.slice();
    const {block} = this.seen;
    if (this.row !== undefined) index[this.row] = this.origin[0] + r * block;
    if (this.column !== undefined) index[this.column] = this.origin[1] + c * block;
    return index;
  }
}
