// The elements that a map leads to from a box of elements: as a product of factors, each about
// dimensions of the result that depend on variables of their own. So a row and a column of a matrix
// product are two ranges, however many elements are in them.
"use strict";

const ElementSet = (() => {
  // Points that one factor is enumerated from; there may be more, then the set is a part.
  const BUDGET = 200000;

  // A factor of one dimension: lo, lo + step, …, hi.
  class Range {
    constructor(dimension, lo, hi, step) {
      Object.assign(this, {dimensions: [dimension], lo, hi, step});
    }
    get count() { return (this.hi - this.lo) / this.step + 1; }
    bounds() { return [[this.lo, this.hi]]; }
    has(index) {
      const value = index[this.dimensions[0]];
      return value >= this.lo && value <= this.hi && (value - this.lo) % this.step === 0;
    }
    // Calls visit(value) for the first value in each of the blocks of `block` values that start at
    // `from`, up to `to`.
    forEach(visit, from, to, block) {
      const first = Math.max(0, Math.ceil((from - this.lo) / this.step));
      const last = Math.min(this.count - 1, Math.floor((to - 1 - this.lo) / this.step));
      const stride = Math.max(1, Math.floor(block / this.step));
      for (let k = first; k <= last; k += stride) visit([this.lo + k * this.step]);
      if (first <= last) visit([this.lo + last * this.step]);
    }
  }

  // A factor of any dimensions: its elements, as positions in the array of those dimensions.
  class Listed {
    constructor(dimensions, sizes, positions) {
      Object.assign(this, {dimensions, sizes, positions});
    }
    get count() { return this.positions.length; }
    // The values of the dimensions at a position.
    values(position) {
      const values = [];
      for (let i = this.sizes.length - 1; i >= 0; --i) {
        values[i] = position % this.sizes[i];
        position = (position - values[i]) / this.sizes[i];
      }
      return values;
    }
    bounds() {
      const bounds = this.dimensions.map(() => [Infinity, -Infinity]);
      for (const position of this.positions) {
        this.values(position).forEach((value, i) => {
          bounds[i][0] = Math.min(bounds[i][0], value);
          bounds[i][1] = Math.max(bounds[i][1], value);
        });
      }
      return bounds;
    }
    has(index) {
      let position = 0;
      this.dimensions.forEach(
          (dimension, i) => (position = position * this.sizes[i] + index[dimension]));
      let [lo, hi] = [0, this.positions.length];
      while (lo < hi) {
        const middle = (lo + hi) >> 1;
        if (this.positions[middle] < position)
          lo = middle + 1;
        else
          hi = middle;
      }
      return this.positions[lo] === position;
    }
    forEach(visit) {
      for (const position of this.positions) visit(this.values(position));
    }
  }

  function unique(positions) {
    const sorted = Float64Array.from(positions).sort();
    return sorted.filter((position, i) => i === 0 || position !== sorted[i - 1]);
  }

  // The variables that have more than one value in the box, with their values; `fixed` gets the
  // values of the others.
  function split(map, box, runtimes) {
    const free = new Map();
    const fixed = {d: [], s: [], r: runtimes};
    let isEmpty = false;
    const add = (kind, index, lo, hi, step) => {
      fixed[kind][index] = lo;
      if (lo === null || hi === null || Expr.isBig(lo) || Expr.isBig(hi)) throw new Expr.Beyond();
      if (hi < lo) isEmpty = true;
      if (hi >= lo + step) free.set(kind + index, {kind, index, lo, hi, step});
    };
    map.d.forEach(([, lo, hi], i) => {
      const [from, to, step] = box[i];
      const first = lo > from ? from + Math.ceil((lo - from) / step) * step : from;
      add("d", i, first, Math.min(hi, to), step);
    });
    map.s.forEach(([, lo, hi], i) => add("s", i, lo, hi, 1));
    return {free, fixed, isEmpty};
  }

  // Groups the free variables that results or constraints join, each with its results and
  // constraints.
  function components(map, free) {
    const variables = Expr.variablesOf(map);
    const freeIn = (place) => [...variables[place]].filter((name) => free.has(name));
    const group = new Map();
    for (const name of free.keys())
      group.set(name, {variables: [name], results: [], constraints: []});
    const join = (names) => {
      const into = group.get(names[0]);
      for (const name of names) {
        const other = group.get(name);
        if (other === into) continue;
        into.variables.push(...other.variables);
        into.results.push(...other.results);
        into.constraints.push(...other.constraints);
        for (const moved of other.variables) group.set(moved, into);
      }
      return into;
    };
    const constant = {variables: [], results: [], constraints: []};
    map.e.forEach((place, dimension) => {
      const names = freeIn(place);
      (names.length === 0 ? constant : join(names)).results.push(dimension);
    });
    for (const constraint of map.c) {
      const names = freeIn(constraint[0]);
      (names.length === 0 ? constant : join(names)).constraints.push(constraint);
    }
    return {
      constant,
      groups:
          [...new Set(group.values())].filter((g) => g.results.length + g.constraints.length > 0)
    };
  }

  // constant + coefficient * variable as a range, where that is all that a component is.
  function asRange(map, component, free, fixed) {
    if (component.variables.length !== 1 || component.results.length !== 1 ||
        component.constraints.length > 0)
      return null;
    const variable = free.get(component.variables[0]);
    const place = map.e[component.results[0]];
    const node = map.n[place];
    const isLinear = typeof node === "string" || (node[0] === "+" && isPlain(map, node));
    if (!isLinear) return null;
    const program = new Expr.Program(map, [place]);
    const at = (value) => {
      fixed[variable.kind][variable.index] = value;
      return program.run(fixed)[place];
    };
    const steps = Math.floor((variable.hi - variable.lo) / variable.step);
    const last = at(variable.lo + steps * variable.step);
    const first = at(variable.lo);
    return new Range(
        component.results[0], Math.min(first, last), Math.max(first, last),
        Math.abs(last - first) / steps);
  }
  // Whether a sum is of variables only.
  const isPlain = (map, node) =>
      Expr.operandsOf(node).every((place) => typeof map.n[place] === "string");

  // Enumerates a component; also says whether the budget ended it.
  function listed(map, component, free, fixed, sizes) {
    const variables = component.variables.map((name) => free.get(name))
                          .sort(
                              (a, b) =>
                                  (a.kind === b.kind   ? a.index - b.index :
                                       a.kind < b.kind ? -1 :
                                                         1));
    const dimensions = component.results.sort((a, b) => a - b);
    const roots = dimensions.map((dimension) => map.e[dimension]);
    const program =
        new Expr.Program(map, [...roots, ...component.constraints.map(([place]) => place)]);
    const own = dimensions.map((dimension) => sizes[dimension]);
    const positions = [];
    let steps = 0;
    const set = (variable, value) => (fixed[variable.kind][variable.index] = value);
    for (const variable of variables) set(variable, variable.lo);
    let isPart = false;
    let isDone = false;
    while (!isDone) {
      if (++steps > BUDGET) {
        isPart = true;
        break;
      }
      const values = program.run(fixed);
      if (component.constraints.every(([place, lo, hi]) => Expr.within(values[place], lo, hi))) {
        let position = 0;
        for (let i = 0; i < roots.length; ++i) {
          const value = values[roots[i]];
          if (!(value >= 0 && value < own[i])) position = NaN;
          position = position * own[i] + value;
        }
        if (position === position) positions.push(position);
        if (roots.length === 0) break;
      }
      let i = variables.length - 1;
      for (; i >= 0; --i) {
        const next = fixed[variables[i].kind][variables[i].index] + variables[i].step;
        if (next <= variables[i].hi) {
          set(variables[i], next);
          break;
        }
        set(variables[i], variables[i].lo);
      }
      isDone = i < 0;
    }
    for (const variable of variables) set(variable, variable.lo);
    return {factor: new Listed(dimensions, own, unique(positions)), isPart};
  }

  class Product {
    constructor(factors, isPart, isEmpty) {
      Object.assign(
          this,
          {factors, isPart, isEmpty: isEmpty || factors.some((factor) => factor.count === 0)});
    }
    get count() {
      return this.isEmpty ? 0 : this.factors.reduce((product, factor) => product * factor.count, 1);
    }
    has(index) { return !this.isEmpty && this.factors.every((factor) => factor.has(index)); }
    // [lo, hi] for each dimension, null for the empty set.
    bounds(rank) {
      if (this.isEmpty) return null;
      const bounds = Array.from({length: rank}, () => [0, 0]);
      for (const factor of this.factors) {
        const own = factor.bounds();
        factor.dimensions.forEach((dimension, i) => (bounds[dimension] = own[i]));
      }
      return bounds;
    }
  }

  // From the elements of `box`, [lo, hi, step] for each dimension of the map, with these values of
  // the runtime variables, to those of an array with these sizes.
  function of (map, box, runtimes, sizes) {
    const {free, fixed, isEmpty} = split(map, box, runtimes);
    if (isEmpty) return new Product([], false, true);
    const {constant, groups} = components(map, free);
    const program = new Expr.Program(map, [
      ...constant.results.map((i) => map.e[i]), ...constant.constraints.map(([place]) => place)
    ]);
    const values = program.run(fixed).slice();
    if (!constant.constraints.every(([place, lo, hi]) => Expr.within(values[place], lo, hi)))
      return new Product([], false, true);
    const factors = [];
    for (const dimension of constant.results) {
      const value = values[map.e[dimension]];
      if (!(value >= 0 && value < sizes[dimension])) return new Product([], false, true);
      factors.push(new Range(dimension, value, value, 1));
    }
    let isPart = false;
    for (const component of groups) {
      const range = asRange(map, component, free, fixed);
      if (range !== null) {
        factors.push(range);
        continue;
      }
      const result = listed(map, component, free, fixed, sizes);
      isPart ||= result.isPart;
      factors.push(result.factor);
    }
    return new Product(factors, isPart, false);
  }

  // How many elements are in any of the products, as [least, most].
  function countUnion(products, sizes) {
    if (products.length === 0) return [0, 0];
    if (products.length === 1) return [products[0].count, products[0].count];
    const sum = products.reduce((total, product) => total + product.count, 0);
    const most = Math.max(...products.map((product) => product.count));
    if (sum > BUDGET) return [most, sum];
    const seen = new Set();
    for (const product of products)
      forEachElement(product, sizes, (index) => seen.add(index.join()));
    return [seen.size, seen.size];
  }

  // Calls visit(index) for each element of a product; the array is the same each time.
  function forEachElement(product, sizes, visit) {
    if (product.isEmpty) return;
    const index = sizes.map(() => 0);
    const walk = (i) => {
      if (i === product.factors.length) return visit(index);
      const factor = product.factors[i];
      const set = (values) => {
        factor.dimensions.forEach((dimension, k) => (index[dimension] = values[k]));
        walk(i + 1);
      };
      if (factor instanceof Range)
        for (let value = factor.lo; value <= factor.hi; value += factor.step) set([value]);
      else
        factor.forEach(set);
    };
    walk(0);
  }

  return {BUDGET, of, countUnion, forEachElement};
})();
