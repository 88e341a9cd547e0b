// What instructions cost, and in words what is wrong with what they access.
"use strict";

const Costs = (() => {
  // Of a number that is only bounded, [least, most], the most.
  const upper = (value) => (Array.isArray(value) ? value[1] : (value ?? 0));
  // The time of all runs, in microseconds.
  const total = (entry) => upper(entry.time_us) * (entry.times ?? 1);
  // Those that take time.
  const entries = Data.cost.instructions.filter((entry) => total(entry) > 0);
  const most = entries.reduce((time, entry) => Math.max(time, total(entry)), 0);

  const accesses = (entry) => [...entry.operands, ...entry.outputs];
  // Whether it is only bounded how an access is spread: then it may be coalesced after all.
  const isUncertain = (access) => Array.isArray(access.sectors_per_warp);
  const isUnknown = (access) => access.sectors_per_warp === undefined;
  const isSuspect = (access) => access.coalesced === false;
  const isBad = (access) => isSuspect(access) && !isUncertain(access);
  // Those that are not coalesced come before those that may not be.
  const suspects = (entry) =>
      [...accesses(entry).filter(isBad),
       ...accesses(entry).filter((access) => isSuspect(access) && isUncertain(access))];
  // How many times as many sectors it touches as would do.
  const excess = (access) =>
      upper(access.sectors_per_warp) / (upper(access.ideal_sectors_per_warp) || Infinity);
  const severity = (access) =>
      (isUncertain(access) ? 1e-9 : 1) * (1 - 1 / Math.max(1, excess(access)));
  // The access that is not coalesced and touches the most sectors for what it needs, or null.
  const worst = (entry) => suspects(entry).reduce(
      (found, access) => (found === null || severity(access) > severity(found) ? access : found),
      null);
  // About how long the instruction takes for what the worst access moves in vain; next to nothing
  // if that is not certain.
  const lost = (entry) => {
    const access = worst(entry);
    return access === null ? 0 : total(entry) * severity(access);
  };

  const byId = new Map(entries.map((entry) => [Data.idOfCost(entry), entry]));
  const of = (id) => byId.get(id) ?? null;

  // How warm a node is, from 0 to 1, and whether something about it is not coalesced.
  const PLAIN = {warmth: 0, isBad: false};
  const looks = new Map();
  const badReads = new Set();
  for (const [id, entry] of byId) {
    looks.set(id, {warmth: total(entry) / most, isBad: accesses(entry).some(isBad)});
    for (const operand of entry.operands.filter(isBad)) badReads.add(`${id} ${operand.operand}`);
  }
  const look = (id) => looks.get(id) ?? PLAIN;
  const isBadRead = (id, operand) => badReads.has(`${id} ${operand}`);

  // The access to an array, of all those of an instruction; `leaf` is one of its shape.
  const ofOperand = (id, operand, leaf) => of(id)?.operands.find(
      (access) => access.operand === operand && String(access.leaf ?? []) === String(leaf.path));
  const ofOutput = (id, leaf) =>
      of(id)?.outputs.find((access) => String(access.output) === String(leaf.path));

  // ---- in words ----

  const leafText = (path) => (path === undefined || path.length === 0 ? "" : ` {${path.join()}}`);
  const shortName = (access) => access.operand === undefined ?
      `result${leafText(access.output)}` :
      `operand ${access.operand}${leafText(access.leaf)}`;
  const accessName = (access) => access.operand === undefined ?
      `the ${shortName(access)}` :
      `${shortName(access)} (${access.name})`;
  const sectorCount = (count) => {
    const text = formatCount(count);
    return `${text} sector${text === "1" ? "" : "s"}`;
  };
  const sectors = (access) => `${isUncertain(access) ? "up to " : ""}${
      formatCount(upper(access.sectors_per_warp))} sectors for ${
      formatCount(upper(access.ideal_sectors_per_warp))}`;

  // That an access is not coalesced, as [what, why that is slow].
  function explain(access) {
    const verb = access.operand === undefined ? "write" : "read";
    const warp = `a warp (${Data.module.warp_size} threads)`;
    const size = `of ${Data.module.sector_bytes} bytes at once`;
    const ideal = `where ${formatCount(upper(access.ideal_sectors_per_warp))} would do`;
    const count = formatCount(upper(access.sectors_per_warp));
    if (isUncertain(access)) {
      return [
        `${accessName(access)} may not be coalesced: `,
        `${access.why}; ${warp} may ${verb} up to ${count} sectors ${size} ${ideal}.`
      ];
    }
    return [
      `${accessName(access)} is not coalesced: `,
      `${access.why}; ${warp} ${verb}s ${count} sectors ${size} ${ideal}. ${
          formatPercent(access.useful_share)} of the bytes that memory moves are used.`
    ];
  }
  // How much of an operand is read, and how often, where that is worth a line.
  function reads(operand) {
    const [read, all] = [upper(operand.elements_read), upper(operand.reads)];
    const lines = [];
    if (operand.elements < 2 || read === 0) return lines;
    if (read < operand.elements)
      lines.push(`${formatPercent(read / operand.elements)} of ${accessName(operand)} is read`);
    if (all >= 2 * read) {
      const each = read < operand.elements ? "of these" : `of ${accessName(operand)}`;
      lines.push(`each element ${each} is read ${formatCount(Math.round(all / read))} times`);
    }
    return lines;
  }

  return {
    entries,
    most,
    upper,
    total,
    of,
    look,
    isBad,
    accesses,
    isUncertain,
    isUnknown,
    isBadRead,
    suspects,
    worst,
    lost,
    ofOperand,
    ofOutput,
    shortName,
    accessName,
    sectors,
    sectorCount,
    explain,
    reads,
  };
})();
