// Evaluates the programs of maps (tools/report_maps.h). Numbers are doubles, which are exact up to
// 2^53; what goes beyond is refused, by an Expr.Beyond.
"use strict";

const Expr = (() => {
  class Beyond extends Error {
    constructor() { super("a number beyond 2^53"); }
  }

  function exact(value) {
    if (value > Number.MAX_SAFE_INTEGER || value < -Number.MAX_SAFE_INTEGER) throw new Beyond();
    return value;
  }

  // In [0, b - 1] for b > 0. The remainder of doubles is exact; that of a zero divisor is NaN: such
  // a point lies outside the domain, as any comparison with NaN is false.
  function floorMod(a, b) {
    const remainder = a % b;
    return remainder !== 0 && remainder < 0 !== b < 0 ? remainder + b : remainder;
  }
  function floorDiv(a, b) { return exact(a - floorMod(a, b)) / b; }

  const OPERATIONS = {
    "+": (values, node) => {
      let sum = node[1];
      for (let i = 2; i < node.length; i += 2)
        sum = exact(sum + exact(node[i] * values[node[i + 1]]));
      return sum;
    },
    "*": (values, node) => {
      let product = 1;
      for (let i = 1; i < node.length; ++i) product = exact(product * values[node[i]]);
      return product;
    },
    "/": (values, node) => floorDiv(values[node[1]], values[node[2]]),
    "%": (values, node) => floorMod(values[node[1]], values[node[2]]),
    min: (values, node) => {
      let least = Infinity;
      for (let i = 1; i < node.length; ++i) least = Math.min(least, values[node[i]]);
      return least;
    },
    max: (values, node) => {
      let greatest = -Infinity;
      for (let i = 1; i < node.length; ++i) greatest = Math.max(greatest, values[node[i]]);
      return greatest;
    },
  };

  // Numbers that JSON has as text are those beyond 2^53.
  const isBig = (value) => typeof value === "string" && !/^[dsr]/.test(value);

  // The nodes of `map` that the nodes `roots` are made of, ready to be evaluated in order.
  class Program {
    constructor(map, roots) {
      this.roots = roots;
      const needed = new Set(roots);
      for (let i = map.n.length - 1; i >= 0; --i) {
        if (needed.has(i))
          for (const operand of operandsOf(map.n[i])) needed.add(operand);
      }
      this.values = new Float64Array(map.n.length);
      this.variables = [];
      this.steps = [];
      for (const place of [...needed].sort((a, b) => a - b)) {
        const node = map.n[place];
        if (isBig(node) || (Array.isArray(node) && node.slice(1).some(isBig))) throw new Beyond();
        if (typeof node === "number")
          this.values[place] = node;
        else if (typeof node === "string")
          this.variables.push([place, node[0], Number(node.slice(1))]);
        else
          this.steps.push([OPERATIONS[node[0]], node, place]);
      }
    }
    // `point` has the values of the variables as d, s and r. The values of the nodes by place.
    run(point) {
      const values = this.values;
      for (const [place, kind, index] of this.variables) values[place] = point[kind][index];
      for (const [operation, node, place] of this.steps) values[place] = operation(values, node);
      return values;
    }
  }

  // The places of the operands of a node.
  function operandsOf(node) {
    if (!Array.isArray(node)) return [];
    return node[0] === "+" ? node.filter((_, i) => i > 1 && i % 2 === 1) : node.slice(1);
  }

  // For each node the variables in it, as sets of names.
  function variablesOf(map) {
    const sets = [];
    map.n.forEach((node, place) => {
      const set = new Set();
      if (typeof node === "string" && !isBig(node)) set.add(node);
      for (const operand of operandsOf(node))
        for (const name of sets[operand]) set.add(name);
      sets[place] = set;
    });
    return sets;
  }

  // Whether a value lies in [lo, hi], where null is no bound.
  const within = (value, lo, hi) => (lo === null || value >= lo) && (hi === null || value <= hi);

  // The value in [lo, hi] to begin with; bounds may be null, or text where they are too large.
  function nearestToZero(lo, hi) {
    if (typeof lo === "number" && lo > 0) return lo;
    return typeof hi === "number" && hi < 0 ? hi : 0;
  }

  return {
    Beyond,
    Program,
    operandsOf,
    variablesOf,
    floorMod,
    floorDiv,
    within,
    isBig,
    nearestToZero
  };
})();
