// The graph as it is looked at: where the view stands, and what the mouse and the keys do.
"use strict";

class GraphView {
  // `listeners`: select(id, operand or null), told what is chosen here.
  constructor(canvas, tip, listeners) {
    Object.assign(
        this, {canvas, tip, listeners, plane: new Scene.Plane(), view: {x: 0, y: 0, scale: 1}});
    Object.assign(this, {selected: null, edge: null, hovered: null});
    this.draw = oncePerFrame(() => this.drawNow());
    this.listen();
    new ResizeObserver(() => this.resized()).observe(canvas.parentElement);
    Theme.onChange(() => this.drawNow());
    addEventListener("beforeprint", () => this.startPrint());
    addEventListener("afterprint", () => this.endPrint());
  }

  resized() {
    const {clientWidth, clientHeight} = this.canvas.parentElement;
    if (document.documentElement.dataset.printing !== undefined) return;
    if (clientWidth === this.width && clientHeight === this.height) return;
    this.width = clientWidth;
    this.height = clientHeight;
    this.drawNow();
  }

  // Paper has a size of its own, and shows everything if that can be read, else what is chosen.
  startPrint() {
    const {view, width, height} = this;
    this.beforePrint = {view, width, height};
    Object.assign(this, {width: 1000, height: 420});
    this.fit();
    const node = this.selected === null ? null : this.plane.find(this.selected);
    if (this.view.scale < 0.4 && node !== null) {
      this.view.scale = 0.8;
      this.center(node);
    }
    this.drawNow();
  }
  endPrint() {
    Object.assign(this, this.beforePrint);
    this.drawNow();
  }

  drawNow() {
    if (!this.width) return;
    const {view} = this;
    const context = sizeCanvas(this.canvas, this.width, this.height);
    context.translate(view.x, view.y);
    context.scale(view.scale, view.scale);
    const near = new Set(
        this.selected === null ? [] :
                                 [...Data.operands(this.selected), ...Data.users(this.selected)]);
    const look = (id) =>
        ({isSelected: id === this.selected, isNear: near.has(id), cost: Costs.look(id)});
    new GraphDraw.Drawing(context, view, this.width, this.height)
        .scene(this.plane, {...this, look});
    const ratio = window.devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    GraphDraw.position(context, this.plane, view, this.width, this.height);
  }

  // ---- the view ----

  toPlane(event) {
    const bounds = this.canvas.getBoundingClientRect();
    return [
      (event.clientX - bounds.left - this.view.x) / this.view.scale,
      (event.clientY - bounds.top - this.view.y) / this.view.scale
    ];
  }
  // A place of the plane as one of the window, for the tests.
  toWindow(x, y) {
    const bounds = this.canvas.getBoundingClientRect();
    return [
      bounds.left + x * this.view.scale + this.view.x,
      bounds.top + y * this.view.scale + this.view.y
    ];
  }
  move(dx, dy) {
    this.view.x += dx;
    this.view.y += dy;
    this.draw();
  }
  // Around a place in the canvas, which stays where it is.
  zoom(factor, x = this.width / 2, y = this.height / 2) {
    const scale = Math.min(3, Math.max(0.002, this.view.scale * factor));
    const ratio = scale / this.view.scale;
    this.view = {scale, x: x - (x - this.view.x) * ratio, y: y - (y - this.view.y) * ratio};
    this.draw();
  }
  fit() {
    const [left, top, right, bottom] = this.plane.extent();
    const scale =
        Math.min(1, (this.width - 24) / (right - left), (this.height - 24) / (bottom - top));
    this.view = {
      scale,
      x: (this.width - (right - left) * scale) / 2,
      y: (this.height - (bottom - top) * scale) / 2
    };
    this.draw();
  }
  center(node) {
    this.view.scale = Math.max(this.view.scale, 0.6);
    const {scale} = this.view;
    this.view.x = this.width / 2 - (node.x + node.width / 2) * scale;
    this.view.y =
        this.height / 2 - (node.y + Math.min(node.height, this.height / scale) / 2) * scale;
    this.draw();
  }
  // Moves the view only if the node is not seen well.
  show(node) {
    const {scale, x, y} = this.view;
    const isSeen = scale >= 0.3 && node.x * scale + x >= 8 &&
        (node.x + Math.min(node.width, 200)) * scale + x <= this.width - 8 &&
        node.y * scale + y >= 8 && (node.y + Scene.NODE_HEIGHT) * scale + y <= this.height - 8;
    if (!isSeen)
      this.center(node);
    else
      this.draw();
  }

