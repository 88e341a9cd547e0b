// Finds instructions by words in their names, opcodes and shapes.
"use strict";

const Search = (() => {
  const MOST = 50;

  // The best matches first: a name that is the text, then names that start with it, then others.
  function find(text) {
    const words = text.toLowerCase().split(/\s+/).filter((word) => word !== "");
    if (words.length === 0) return {total: 0, ids: []};
    const groups = [[], [], []];
    for (let i = 0; i < Data.count; ++i) {
      const name = Data.name(i).toLowerCase();
      const whole = `${name} ${Data.opcode(i)} ${Data.shape(i).text}`;
      if (!words.every((word) => whole.includes(word))) continue;
      groups[name === words[0] ? 0 : name.startsWith(words[0]) ? 1 : 2].push(i);
    }
    const ids = groups.flat();
    return {total: ids.length, ids: ids.slice(0, MOST)};
  }

  function start(input, list, onselect) {
    let ids = [];
    let chosen = 0;
    const close = () => {
      list.hidden = true;
      input.setAttribute("aria-expanded", "false");
    };
    const mark = () => {
      [...list.querySelectorAll("[role=option]")].forEach(
          (option, i) => option.setAttribute("aria-selected", String(i === chosen)));
      list.querySelector("[aria-selected=true]")?.scrollIntoView({block: "nearest"});
      input.setAttribute("aria-activedescendant", ids.length === 0 ? "" : `found-${chosen}`);
    };
    const take = (i) => {
      close();
      onselect(ids[i], null);
    };
    const update = () => {
      const found = find(input.value);
      ids = found.ids;
      chosen = 0;
      list.replaceChildren(
          ...ids.map(
              (id, i) => element(
                  "div", {
                    role: "option",
                    id: `found-${i}`,
                    onpointerdown: (event) => (event.preventDefault(), take(i))
                  },
                  element("b", {}, Data.name(id)), element("span", {}, ` ${Scene.subtitle(id)}`),
                  element(
                      "span", {class: "where"}, Data.computations[Data.computationOf[id]].name)),
              ),
      );
      if (found.total > ids.length)
        list.append(element(
            "div", {class: "muted"},
            `${formatCount(found.total)} found; the first ${MOST} are listed`));
      if (found.total === 0 && input.value.trim() !== "")
        list.append(element("div", {class: "muted"}, "nothing found"));
      list.hidden = input.value.trim() === "";
      input.setAttribute("aria-expanded", String(!list.hidden));
      mark();
    };
    input.addEventListener("input", update);
    input.addEventListener("focus", () => input.value.trim() !== "" && update());
    input.addEventListener("blur", close);
    input.addEventListener("keydown", (event) => {
      const step = {ArrowDown: 1, ArrowUp: -1}[event.key];
      if (step && ids.length > 0) {
        chosen = (chosen + step + ids.length) % ids.length;
        mark();
      } else if (event.key === "Enter" && ids.length > 0) {
        take(chosen);
        input.blur();
        document.getElementById("graph").focus();
      } else if (event.key === "Escape") {
        input.value = "";
        close();
        input.blur();
      } else
        return;
      event.preventDefault();
    });
  }

  return {find, start};
})();
