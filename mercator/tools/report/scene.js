// What the graph shows: the entry computation, and inside of unfolded nodes the computations that
// they call. Places are those of a plane; the view shows a part of it.
"use strict";

const Scene = (() => {
  const CHARACTER = 6.7;  // of the font of names, in pixels
  const NODE_HEIGHT = 42;
  const TITLE = 40;  // of an unfolded node
  const PADDING = 16;
  const UNFOLDING = new Set(["fusion", "call", "while", "conditional", "async-start"]);
  const WIDEST_EDGE = 2400;   // of those that are drawn whole, in pixels
  const MOST_INSIDE = 20000;  // instructions of a computation that is laid out

  const canUnfold = (id) => UNFOLDING.has(Data.opcode(id)) && Data.calls(id).length > 0;
  const subtitle = (id) => `${Data.opcode(id)} ${shortShape(id)}`;
  function shortShape(id) {
    const shape = Data.shape(id);
    if (shape.leaves.length === 1 && shape.leaves[0].path.length === 0)
      return shape.text.replace(/\{.*\}$/, "");
    return `(${shape.leaves.length} arrays)`;
  }
  function nodeWidth(id) {
    const characters = Math.max(Data.name(id).length, subtitle(id).length);
    return Math.min(250, Math.max(96, characters * CHARACTER + 30 + (canUnfold(id) ? 16 : 0)));
  }

  // An edge between nodes. Its line is made when it is first drawn.
  class Edge {
    constructor(from, to, number) {
      this.from = from;
      this.to = to;
      this.number = number;
      this.line = null;
    }
    get operand() { return this.to.frame.edgeOperands[this.number]; }
    get isLong() {
      const {from, to} = this;
      return to.frame.layout.bends[this.number] === null ||
          Math.abs(from.x + from.width / 2 - to.x - to.width / 2) > WIDEST_EDGE;
    }
    // Where it enters the node that it leads to.
    get end() {
      return this.to.x +
          this.to.width * ((this.operand + 1) / (Data.operands(this.to.id).length + 1));
    }
    // x and y of each point, from top to bottom. It leads straight down beside what is unfolded in
    // a layer that it passes.
    get points() {
      if (this.line === null) {
        const {from, to} = this;
        const {layout, computation, shiftX, shiftY} = to.frame;
        const x = from.x + from.width / 2;
        this.line = [x, from.y + from.height];
        const below = shiftY + layout.bottom[from.id - computation.first];
        if (below > from.y + from.height) this.line.push(x, below);
        for (const bend of layout.bends[this.number] ?? []) {
          const at = shiftX + layout.x[bend];
          this.line.push(at, shiftY + layout.y[bend], at, shiftY + layout.bottom[bend]);
        }
        this.line.push(this.end, to.y);
      }
      return this.line;
    }
    // Whether it may pass through a part of the plane.
    touches(left, top, right, bottom) {
      const {from, to} = this;
      if (to.y < top || from.y + from.height > bottom) return false;
      const {shiftX, layout} = to.frame;
      const [start, end] = [from.x + from.width / 2, this.end];
      const least = Math.min(start, end, shiftX + layout.bendLeft[this.number]);
      const most = Math.max(start, end, shiftX + layout.bendRight[this.number]);
      return most >= left && least <= right;
    }
  }

  // One computation, in one place. Its nodes are {id, x, y, width, height, depth, frame, isOpen},
  // with x and y of the corner at the top left; `inside` has the frames in those that are unfolded.
  class Frame {
    constructor(computation, owner, depth) {
      this.computation = Data.computations[computation];
      this.owner = owner;
      this.inside = new Map();
      const {first, size} = this.computation;
      const ends = [];
      this.edgeOperands = [];
      for (let i = 0; i < size; ++i) {
        Data.operands(first + i).forEach((operand, k) => {
          ends.push(operand - first, i);
          this.edgeOperands.push(k);
        });
      }
      const widths = Array.from({length: size}, (_, i) => nodeWidth(first + i));
      this.layout = new Layout.Layered(size, ends, widths, new Array(size).fill(NODE_HEIGHT));
      this.nodes = widths.map((width, i) => ({
                                id: first + i,
                                x: 0,
                                y: 0,
                                width,
                                height: NODE_HEIGHT,
                                depth,
                                frame: this,
                                isOpen: false
                              }));
      this.edges = this.edgeOperands.map(
          (_, e) => new Edge(this.nodes[ends[2 * e]], this.nodes[ends[2 * e + 1]], e));
    }
    get width() {
      return Math.max(this.layout.totalWidth, 8 * this.computation.name.length) + 2 * PADDING;
    }
    get height() { return this.layout.totalHeight + 2 * PADDING + (this.owner === null ? 0 : 18); }

    unfold(id, frames) {
      this.inside.set(id, frames);
      const width = frames.reduce((sum, frame) => sum + frame.width, (frames.length + 1) * PADDING);
      const height = TITLE + Math.max(...frames.map((frame) => frame.height)) + PADDING;
      this.layout.resize(id - this.computation.first, Math.max(width, nodeWidth(id)), height);
    }
    fold(id) {
      this.inside.delete(id);
      this.layout.resize(id - this.computation.first, nodeWidth(id), NODE_HEIGHT);
    }

    // Puts it where its corner at the top left is; adds itself and what is inside to the plane.
    place(plane, left, top) {
      const {layout, computation, nodes} = this;
      plane.frames.push(this);
      this.shiftX = left + PADDING - layout.left +
          Math.max(0, this.width - 2 * PADDING - layout.totalWidth) / 2;
      this.shiftY = top + PADDING;
      for (let i = 0; i < nodes.length; ++i) {
        const node = nodes[i];
        node.width = layout.width[i];
        node.height = layout.height[i];
        node.x = this.shiftX + layout.x[i] - node.width / 2;
        node.y = this.shiftY + layout.y[i];
        node.isOpen = false;
      }
      for (const edge of this.edges) edge.line = null;
      for (const [id, frames] of this.inside) {
        const node = nodes[id - computation.first];
        node.isOpen = true;
        let x = node.x + PADDING;
        for (const frame of frames) {
          plane.labels.push({text: frame.computation.name, x: x + 4, y: node.y + TITLE + 6});
          frame.place(plane, x, node.y + TITLE + 14);
          x += frame.width + PADDING;
        }
      }
    }
  }

  // All frames that are shown, outer ones before those inside of them; labels are {text, x, y}.
  class Plane {
    constructor() {
      this.root = new Frame(Data.module.entry, null, 0);
      this.arrange();
    }
    arrange() {
      Object.assign(this, {frames: [], labels: []});
      this.root.place(this, 0, 0);
    }

    // The node of an instruction; null if it is not shown.
    find(id) {
      const computation = Data.computations[Data.computationOf[id]];
      const frame = this.frames.find((shown) => shown.computation === computation);
      return frame === undefined ? null : frame.nodes[id - computation.first];
    }
    nodes() { return this.frames.flatMap((frame) => frame.nodes); }
    edges() { return this.frames.flatMap((frame) => frame.edges); }

    // The whole, as [left, top, right, bottom].
    extent() { return [0, 0, this.root.width, this.root.height]; }

    // Unfolds or folds a node; frames around it make room. False if it has nothing inside.
    toggle(node) {
      const {frame, id} = node;
      if (!canUnfold(id)) return false;
      if (frame.inside.has(id)) {
        frame.fold(id);
      } else {
        const called = Data.calls(id).filter(
            (computation) => Data.computations[computation].size <= MOST_INSIDE);
        if (called.length === 0) return false;
        frame.unfold(id, called.map((computation) => new Frame(computation, node, node.depth + 1)));
      }
      for (let inner = frame; inner.owner !== null; inner = inner.owner.frame) {
        const {frame: outer, id: owner} = inner.owner;
        outer.unfold(owner, outer.inside.get(owner));
      }
      this.arrange();
      return true;
    }

    // The node of an instruction, once what is around it is unfolded. Null if that leads nowhere.
    reveal(id) {
      const chain = [];
      const seen = new Set();
      for (let inner = id; this.find(inner) === null;) {
        const caller = Data.callers[Data.computationOf[inner]].find(canUnfold);
        if (caller === undefined || seen.has(caller)) return null;
        seen.add(caller);
        chain.push(caller);
        inner = caller;
      }
      for (const caller of chain.reverse()) {
        const node = this.find(caller);
        if (!node.isOpen && !this.toggle(node)) return null;
      }
      return this.find(id);
    }
  }

  return {Plane, canUnfold, subtitle, shortShape, TITLE, CHARACTER, NODE_HEIGHT};
})();
