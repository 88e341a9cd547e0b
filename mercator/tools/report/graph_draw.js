// Draws the part of the graph that is seen, in as much detail as there are pixels for it.
"use strict";

const GraphDraw = (() => {
  const NAME_FONT = "600 11.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";
  const TEXT_FONT = "10.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace";

  const STUB = 20;  // of what is drawn of a long edge, at either end

  // Kinds of instructions, each with a hue.
  const KINDS = [
    ["fusion", 265, /^(fusion|call)$/],
    [
      "matrix product", 38,
      /^(dot|convolution|ragged-dot|scaled-dot|cholesky|triangular-solve|custom-call)$/
    ],
    ["reduction", 172, /^(reduce|reduce-window|select-and-scatter|sort|topk|scan|batch-norm.*)$/],
    [
      "movement", 210,
      /^(transpose|reshape|bitcast.*|broadcast|slice|concatenate|pad|reverse|gather|scatter|dynamic-.*|copy.*|iota)$/
    ],
    [
      "between devices", 330,
      /^(all-.*|reduce-scatter|collective-.*|send.*|recv.*|partition-id|replica-id|ragged-all.*)$/
    ],
    ["control", 95, /^(while|conditional|async-.*|after-all|optimization-barrier|infeed|outfeed)$/],
    ["input", null, /^(parameter|constant|tuple|get-tuple-element)$/],
  ];
  // Of the bar at a node's left; what only works on single elements has none of the hues.
  const colours = new Map();
  Theme.onChange(() => colours.clear());
  function kindColour(opcode) {
    if (!colours.has(opcode)) colours.set(opcode, makeColour(opcode));
    return colours.get(opcode);
  }
  function makeColour(opcode) {
    const kind = KINDS.find(([, , pattern]) => pattern.test(opcode));
    if (kind === undefined) return Theme.isDark() ? "#7c8798" : "#9aa5b5";
    const [, hue] = kind;
    return hue === null ? Theme.colour("muted") :
                          `hsl(${hue} ${Theme.isDark() ? "65% 66%" : "70% 46%"})`;
  }

  const shortened = (text, width) => {
    const room = Math.max(3, Math.floor(width / Scene.CHARACTER));
    return text.length <= room ? text : text.slice(0, room - 1) + "…";
  };

  function box(context, x, y, width, height, radius) {
    context.beginPath();
    context.roundRect(x, y, width, height, radius);
  }

  // How much of the whole is seen, and which part, along the edges of the view.
  function position(context, plane, view, width, height) {
    const [left, top, right, bottom] = plane.extent();
    context.fillStyle = Theme.colour("edge");
    context.globalAlpha = 0.6;
    const bar = (start, size, seen) => {
      const share = Math.min(1, seen / (size * view.scale));
      const from = Math.max(0, Math.min(1 - share, -start / (size * view.scale)));
      return share > 0.98 ? null : [from * seen, Math.max(24, share * seen)];
    };
    const across = bar(view.x + left * view.scale, right - left, width);
    const down = bar(view.y + top * view.scale, bottom - top, height);
    if (across) context.fillRect(Math.min(across[0], width - across[1]), height - 4, across[1], 3);
    if (down) context.fillRect(width - 4, Math.min(down[0], height - down[1]), 3, down[1]);
    context.globalAlpha = 1;
  }

  class Drawing {
    constructor(context, view, width, height) {
      Object.assign(this, {context, scale: view.scale});
      // What of the plane is seen.
      this.left = -view.x / view.scale;
      this.top = -view.y / view.scale;
      this.right = this.left + width / view.scale;
      this.bottom = this.top + height / view.scale;
    }
    sees(left, top, right, bottom) {
      return right >= this.left && left <= this.right && bottom >= this.top && top <= this.bottom;
    }

    edgePath(points) {
      const {context} = this;
      context.moveTo(points[0], points[1]);
      for (let i = 2; i < points.length; i += 2) {
        const [x0, y0, x1, y1] = [points[i - 2], points[i - 1], points[i], points[i + 1]];
        const bow = Math.min(40, (y1 - y0) / 2);
        if (this.scale < 0.2)
          context.lineTo(x1, y1);
        else
          context.bezierCurveTo(x0, y0 + bow, x1, y1 - bow, x1, y1);
      }
    }

    // The lines of one look, together.
    edges(edges, colour, width, alpha) {
      const {context} = this;
      context.globalAlpha = alpha;
      context.strokeStyle = colour;
      context.lineWidth = width / Math.max(this.scale, 0.35);
      context.beginPath();
      for (const edge of edges) this.edgePath(edge.points);
      context.stroke();
      context.globalAlpha = 1;
    }
    arrows(edges, colour) { this.arrowHeads(edges.map(({points}) => points.slice(-2)), colour); }
    arrowHeads(places, colour) {
      if (this.scale < 0.4) return;
      const {context} = this;
      context.fillStyle = colour;
      context.beginPath();
      for (const [x, y] of places) {
        context.moveTo(x, y);
        context.lineTo(x - 3.5, y - 6.5);
        context.lineTo(x + 3.5, y - 6.5);
      }
      context.fill();
    }

    // Of an edge over many layers only the ends are drawn, unless it is one of what is chosen.
    stubs(edges) {
      if (this.scale < 0.2) return;
      const {context} = this;
      const isSeen = (x, y) =>
          x >= this.left && x <= this.right && y >= this.top && y <= this.bottom;
      context.strokeStyle = context.fillStyle = Theme.colour("edge");
      context.lineWidth = 1;
      context.beginPath();
      const dots = new Path2D();
      const entering = [];
      for (const edge of edges) {
        const {from, to, end} = edge;
        const [x, y] = [from.x + from.width / 2, from.y + from.height];
        if (isSeen(x, y)) {
          context.moveTo(x, y);
          context.lineTo(x, y + STUB);
          dots.rect(x - 2, y + STUB, 4, 4);
        }
        if (!isSeen(end, to.y)) continue;
        context.moveTo(end, to.y - STUB);
        context.lineTo(end, to.y);
        dots.rect(end - 2, to.y - STUB - 4, 4, 4);
        entering.push([end, to.y]);
      }
      context.stroke();
      context.fill(dots);
      this.arrowHeads(entering, Theme.colour("edge"));
    }

    // Nodes that are too small for anything but a colour. Of those that are smaller than a pixel,
    // one is drawn for each pixel that they lie in: a large graph has many more nodes than the view
    // has pixels. What is chosen lies above the others.
    specks(nodes, selected) {
      const {context, scale} = this;
      const pixel = 1 / scale;
      const taken = new Set();
      const byColour = new Map();
      let chosen = null;
      for (const node of nodes) {
        let {x, y, width, height} = node;
        const isSelected = node.id === selected;
        if (height < pixel) {
          const [column, row] =
              [Math.floor((x - this.left) * scale), Math.floor((y - this.top) * scale)];
          const place = row * 65536 + column;
          if (taken.has(place) && !isSelected) continue;
          taken.add(place);
          [x, y] = [this.left + column * pixel, this.top + row * pixel];
          [width, height] = [Math.max(width, pixel), pixel];
        }
        const rectangle = [x, y, width, height];
        if (isSelected) {
          chosen = rectangle;
          continue;
        }
        const colour = kindColour(Data.opcode(node.id));
        if (!byColour.has(colour)) byColour.set(colour, []);
        byColour.get(colour).push(rectangle);
      }
      const areOpen = nodes[0]?.isOpen;
      context.globalAlpha = areOpen ? 0.15 : 0.8;
      for (const [colour, rectangles] of byColour) {
        context.fillStyle = colour;
        for (const rectangle of rectangles) context.fillRect(...rectangle);
      }
      if (chosen !== null) {
        if (!areOpen) context.globalAlpha = 1;
        context.fillStyle = Theme.colour("accent");
        context.fillRect(...chosen);
      }
      context.globalAlpha = 1;
    }

    node(node, look) {
      const {context, scale} = this;
      const {x, y, width, height} = node;
      const opcode = Data.opcode(node.id);
      box(context, x, y, width, height, 7);
      context.fillStyle =
          Theme.colour(node.isOpen ? (node.depth % 2 === 0 ? "background" : "panel") : "node");
      context.fill();
      if (look.cost.warmth > 0) {
        context.globalAlpha = 0.45 * look.cost.warmth;
        context.fillStyle = Theme.colour("bad");
        context.fill();
        context.globalAlpha = 1;
      }
      context.lineWidth = look.isSelected ? 2.5 : 1;
      context.strokeStyle = look.isSelected ? Theme.colour("accent") :
          look.isNear                       ? Theme.colour("muted") :
                                              Theme.colour("node-line");
      context.stroke();
      context.fillStyle = kindColour(opcode);
      context.fillRect(x + 5, y + 8, 3, Math.min(height, Scene.NODE_HEIGHT) - 16);
      if (scale < 0.3) return;
      const room = width - 24 - (Scene.canUnfold(node.id) ? 16 : 0);
      context.font = NAME_FONT;
      context.fillStyle = Theme.colour("text");
      context.fillText(shortened(Data.name(node.id), room), x + 15, y + 17);
      const textRoom = 1.06 * (width - 24 - (look.cost.isBad ? 12 : 0));
      context.font = TEXT_FONT;
      context.fillStyle = Theme.colour(look.cost.warmth > 0.4 ? "text" : "muted");
      context.fillText(shortened(Scene.subtitle(node.id), textRoom), x + 15, y + 32);
      if (Scene.canUnfold(node.id)) this.chevron(x + width - 15, y + 14, node.isOpen);
      if (look.cost.isBad) {
        context.fillStyle = Theme.colour("bad");
        context.beginPath();
        context.arc(x + width - 10, y + 31, 4, 0, 7);
        context.fill();
      }
    }
    chevron(x, y, isOpen) {
      const {context} = this;
      context.strokeStyle = Theme.colour("muted");
      context.lineWidth = 1.6;
      context.beginPath();
      if (isOpen) {
        context.moveTo(x - 4, y - 2);
        context.lineTo(x, y + 2);
        context.lineTo(x + 4, y - 2);
      } else {
        context.moveTo(x - 2, y - 4);
        context.lineTo(x + 2, y);
        context.lineTo(x - 2, y + 4);
      }
      context.stroke();
    }

    sceneEdges(plane, state) {
      const [plain, long, into, out, bad] = [[], [], [], [], []];
      for (const frame of plane.frames) {
        for (const edge of frame.edges) {
          const isInto = edge.to.id === state.selected;
          const isChosen = isInto || edge.from.id === state.selected;
          if (!isChosen && !edge.touches(this.left, this.top, this.right, this.bottom)) continue;
          if (!isChosen && edge.isLong)
            long.push(edge);
          else if (Costs.isBadRead(edge.to.id, edge.operand))
            bad.push(edge);
          else
            (isInto ? into : isChosen ? out : plain).push(edge);
        }
      }
      this.stubs(long);
      for (const [edges, colour, width] of [
               [plain, "edge", 1.1], [out, "second", 1.6], [into, "accent", 1.6],
               [bad, "bad", 2]]) {
        this.edges(edges, Theme.colour(colour), width, 0.9);
        this.arrows(edges, Theme.colour(colour));
      }
      for (const edge of [state.hovered, state.edge]) {
        if (!edge) continue;
        const isBad = Costs.isBadRead(edge.to.id, edge.operand);
        this.edges([edge], Theme.colour(isBad ? "bad" : "accent"), 3, 1);
      }
    }

    // `state` has selected (an id or null), edge (a selected one or null), hovered (an edge or
    // null), and look(id).
    scene(plane, state) {
      const {context} = this;
      const seen = [];
      for (const frame of plane.frames) {
        for (const node of frame.nodes)
          if (this.sees(node.x, node.y, node.x + node.width, node.y + node.height)) seen.push(node);
      }
      const [open, closed] = [[], []];
      for (const node of seen) (node.isOpen ? open : closed).push(node);
      this.nodes(open, state);
      context.font = TEXT_FONT;
      context.fillStyle = Theme.colour("muted");
      if (this.scale >= 0.3)
        for (const {text, x, y} of plane.labels) context.fillText(text, x, y);
      if (this.scale >= 0.02) this.sceneEdges(plane, state);
      this.nodes(closed, state);
    }
    // All of which are unfolded, or none.
    nodes(nodes, state) {
      if (this.scale < 0.12) return this.specks(nodes, state.selected);
      for (const node of nodes) this.node(node, state.look(node.id));
    }
  }

  return {Drawing, position, STUB, KINDS, kindColour};
})();
