// Lays out a graph in layers, from top to bottom, in time about linear in its size.
//
//   1. Each node gets a layer below those of its operands, as near to its users as that leaves it.
//   2. Edges over several layers go through bends, one in each layer between, unless they are long.
//   3. Sweeps over the layers sort each by the mean place of what it is joined with.
//   4. Sweeps move nodes to the mean place of their neighbours, as far as those beside them let
//   them.
"use strict";

const Layout = (() => {
  const LAYER_GAP = 46;
  const NODE_GAP = 18;
  const BEND_WIDTH = 6;
  const LONGEST_BENT_EDGE = 12;  // layers
  const MOST_BENDS = 60000;

  class Layered {
    // `edges` has pairs (from, to), flat; sizes are arrays by node.
    constructor(count, edges, widths, heights) {
      this.count = count;
      this.edges = edges;
      this.width = Array.from(widths);
      this.height = Array.from(heights);
      this.rank = ranks(count, edges);
      this.makeLayers();
      this.sort();
      this.setX();
      this.setY();
    }

    // Items are nodes, then bends. Links lead from layer to layer.
    makeLayers() {
      this.bends = [];  // by edge: its bends from top to bottom; null: a long edge has none
      const links = [];
      const longest = longestBentEdge(this.edges, this.rank);
      for (let e = 0; e < this.edges.length; e += 2) {
        const [from, to] = [this.edges[e], this.edges[e + 1]];
        const span = this.rank[to] - this.rank[from];
        if (span > longest) {
          this.bends.push(null);
          continue;
        }
        const bends = [];
        let last = from;
        for (let layer = this.rank[from] + 1; layer < this.rank[to]; ++layer) {
          const bend = this.width.length;
          this.width.push(BEND_WIDTH);
          this.height.push(0);
          this.rank.push(layer);
          bends.push(bend);
          links.push(last, bend);
          last = bend;
        }
        links.push(last, to);
        this.bends.push(bends);
      }
      this.above = lists(this.width.length, links, 1);
      this.below = lists(this.width.length, links, 0);
      this.layers = [];
      for (const item of startOrder(this.width.length, this.above)) {
        (this.layers[this.rank[item]] ??= []).push(item);
      }
      for (let i = 0; i < this.layers.length; ++i) this.layers[i] ??= [];
    }

    sort() {
      const items = this.width.length;
      const place = new Float64Array(items);
      const key = new Float64Array(items);
      const number = (layer) => layer.forEach((item, i) => (place[item] = i - layer.length / 2));
      this.layers.forEach(number);
      const sweeps = items > 20000 ? 4 : 8;
      for (let sweep = 0; sweep < sweeps; ++sweep) {
        const down = sweep % 2 === 0;
        const joined = down ? this.above : this.below;
        for (let i = 0; i < this.layers.length; ++i) {
          const layer = this.layers[down ? i : this.layers.length - 1 - i];
          for (const item of layer) key[item] = mean(joined, item, place, place[item]);
          layer.sort((a, b) => key[a] - key[b] || place[a] - place[b]);
          number(layer);
        }
      }
    }

    setX() {
      this.x = new Float64Array(this.width.length);
      for (const layer of this.layers) this.spread(layer, () => 0);
      const sweeps = this.width.length > 20000 ? 4 : 8;
      for (let sweep = 0; sweep <= sweeps; ++sweep) {
        const down = sweep % 2 === 0;
        const joined = down ? this.above : this.below;
        for (let i = 0; i < this.layers.length; ++i) {
          const layer = this.layers[down ? i : this.layers.length - 1 - i];
          this.spread(layer, (item) => mean(joined, item, this.x, this.x[item]));
        }
      }
    }

    // Gives the items of a layer places in their order that are, in the least squares, nearest to
    // those that are wanted: neighbours that are too near to each other become blocks, which move
    // to the mean of what their items want.
    spread(layer, wanted) {
      const starts = [];
      const sums = [];
      const weights = [];
      const offsets = new Float64Array(layer.length);
      layer.forEach((item, i) => {
        if (i > 0)
          offsets[i] =
              offsets[i - 1] + (this.width[layer[i - 1]] + this.width[item]) / 2 + NODE_GAP;
        const weight = item < this.count ? 1 : 3;
        let block = {start: i, sum: weight * (wanted(item) - offsets[i]), weight};
        while (starts.length > 0 && sums.at(-1) / weights.at(-1) > block.sum / block.weight) {
          block = {
            start: starts.pop(),
            sum: sums.pop() + block.sum,
            weight: weights.pop() + block.weight
          };
        }
        starts.push(block.start);
        sums.push(block.sum);
        weights.push(block.weight);
      });
      starts.forEach((start, b) => {
        const end = starts[b + 1] ?? layer.length;
        for (let i = start; i < end; ++i) this.x[layer[i]] = sums[b] / weights[b] + offsets[i];
      });
    }

    setY() {
      this.y = new Float64Array(this.width.length);
      this.bottom = new Float64Array(this.width.length);  // of the layer of an item
      let y = 0;
      for (const layer of this.layers) {
        let height = 0;
        for (const item of layer) height = Math.max(height, this.height[item]);
        for (const item of layer) {
          this.y[item] = y;
          this.bottom[item] = y + height;
        }
        y += height + LAYER_GAP;
      }
      // How far the bends of each edge reach.
      this.bendLeft = new Float64Array(this.bends.length).fill(Infinity);
      this.bendRight = new Float64Array(this.bends.length).fill(-Infinity);
      this.bends.forEach((bends, e) => {
        for (const bend of bends ?? []) {
          if (this.x[bend] < this.bendLeft[e]) this.bendLeft[e] = this.x[bend];
          if (this.x[bend] > this.bendRight[e]) this.bendRight[e] = this.x[bend];
        }
      });
      let [left, right] = [Infinity, -Infinity];
      for (let i = 0; i < this.count; ++i) {
        left = Math.min(left, this.x[i] - this.width[i] / 2);
        right = Math.max(right, this.x[i] + this.width[i] / 2);
      }
      this.left = this.count === 0 ? 0 : left;
      this.totalWidth = this.count === 0 ? 0 : right - left;
      this.totalHeight = Math.max(0, y - LAYER_GAP);
    }

    // Another size for a node: its layer makes room, others stay where they are.
    resize(node, width, height) {
      this.width[node] = width;
      this.height[node] = height;
      this.spread(this.layers[this.rank[node]], (item) => this.x[item]);
      this.setY();
    }
  }

  // How many layers an edge may lead over to have bends, so that there are not too many of them.
  function longestBentEdge(edges, rank) {
    const counts = new Array(LONGEST_BENT_EDGE + 1).fill(0);
    for (let e = 0; e < edges.length; e += 2) {
      const span = rank[edges[e + 1]] - rank[edges[e]];
      if (span <= LONGEST_BENT_EDGE) ++counts[span];
    }
    let bends = 0;
    for (let span = 2; span <= LONGEST_BENT_EDGE; ++span) {
      bends += counts[span] * (span - 1);
      if (bends > MOST_BENDS) return span - 1;
    }
    return LONGEST_BENT_EDGE;
  }

  // The neighbours of each node as a list in one array: side 0 those that it leads to, 1 those that
  // lead to it.
  function lists(count, pairs, side) {
    const start = new Int32Array(count + 1);
    for (let e = 0; e < pairs.length; e += 2) ++start[pairs[e + side] + 1];
    for (let i = 0; i < count; ++i) start[i + 1] += start[i];
    const next = start.slice(0, count);
    const items = new Int32Array(pairs.length / 2);
    for (let e = 0; e < pairs.length; e += 2) items[next[pairs[e + side]]++] = pairs[e + 1 - side];
    return {start, items};
  }

  // The mean of `values` over what an item is joined with; `otherwise` where there is nothing.
  function mean(joined, item, values, otherwise) {
    const [begin, end] = [joined.start[item], joined.start[item + 1]];
    if (begin === end) return otherwise;
    let sum = 0;
    for (let i = begin; i < end; ++i) sum += values[joined.items[i]];
    return sum / (end - begin);
  }

  function ranks(count, edges) {
    const above = lists(count, edges, 1);
    const below = lists(count, edges, 0);
    const missing = Int32Array.from({length: count}, (_, i) => above.start[i + 1] - above.start[i]);
    const order = [];
    for (let i = 0; i < count; ++i)
      if (missing[i] === 0) order.push(i);
    const rank = new Array(count).fill(0);
    for (let k = 0; k < order.length; ++k) {
      const node = order[k];
      for (let i = below.start[node]; i < below.start[node + 1]; ++i) {
        const user = below.items[i];
        rank[user] = Math.max(rank[user], rank[node] + 1);
        if (--missing[user] === 0) order.push(user);
      }
    }
    // Down towards the users where that makes edges shorter, all together.
    for (let k = order.length - 1; k >= 0; --k) {
      const node = order[k];
      const users = below.start[node + 1] - below.start[node];
      const operands = above.start[node + 1] - above.start[node];
      if (users === 0 || operands > users) continue;
      let lowest = Infinity;
      for (let i = below.start[node]; i < below.start[node + 1]; ++i)
        lowest = Math.min(lowest, rank[below.items[i]] - 1);
      rank[node] = Math.max(rank[node], lowest);
    }
    const used = [...new Set(rank)].sort((a, b) => a - b);
    const compact = new Map(used.map((layer, i) => [layer, i]));
    return rank.map((layer) => compact.get(layer));
  }

  // Operands before users, from the last node back: what belongs together stands together.
  function startOrder(count, above) {
    const order = [];
    const state = new Uint8Array(count);
    const next = above.start.slice(0, count);
    for (let root = count - 1; root >= 0; --root) {
      if (state[root] !== 0) continue;
      const pending = [root];
      state[root] = 1;
      while (pending.length > 0) {
        const item = pending.at(-1);
        if (next[item] < above.start[item + 1]) {
          const operand = above.items[next[item]++];
          if (state[operand] === 0) {
            state[operand] = 1;
            pending.push(operand);
          }
        } else {
          order.push(item);
          pending.pop();
        }
      }
    }
    return order;
  }

  return {Layered};
})();
