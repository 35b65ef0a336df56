/* SPDX-License-Identifier: Apache-2.0 */
// Leaderboards: draws the charts from the data in the page, and leaves the page alone while nothing has changed.
(() => {
  "use strict";

  const token = (name) => getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  const FONT = getComputedStyle(document.documentElement).getPropertyValue("--bs-body-font-family");
  const [PERCENT, COLON] = document.documentElement.lang === "ja" ? ["％", "："] : [" %", ": "];
  const isNarrow = () => window.innerWidth < 576;
  const isDark = () => getComputedStyle(document.documentElement).colorScheme === "dark";
  const axisName = { nameLocation: "middle", nameTextStyle: { fontWeight: 600, color: token("ink") } };

  // What is polled is the same for everybody: the page knows which team is the reader's.
  const mine = () => document.getElementById("boards")?.dataset.mine;
  const isMine = (team) => mine() !== undefined && String(team) === mine();

  function markMine(root) {
    if (mine() === undefined) return;
    for (const row of root.querySelectorAll(`tr[data-team="${mine()}"]:not(.mine)`)) {
      row.classList.add("mine");
      const words = document.createElement("span");
      words.className = "visually-hidden";
      words.textContent = document.getElementById("boards").dataset.mineWords;
      row.querySelector("th").append(words);
    }
    for (const point of root.querySelectorAll(`.scatter-point[data-team="${mine()}"]`)) point.classList.add("mine");
  }

  // Sorting: rows without a value stay at the end; the order survives an update of the board.
  const numberIn = (cell) => parseFloat(cell?.textContent.replace(/^[^\d.–-]*/, ""));
  let sorted = null; // the column and the direction

  function sortBy(table, column, direction) {
    const body = table.tBodies[0];
    const value = (row) => (column === 0 ? (numberIn(row.querySelector(".rank")) || Infinity) : numberIn(row.cells[column]));
    const parts = [[...body.rows].filter((row) => !row.classList.contains("house-attack")), [...body.rows].filter((row) => row.classList.contains("house-attack"))];
    for (const rows of parts) {
      rows.sort((a, b) => (Number.isNaN(value(a)) - Number.isNaN(value(b))) || direction * (value(a) - value(b)) || 0);
      body.append(...rows);
    }
    [...table.tHead.rows[0].cells].forEach((head, n) => {
      if (n === column) head.setAttribute("aria-sort", direction > 0 ? "ascending" : "descending");
      else head.removeAttribute("aria-sort");
    });
  }

  function makeSortable(root) {
    for (const table of root.querySelectorAll("table[data-sortable]:not([data-ready])")) {
      table.dataset.ready = "yes";
      [...table.tHead.rows[0].cells].forEach((head, column) => {
        const button = document.createElement("button");
        button.type = "button";
        button.className = "sort";
        button.append(...head.childNodes);
        head.append(button);
        button.addEventListener("click", () => {
          const direction = head.getAttribute("aria-sort") === (column ? "descending" : "ascending") ? (column ? 1 : -1) : (column ? -1 : 1);
          sorted = { column, direction };
          sortBy(table, column, direction);
        });
      });
      if (sorted && sorted.column < table.tHead.rows[0].cells.length) sortBy(table, sorted.column, sorted.direction);
      if (table.dataset.search !== undefined) addSearch(table);
      if (table.dataset.matrix !== undefined) readOut(table);
    }
  }

  let sought = "";

  function addSearch(table) {
    const field = document.createElement("div");
    field.className = "board-search";
    const input = Object.assign(document.createElement("input"), { type: "search", className: "form-control form-control-sm", value: sought });
    const words = document.getElementById("boards")?.dataset.searchWords ?? "";
    input.setAttribute("aria-label", words);
    input.placeholder = words;
    const show = () => {
      sought = input.value;
      const text = sought.normalize("NFKC").toLowerCase();
      for (const row of table.tBodies[0].rows) row.hidden = !row.classList.contains("mine") && !row.cells[0].textContent.normalize("NFKC").toLowerCase().includes(text);
    };
    input.addEventListener("input", show);
    field.append(input);
    table.closest(".table-responsive").before(field);
    if (sought) show();
  }

  // Entries, movement and the line of ranks next to each team, from the page of scores over time, which is read once.
  let courses = null; // heads, and cells by team

  function readCourses(text) {
    const page = new DOMParser().parseFromString(text, "text/html");
    const table = page.querySelector("table[data-courses]:has(.spark)");
    if (!table) return null;
    const last = (row) => [...row.querySelectorAll(".course")];
    return { heads: last(table.tHead.rows[0]), cells: new Map([...table.tBodies[0].rows].map((row) => [row.dataset.team, last(row)])) };
  }

  function showCourses(root) {
    const table = root.querySelector("[data-moves]") && root.querySelector("table[data-sortable]:not([data-matrix])");
    if (!courses || !table || table.dataset.moved) return;
    table.dataset.moved = "yes";
    table.tHead.rows[0].append(...courses.heads.map((head) => document.importNode(head, true)));
    for (const row of table.tBodies[0].rows) {
      const cells = courses.cells.get(row.dataset.team);
      row.append(...(cells ?? courses.heads.map(() => null)).map((cell) => (cell ? document.importNode(cell, true) : document.createElement("td"))));
    }
  }

  async function fetchCourses() {
    const link = document.querySelector("#boards [data-moves]");
    if (!link) return;
    const answer = await fetch(link.href, { headers: { Accept: "text/html" } }).catch(() => null);
    if (answer?.ok) courses = readCourses(await answer.text());
    if (courses) showCourses(document);
    else link.removeAttribute("data-moves"); // the place that the style sheet keeps for them
  }

  // The attempts of the reader's team in utility against safety, below the points.
  async function fetchTrail() {
    const picture = document.querySelector(".scatter[data-trail]");
    if (!picture || mine() === undefined) return;
    const answer = await fetch(picture.dataset.trail).catch(() => null);
    if (!answer?.ok) return;
    const trail = new DOMParser().parseFromString(await answer.text(), "image/svg+xml").querySelector(".scatter-trail");
    if (trail) picture.querySelector(".scatter-front").after(document.importNode(trail, true));
  }

  // The pair of a cell of the matrix, named under the table.
  function readOut(table) {
    const line = table.closest(".panel").querySelector("[data-readout]");
    const name = (cell) => cell.querySelector(".team-name, .measure-id")?.textContent ?? cell.textContent;
    const heads = table.tHead.rows[0].cells;
    const point = (cell) => {
      table.querySelectorAll(".at-row, .at-column, .at-cell").forEach((node) => node.classList.remove("at-row", "at-column", "at-cell"));
      const row = cell?.parentNode;
      if (!cell || cell.tagName !== "TD" || row.parentNode.tagName !== "TBODY" || cell.cellIndex < 2) return;
      for (const other of row.cells) other.classList.add("at-row");
      for (const other of table.tBodies[0].rows) other.cells[cell.cellIndex]?.classList.add("at-column");
      cell.classList.add("at-cell");
      line.textContent = `${name(row.cells[0])} → ${heads[cell.cellIndex].textContent}${COLON}${cell.textContent}${Number.isNaN(numberIn(cell)) ? "" : PERCENT}`;
    };
    table.addEventListener("pointerover", (event) => point(event.target.closest("td")));
    table.addEventListener("click", (event) => point(event.target.closest("td")));
  }

  function prepare(root) {
    markMine(root);
    makeSortable(root);
    draw(root);
    showCourses(root);
    fetchTrail();
  }

  // Parts of the totals: one stacked bar a team, or a group of bars.
  const PART_COLOURS = [token("utility"), token("safety"), token("attack"), token("accent")];

  function partBars(data) {
    const label = { width: isNarrow() ? 84 : 170, overflow: "truncate" };
    const points = (value) => (value === null || value === undefined ? data.none : value.toFixed(2));
    return {
      height: 130 + data.teams.length * (data.stacked ? 30 : 14 + 14 * data.series.length),
      option: {
        color: PART_COLOURS,
        grid: { left: label.width + 16, right: 24, top: 56, bottom: 48 },
        legend: { top: 4 },
        tooltip: { trigger: "axis", axisPointer: { type: "shadow" }, renderMode: "richText", formatter: (bars) =>
          [bars[0].name, ...bars.map((bar) => `${bar.seriesName}${COLON}${points(bar.value)}`)].join("\n") },
        xAxis: { ...axisName, type: "value", min: 0, max: 100, name: data.x_label, nameGap: 28 },
        yAxis: { type: "category", data: data.teams, inverse: true, axisLabel: label },
        series: data.series.map((series) => ({
          name: series.name, type: "bar", data: series.values, stack: data.stacked ? "total" : undefined,
          barMaxWidth: data.stacked ? 20 : 11, itemStyle: { borderColor: token("surface"), borderWidth: data.stacked ? 1 : 0 },
        })),
      },
    };
  }

  // Distance against ε: filled points count, empty ones were tries; diamonds are releases, circles answers.
  function budgetCurve(data) {
    const most = Math.max(...data.series.flatMap((series) => series.points.map((point) => point.x)));
    const width = isNarrow() ? 84 : 150;
    const shown = (point, colour) => ({
      name: point.team, value: [point.x, point.y, point.words], symbolSize: isMine(point.id) ? 15 : 11,
      itemStyle: { color: point.counts ? colour : token("surface"), borderColor: colour, borderWidth: 2, opacity: 1 },
      label: { show: point.counts, position: point.x > 0.6 * most ? "left" : "right", color: token("ink"), fontWeight: isMine(point.id) ? 700 : 400 },
    });
    const groups = data.series.map((series, n) => {
      const colour = PART_COLOURS[n % PART_COLOURS.length];
      return {
        name: series.name, type: "scatter", symbol: series.is_batch ? "diamond" : "circle", color: colour,
        data: series.points.map((point) => shown(point, isMine(point.id) ? token("warn") : colour)),
        label: { formatter: "{b}", fontSize: 11, width, overflow: "truncate" }, labelLayout: { hideOverlap: true },
      };
    });
    const line = { name: data.formula, type: "line", data: data.line, symbol: "none", silent: true, color: token("muted"), lineStyle: { type: "dashed", width: 2 }, z: 1 };
    return {
      height: isNarrow() ? 420 : 480,
      option: {
        grid: { left: 62, right: isNarrow() ? 16 : 40, top: isNarrow() ? 84 : 48, bottom: 56 },
        legend: { top: 4, type: isNarrow() ? "plain" : "scroll" },
        tooltip: { renderMode: "richText", formatter: ({ name, value, seriesName }) => `${name}\n${seriesName}\n${value[2]}` },
        xAxis: { ...axisName, type: "value", min: 0, name: data.x_label, nameGap: 32 },
        yAxis: { ...axisName, type: "log", name: data.y_label, nameGap: 44, axisLabel: { formatter: (value) => +value.toPrecision(3) } },
        series: data.line.length ? [...groups, line] : groups,
      },
    };
  }

  const KINDS = { parts: partBars, budget: budgetCurve };

  // Axes and legends in the colours of the theme: the library's own are for white.
  function dressed(option) {
    const axis = (own) => ({
      ...own, axisLabel: { color: token("muted"), ...own.axisLabel }, axisLine: { lineStyle: { color: token("line-strong") } },
      splitLine: { lineStyle: { color: token("line") } },
    });
    return { ...option, legend: { textStyle: { color: token("text") }, ...option.legend }, xAxis: axis(option.xAxis), yAxis: axis(option.yAxis) };
  }

  function draw(root) {
    for (const node of root.querySelectorAll("[data-chart]")) {
      const data = JSON.parse(document.getElementById(node.dataset.chart).textContent);
      const { height, option } = KINDS[data.kind](data);
      echarts.getInstanceByDom(node)?.dispose();
      node.style.height = height + "px";
      const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches || node.dataset.drawn;
      node.dataset.drawn = "yes";
      echarts.init(node).setOption({ animation: !still, darkMode: isDark(), textStyle: { fontFamily: FONT, color: token("text") }, ...dressed(option) });
    }
  }

  let scrolled = null; // how far the table was scrolled before the board was replaced

  function showTab() {
    const tabs = document.querySelector(".board-tabs");
    const active = tabs?.querySelector(".active");
    if (active) tabs.scrollLeft = active.offsetLeft - (tabs.clientWidth - active.offsetWidth) / 2;
  }

  document.addEventListener("DOMContentLoaded", () => { prepare(document); showTab(); fetchCourses(); });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const board = document.getElementById("board");
    if (event.detail.requestConfig?.elt !== board || !event.detail.shouldSwap) return;
    scrolled = board.querySelector(".table-responsive")?.scrollLeft ?? 0;
    if (window.echarts) board.querySelectorAll("[data-chart]").forEach((node) => echarts.getInstanceByDom(node)?.dispose());
  });
  document.addEventListener("htmx:afterSettle", () => {
    const board = document.getElementById("board");
    if (!board || scrolled === null) return;
    prepare(board);
    showTab();
    const table = board.querySelector(".table-responsive");
    if (table) table.scrollLeft = scrolled;
    scrolled = null;
  });

  let waiting;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => draw(document), 150);
  });
})();