  // ---- what is chosen ----

  // Shows an instruction, unfolding what is around it.
  select(id, operand = null) {
    const node = this.plane.reveal(id);
    this.selected = id;
    this.edge = operand === null ?
        null :
        (node?.frame.edges.find((edge) => edge.to === node && edge.operand === operand) ?? null);
    if (node)
      this.show(node);
    else
      this.draw();
  }
  toggle(id) {
    const node = this.plane.find(id);
    if (node === null) return;
    // The node stays where it is on the screen.
    const [x, y] = [node.x, node.y];
    if (!this.plane.toggle(node)) return;
    this.view.x -= (node.x - x) * this.view.scale;
    this.view.y -= (node.y - y) * this.view.scale;
    this.edge = this.hovered = null;
    announce(`${Data.name(id)} ${node.isOpen ? "unfolded" : "folded"}`);
    this.show(node);
  }

  // The innermost node at a place.
  nodeAt(x, y) {
    let found = null;
    for (const frame of this.plane.frames) {
      for (const node of frame.nodes) {
        if (x >= node.x && x <= node.x + node.width && y >= node.y && y <= node.y + node.height)
          found = node;
      }
    }
    return found;
  }
  // The edge that passes within a few pixels.
  edgeAt(x, y) {
    const reach = 6 / this.view.scale;
    let [best, found] = [reach, null];
    for (const frame of this.plane.frames) {
      for (const edge of frame.edges) {
        if (!edge.touches(x - reach, y, x + reach, y)) continue;
        const away = this.distance(edge, x, y);
        if (away < best) [best, found] = [away, edge];
      }
    }
    return found;
  }

  // How far what is drawn of an edge is from a place, to the left or right.
  distance(edge, x, y) {
    const isWhole = !edge.isLong || edge.to.id === this.selected || edge.from.id === this.selected;
    if (!isWhole) {
      const {from, to} = edge;
      if (y - from.y - from.height < GraphDraw.STUB + 4)
        return Math.abs(x - from.x - from.width / 2);
      return to.y - y < GraphDraw.STUB + 4 ? Math.abs(x - edge.end) : Infinity;
    }
    const {points} = edge;
    for (let i = 2; i < points.length; i += 2) {
      const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
      if (y < y0 || y > y1) continue;
      const t = (y - y0) / Math.max(1, y1 - y0);
      return Math.abs(x - (x0 + (x1 - x0) * t * t * (3 - 2 * t)));
    }
    return Infinity;
  }

  choose(x, y) {
    const node = this.nodeAt(x, y);
    if (node !== null && (!node.isOpen || y < node.y + Scene.TITLE)) {
      if (Scene.canUnfold(node.id) && x > node.x + node.width - 28 && y < node.y + 28)
        this.toggle(node.id);
      this.listeners.select(node.id, null);
      return;
    }
    const edge = this.edgeAt(x, y);
    if (edge !== null)
      this.listeners.select(edge.to.id, edge.operand);
    else if (node !== null)
      this.listeners.select(node.id, null);
  }

  hover(event) {
    const [x, y] = this.toPlane(event);
    const node = this.nodeAt(x, y);
    const onNode = node !== null && (!node.isOpen || y < node.y + Scene.TITLE);
    const edge = onNode ? null : this.edgeAt(x, y);
    if (edge !== this.hovered) {
      this.hovered = edge;
      this.draw();
    }
    this.canvas.style.cursor = onNode || edge ? "pointer" : "grab";
    const text = edge ? Inspector.edgeText(edge.to.id, edge.operand) :
        onNode ? `${Data.name(node.id)} = ${Data.shape(node.id).text} ${Data.opcode(node.id)}` :
                 "";
    this.tip.hidden = text === "";
    this.tip.textContent = text;
    const bounds = this.canvas.getBoundingClientRect();
    this.tip.style.left = `${Math.min(event.clientX - bounds.left + 14, this.width - 300)}px`;
    this.tip.style.top = `${event.clientY - bounds.top + 16}px`;
  }

