// Elements and tiles as people write them: "3, 0:8" is row 3, columns 0 to 7.
"use strict";

const ElementText = (() => {
  function toText(box) {
    return box
        .map(([lo, hi,
               step]) => (lo === hi ? `${lo}` : `${lo}:${hi + 1}${step === 1 ? "" : `:${step}`}`))
        .join(", ");
  }

  // The box, or an error as text.
  function parse(text, sizes) {
    const parts = text.trim() === "" ? [] : text.replace(/^\s*\[|\]\s*$/g, "").split(",");
    if (parts.length !== sizes.length)
      return `${plural(sizes.length, "index").replace("indexs", "indices")} needed`;
    const box = [];
    for (let i = 0; i < parts.length; ++i) {
      const match = /^\s*(\d+)?\s*(:)?\s*(\d+)?\s*(?::\s*(\d+))?\s*$/.exec(parts[i]);
      if (!match || (match[1] === undefined && match[2] === undefined))
        return `'${parts[i].trim()}' is neither 3 nor 0:8`;
      const lo = Number(match[1] ?? 0);
      const end = match[2] === undefined ? lo + 1 : Number(match[3] ?? sizes[i]);
      const step = Number(match[4] ?? 1);
      if (end > sizes[i] || lo >= end || step < 1)
        return `dimension ${i} has the indices 0 to ${sizes[i] - 1}`;
      box.push([lo, lo + Math.floor((end - 1 - lo) / step) * step, step]);
    }
    return box;
  }

  return {toText, parse};
})();
