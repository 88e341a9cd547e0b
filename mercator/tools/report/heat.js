// How often an element of an operand is read: for how many elements of the result.
"use strict";

const Heat = (() => {
  // Whether what an element leads to is the same for all elements, but moved: then it is counted
  // once.
  const isUniform = (map) =>
      map.c.length === 0 && map.n.every((node) => !Array.isArray(node) || node[0] === "+");

  class Counter {
    // `maps` lead from the elements to those of an array with these sizes.
    constructor(maps, valuesOf, sizes) {
      Object.assign(this, {maps, valuesOf, sizes, isPart: false});
      this.uniform = maps.length === 1 && isUniform(maps[0]) ? null : undefined;
    }
    // The count, or the least that it can be where it is not known exactly.
    at(index) {
      const inside =
          this.maps.filter((map) => map.d.every(([, lo, hi], i) => Expr.within(index[i], lo, hi)));
      if (inside.length === 0) return 0;
      if (this.uniform !== undefined) {
        this.uniform ??= this.count(inside, index);
        return this.uniform;
      }
      return this.count(inside, index);
    }
    count(maps, index) {
      const box = index.map((value) => [value, value, 1]);
      const products = maps.map((map) => ElementSet.of(map, box, this.valuesOf(map), this.sizes));
      const [least, most] = ElementSet.countUnion(products, this.sizes);
      if (least !== most || products.some((product) => product.isPart)) this.isPart = true;
      return least;
    }
  }

  // A colour between those of a scale of perceptually even steps; `fraction` in [0, 1].
  const STOPS = [
    [68, 1, 84],
    [59, 82, 139],
    [33, 145, 140],
    [94, 201, 98],
    [253, 231, 37],
  ];
  function colour(fraction) {
    const place = Math.min(0.9999, Math.max(0, fraction)) * (STOPS.length - 1);
    const low = Math.floor(place);
    const mix = STOPS[low].map(
        (value, i) => Math.round(value + (STOPS[low + 1][i] - value) * (place - low)));
    return `rgb(${mix.join()})`;
  }

  return {Counter, colour};
})();
