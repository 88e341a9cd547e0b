// The table of costs, of which only the rows in sight are elements of the page.
"use strict";

const COST_COLUMNS = [
  {title: "instruction", value: (entry) => entry.name, text: (entry) => entry.name, isText: true},
  {title: "opcode", value: (entry) => entry.opcode, text: (entry) => entry.opcode, isText: true},
  {
    title: "time, µs",
    value: Costs.total,
    text: (entry) => formatCount(Costs.total(entry)),
    bar: (entry) => Costs.total(entry) / Costs.most
  },
  {title: "runs", value: (entry) => entry.times, text: (entry) => formatCount(entry.times)},
  {
    title: "flops",
    value: (entry) => Costs.upper(entry.flops),
    text: (entry) => formatUnits(entry.flops)
  },
  {
    title: "read",
    value: (entry) => Costs.upper(entry.bytes_read),
    text: (entry) => formatBytes(entry.bytes_read)
  },
  {
    title: "written",
    value: (entry) => Costs.upper(entry.bytes_written),
    text: (entry) => formatBytes(entry.bytes_written)
  },
  {
    title: "not coalesced",
    value: Costs.lost,
    text: (entry) => {
      const access = Costs.worst(entry);
      return access === null ? "" : `${Costs.shortName(access)}: ${Costs.sectors(access)}`;
    },
    isBad: true,
  },
  {
    title: "limited by",
    value: (entry) => entry.limited_by,
    text: (entry) => entry.limited_by,
    isText: true
  },
];

class CostTable {
  static ROW = 26;  // pixels

  constructor(container, onselect) {
    Object.assign(this, {container, onselect, rows: Costs.entries.slice(), selected: null});
    const {total} = Data.cost;
    this.body = element("div", {
      class: "rows",
      tabindex: "0",
      role: "grid",
      "aria-label": "costs",
      "aria-rowcount": this.rows.length
    });
    this.space = element("div", {class: "space"});
    this.body.append(this.space);
    this.heads = COST_COLUMNS.map(
        (column) => element(
            "button", {
              role: "columnheader",
              class: column.isText || column.isBad ? "" : "number",
              onclick: () =>
                  this.sortBy(column, column === this.column ? !this.isDescending : !column.isText)
            },
            column.title));
    container.append(
        element(
            "div",
            {class: "table-title"},
            element("b", {}, "Cost"),
            ` on ${Data.cost.device}, estimated: ${formatCount(total.time_us)} µs in all, ${
                formatBytes(total.bytes_read)} read, ${formatBytes(total.bytes_written)} written`,
            this.makeFinding(),
            element(
                "button", {
                  class: "fold",
                  "aria-expanded": "true",
                  onclick: (event) => this.fold(event.target)
                },
                "hide"),
            ),
        element("div", {class: "row heads", role: "row"}, ...this.heads),
        this.body,
    );
    this.draw = oncePerFrame(() => this.drawNow());
    this.body.addEventListener("scroll", this.draw);
    this.body.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(this.draw).observe(this.body);
    this.sortBy(COST_COLUMNS[2], true);
  }

  // How many accesses are not coalesced; leads to the one that costs most.
  makeFinding() {
    const suspects = this.rows.flatMap(Costs.suspects);
    const bad = suspects.filter(Costs.isBad).length;
    const possible = suspects.length - bad;
    if (suspects.length === 0) {
      const unknown = this.rows.flatMap(Costs.accesses).filter(Costs.isUnknown).length;
      return unknown === 0 ?
          element("span", {class: "good"}, "every access is coalesced") :
          element(
              "span", {},
              `every access that is known is coalesced; of ${
                  formatCount(unknown)}, such as those of libraries, nothing is known`);
    }
    const toWorst = () => {
      this.sortBy(COST_COLUMNS.find((column) => column.isBad), true);
      this.choose(this.rows[0]);
    };
    const count = bad > 0 ? bad : possible;
    const what = `${count === 1 ? "1 access" : `${formatCount(count)} accesses`} ${
        bad === 0     ? "may not be" :
            bad === 1 ? "is not" :
                        "are not"} coalesced`;
    const button = element(
        "button", {
          class: `finding-count ${bad === 0 ? "possible" : ""}`,
          title: "the threads of a warp access places far from each other",
          onclick: toWorst
        },
        `${what}: show ${count === 1 ? "it" : "the worst"}`);
    return element(
        "span", {}, button,
        bad > 0 && possible > 0 ?
            element("span", {class: "muted"}, ` ${formatCount(possible)} more may not be`) :
            null);
  }