  // ---- mouse and keys ----

  listen() {
    const {canvas} = this;
    let drag = null;
    canvas.addEventListener("pointerdown", (event) => {
      drag = {x: event.clientX, y: event.clientY, moved: false};
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (drag === null) return this.hover(event);
      const [dx, dy] = [event.clientX - drag.x, event.clientY - drag.y];
      if (!drag.moved && Math.hypot(dx, dy) < 4) return;
      drag = {x: event.clientX, y: event.clientY, moved: true};
      this.tip.hidden = true;
      this.move(dx, dy);
    });
    canvas.addEventListener("pointerup", (event) => {
      if (drag !== null && !drag.moved) this.choose(...this.toPlane(event));
      drag = null;
    });
    canvas.addEventListener("pointercancel", () => (drag = null));
    canvas.addEventListener("pointerleave", () => (this.tip.hidden = true));
    canvas.addEventListener("dblclick", (event) => {
      const node = this.nodeAt(...this.toPlane(event));
      if (node) this.toggle(node.id);
    });
    canvas.addEventListener(
        "wheel",
        (event) => {
          event.preventDefault();
          const bounds = canvas.getBoundingClientRect();
          if (event.ctrlKey || event.metaKey)
            this.zoom(
                Math.exp(-event.deltaY / 300), event.clientX - bounds.left,
                event.clientY - bounds.top);
          else if (event.shiftKey && event.deltaX === 0)
            this.move(-event.deltaY, 0);
          else
            this.move(-event.deltaX, -event.deltaY);
        },
        {passive: false},
    );
    canvas.addEventListener("keydown", (event) => this.key(event));
  }

  key(event) {
    const steps = {
      ArrowUp: () => this.step("up"),
      ArrowDown: () => this.step("down"),
      ArrowLeft: () => this.step(-1),
      ArrowRight: () => this.step(1)
    };
    const moves = {ArrowUp: [0, 80], ArrowDown: [0, -80], ArrowLeft: [80, 0], ArrowRight: [-80, 0]};
    const others = {
      Enter: () => this.selected !== null && this.toggle(this.selected),
      " ": () => this.selected !== null && this.toggle(this.selected),
      "+": () => this.zoom(1.25),
      "=": () => this.zoom(1.25),
      "-": () => this.zoom(0.8),
      0: () => this.fit(),
      c: () => this.selected !== null && this.plane.find(this.selected) !== null &&
          this.center(this.plane.find(this.selected)),
    };
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.shiftKey && moves[event.key])
      this.move(...moves[event.key]);
    else if (steps[event.key])
      steps[event.key]();
    else if (others[event.key])
      others[event.key]();
    else
      return;
    event.preventDefault();
  }

  // To the first operand, to the first user, or along the layer.
  step(where) {
    const node = this.selected === null ? null : this.plane.find(this.selected);
    if (node === null)
      return this.listeners.select(Data.computations[Data.module.entry].root, null);
    const {frame} = node;
    const {layout, computation} = frame;
    let next;
    if (where === "up")
      next = Data.operands(node.id)[0] ?? frame.owner?.id;
    else if (where === "down")
      next = Data.users(node.id)[0] ?? (frame.owner && Data.users(frame.owner.id)[0]);
    else {
      const item = node.id - computation.first;
      const layer = layout.layers[layout.rank[item]].filter((other) => other < layout.count);
      const place = layer[layer.indexOf(item) + where];
      next = place === undefined ? undefined : place + computation.first;
    }
    // From the title of an unfolded node into it.
    if (where === "down" && node.isOpen) next = frame.inside.get(node.id)[0].computation.first;
    if (next !== undefined && next !== null) this.listeners.select(next, null);
  }
}
