// What the page is about: the structure of the module, read at once, and lines of JSON about single
// instructions and maps, each read when it is needed.
"use strict";

const Data = (() => {
  const text = (id) => document.getElementById(id).textContent;

  // Lines of JSON, of which only those are parsed that are asked for.
  class Lines {
    constructor(id) {
      this.text = text(id);
      this.ends = [];
      for (let end = this.text.indexOf("\n"); end >= 0; end = this.text.indexOf("\n", end + 1)) {
        this.ends.push(end);
      }
      this.parsed = new Map();
    }
    get(i) {
      if (!this.parsed.has(i)) {
        const begin = i === 0 ? 0 : this.ends[i - 1] + 1;
        this.parsed.set(i, JSON.parse(this.text.slice(begin, this.ends[i])));
      }
      return this.parsed.get(i);
    }
  }

  const module = JSON.parse(text("data-module"));
  const cost = JSON.parse(text("data-cost"));
  const details = new Lines("data-details");
  const maps = new Lines("data-maps");
  const count = module.name.length;

  const computations =
      module.computations.map(([name, first, size, root], id) => ({id, name, first, size, root}));
  const computationOf = new Int32Array(count);
  for (const computation of computations) {
    computationOf.fill(computation.id, computation.first, computation.first + computation.size);
  }

  // Who uses each instruction, each user once.
  const users = Array.from({length: count}, () => []);
  module.operands.forEach((operands, user) => {
    for (const operand of new Set(operands)) users[operand].push(user);
  });

  // Which instructions call each computation.
  const callers = computations.map(() => []);
  for (const [caller, called] of Object.entries(module.calls)) {
    for (const computation of called) callers[computation].push(Number(caller));
  }

  // Instructions by what identifies them in the costs.
  const costKey = (computation, name) => computation + "\n" + name;
  const ids = new Map();
  for (let i = 0; i < count; ++i)
    ids.set(costKey(computations[computationOf[i]].name, module.name[i]), i);

  return {
    module,
    cost,
    count,
    computations,
    computationOf,
    callers,
    name: (i) => module.name[i],
    opcode: (i) => module.opcodes[module.opcode[i]],
    shape: (i) => module.shapes[module.shape[i]],
    operands: (i) => module.operands[i],
    users: (i) => users[i],
    calls: (i) => module.calls[i] ?? [],
    details: (i) => details.get(i),
    map: (i) => maps.get(i),
    idOfCost: (entry) => ids.get(costKey(entry.computation, entry.name)),
  };
})();