  fold(button) {
    const isFolded = this.container.classList.toggle("folded");
    button.textContent = isFolded ? "show" : "hide";
    button.setAttribute("aria-expanded", String(!isFolded));
  }

  sortBy(column, isDescending) {
    Object.assign(this, {column, isDescending});
    const order = isDescending ? -1 : 1;
    const keys = new Map(this.rows.map((entry, i) => [entry, [column.value(entry), i]]));
    this.rows.sort((a, b) => {
      const [[x, i], [y, j]] = [keys.get(a), keys.get(b)];
      return x < y ? -order : x > y ? order : i - j;
    });
    this.heads.forEach((head, i) => {
      const isSorted = COST_COLUMNS[i] === column;
      head.setAttribute(
          "aria-sort", isSorted ? (isDescending ? "descending" : "ascending") : "none");
      head.dataset.arrow = isSorted ? (isDescending ? "▼" : "▲") : "";
    });
    this.body.scrollTop = 0;
    this.drawNow();
  }

  drawNow() {
    this.space.style.height = `${this.rows.length * CostTable.ROW}px`;
    const first = Math.max(0, Math.floor(this.body.scrollTop / CostTable.ROW) - 4);
    const last = Math.min(
        this.rows.length,
        Math.ceil((this.body.scrollTop + this.body.clientHeight) / CostTable.ROW) + 4);
    this.space.replaceChildren(
        ...this.rows.slice(first, last).map((entry, i) => this.makeRow(entry, first + i)));
  }
  makeRow(entry, i) {
    const cells = COST_COLUMNS.map((column) => {
      const text = column.text(entry);
      const cell = element(
          "span", {
            role: "gridcell",
            title: text,
            class: column.isBad && Costs.look(Data.idOfCost(entry)).isBad ? "bad" :
                column.isText || column.isBad                             ? "" :
                                                                            "number"
          },
          text);
      if (column.bar) cell.style.setProperty("--share", `${100 * column.bar(entry)}%`);
      return cell;
    });
    const row = element(
        "div", {
          role: "row",
          class: "row",
          "aria-rowindex": i + 1,
          "aria-selected": String(entry === this.selected),
          onclick: () => this.choose(entry)
        },
        ...cells);
    row.style.top = `${i * CostTable.ROW}px`;
    return row;
  }

  choose(entry) {
    this.selected = entry;
    this.draw();
    const id = Data.idOfCost(entry);
    if (id !== undefined) this.onselect(id, null);
  }
  // Marks the row of an instruction, if it has one, and scrolls to it.
  mark(id) {
    const entry = Costs.of(id);
    if (entry === this.selected) return;
    this.selected = entry;
    const place = this.rows.indexOf(entry) * CostTable.ROW;
    if (entry !== null &&
        (place < this.body.scrollTop ||
         place + CostTable.ROW > this.body.scrollTop + this.body.clientHeight)) {
      this.body.scrollTop = place - this.body.clientHeight / 2;
    }
    this.draw();
  }
  key(event) {
    const step = {ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10}[event.key];
    if (!step || this.rows.length === 0) return;
    const place = this.rows.indexOf(this.selected);
    const next = Math.max(0, Math.min(this.rows.length - 1, place + step));
    const top = next * CostTable.ROW;
    if (top < this.body.scrollTop)
      this.body.scrollTop = top;
    else if (top + CostTable.ROW > this.body.scrollTop + this.body.clientHeight)
      this.body.scrollTop = top + CostTable.ROW - this.body.clientHeight;
    this.choose(this.rows[next]);
    event.preventDefault();
  }
}
