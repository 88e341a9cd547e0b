// What a warp of a kernel accesses at once: bytes of memory, by thread.
"use strict";

const Warp = (() => {
  const LANES = Data.module.warp_size;
  const SECTOR = Data.module.sector_bytes;

  // The ranges of `maps` that a thread runs over one after the other, not at once.
  function steps(maps) {
    const found = new Map();
    for (const map of maps) {
      for (const [name, lo, hi] of map.s) {
        if (name === "element") continue;
        const known = found.get(name);
        found.set(name, known ? [Math.min(known[0], lo), Math.max(known[1], hi)] : [lo, hi]);
      }
    }
    return found;
  }

  // The thread (x, y, z) of a number, with x innermost.
  function along([x, y], number) {
    return [number % x, Math.floor(number / x) % y, Math.floor(number / (x * y))];
  }

  // `maps` lead to positions in elements of `bits`; `at` has `block` and `warp`, as numbers, and by
  // name the values of the steps. By lane the positions in memory, in bits, sorted.
  function lanes(maps, kernel, bits, at) {
    const result = [];
    for (let lane = 0; lane < LANES; ++lane) {
      const thread = at.warp * LANES + lane;
      const positions = new Set();
      if (thread < kernel.threads[0] * kernel.threads[1] * kernel.threads[2]) {
        const place = [...along(kernel.threads, thread), ...along(kernel.blocks, at.block)];
        for (const map of maps) addPositions(map, place, at, positions);
      }
      result.push([...positions].sort((a, b) => a - b).map((position) => position * bits));
    }
    return result;
  }
  function addPositions(map, place, at, positions) {
    if (!map.d.every(([, lo, hi], i) => Expr.within(place[i], lo, hi))) return;
    const point = {d: place, s: [], r: map.r.map(([, lo, hi]) => Expr.nearestToZero(lo, hi))};
    const program = new Expr.Program(map, [...map.e, ...map.c.map(([node]) => node)]);
    const elements = map.s.findIndex(([name]) => name === "element");
    for (let i = 0; i < map.s.length; ++i) {
      const [name, lo, hi] = map.s[i];
      point.s[i] = Math.max(lo, Math.min(hi, at.steps?.get(name) ?? lo));
      if (name !== "element" && at.steps?.has(name) && !Expr.within(at.steps.get(name), lo, hi))
        return;
    }
    const [first, last] = elements < 0 ? [0, 0] : map.s[elements].slice(1);
    for (let value = first; value <= last; ++value) {
      if (elements >= 0) point.s[elements] = value;
      const values = program.run(point);
      if (map.c.every(([node, lo, hi]) => Expr.within(values[node], lo, hi)))
        positions.add(values[map.e[0]]);
    }
  }

  // The sectors that are touched, by number, each with the bytes in it that are used.
  function sectors(byLane, bits) {
    const found = new Map();
    byLane.forEach((positions, lane) => {
      for (const position of positions) {
        const first = Math.floor(position / 8);
        const last = Math.floor((position + bits - 1) / 8);
        for (let byte = first; byte <= last; ++byte) {
          const number = Math.floor(byte / SECTOR);
          if (!found.has(number)) found.set(number, {number, bytes: new Set(), lanes: new Set()});
          found.get(number).bytes.add(byte - number * SECTOR);
          found.get(number).lanes.add(lane);
        }
      }
    });
    return [...found.values()].sort((a, b) => a.number - b.number);
  }

  // In words, what a warp does: how many sectors it touches, how many would do, and how far
  // neighbouring threads are apart.
  function summary(byLane, bits) {
    const touched = sectors(byLane, bits);
    const useful = touched.reduce((sum, sector) => sum + sector.bytes.size, 0);
    const ideal = Math.ceil(useful / SECTOR);
    const gaps = new Set();
    let last = null;
    for (const positions of byLane) {
      if (positions.length === 0) continue;
      if (last !== null) gaps.add((positions[0] - last) / 8);
      last = positions[0];
    }
    const stride = gaps.size === 1 ? [...gaps][0] : null;
    let why = "";
    if (gaps.size === 0)
      why = "only one thread of the warp accesses something";
    else if (stride === 0)
      why = "all threads access the same element";
    else if (stride !== null)
      why = `neighbouring threads access ${plural(Math.abs(stride), "byte")} apart`;
    else
      why = `neighbouring threads are unevenly apart: ${
              [...gaps].slice(0, 3).map(formatCount).join(", ")}${
          gaps.size > 3 ? ", …" : ""} bytes`;
    // Less than twice as many as would do; one more is what an unaligned start costs.
    const isCoalesced = touched.length < 2 * ideal || touched.length <= ideal + 1;
    return {touched, useful, ideal, why, isCoalesced};
  }

  return {LANES, SECTOR, steps, lanes, sectors, summary};
})();
