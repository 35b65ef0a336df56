// Leaderboards: draws the charts from the data in the page, and leaves the page alone while nothing has changed.
(() => {
  "use strict";

  const SCALE = ["#f7fbff", "#e3eef9", "#cfe1f2", "#b5d4e9", "#93c3df", "#6daed5", "#4b97c9", "#2874b2", "#1864aa", "#0a4a90", "#08306b"];
  const EMPTY = { show: true, areaStyle: { color: ["#dfe3e8"] } };
  const FONT = getComputedStyle(document.documentElement).getPropertyValue("--bs-body-font-family");
  const percent = (rate) => (100 * rate).toFixed(1) + " %";
  const isNarrow = () => window.innerWidth < 576;
  const axisName = { nameLocation: "middle", nameTextStyle: { fontWeight: 600, color: "#18222f" } };

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
      row.querySelector("th").append(" ", words);
    }
  }

  // The number in a point is the rank that stands before the team's name in the table.
  function tradeOff(data) {
    const far = Math.max(2, ...data.points.flatMap((point) => [point.x, point.y]));
    const axis = { type: "value", min: 0, max: Math.ceil(far) + 1, interval: far > 10 ? undefined : 1, axisLabel: { showMinLabel: false } };
    const place = (point) => ({ name: point.name, value: [point.x, point.y, point.rank] });
    const group = (name, symbol, color, points) => ({
      name, type: "scatter", symbol, symbolSize: 22, itemStyle: { color, opacity: 1, borderColor: "#fff", borderWidth: 1 }, data: points.map(place),
      label: { show: true, position: "inside", formatter: ({ value }) => value[2], color: "#fff", fontSize: 11, fontWeight: 600 },
    });
    const groups = [
      group(data.team, "circle", "#2f6db5", data.points.filter((p) => !p.house && !isMine(p.team))),
      group(data.house, "roundRect", "#5d6a77", data.points.filter((p) => p.house && !isMine(p.team))),
      group(data.mine, "circle", "#8a5a12", data.points.filter((p) => isMine(p.team))),
    ].filter((series) => series.data.length);
    const names = {
      type: "scatter", symbolSize: 22, silent: true, z: 1, itemStyle: { color: "transparent", opacity: 1 }, data: data.points.map(place),
      label: { show: true, position: "right", formatter: "{b}", color: "#18222f", width: isNarrow() ? 90 : 190, overflow: "truncate" },
      labelLayout: { hideOverlap: true },
    };
    return {
      height: isNarrow() ? 360 : 460,
      option: {
        grid: { left: 56, right: isNarrow() ? 24 : 120, top: 48, bottom: 56 },
        legend: { top: 4, data: groups.map((series) => series.name) },
        tooltip: { renderMode: "richText", formatter: ({ name, value }) =>
          `${value[2]}. ${name}\n${data.x_label}: ${+value[0].toFixed(2)}\n${data.y_label}: ${+value[1].toFixed(2)}` },
        xAxis: { ...axis, ...axisName, name: data.x_label, nameGap: 32 },
        yAxis: { ...axis, ...axisName, name: data.y_label, nameGap: 34 },
        series: [...groups, names],
      },
    };
  }

  // The rates stand in the table under the picture, in per cent: a dash where there is none, nothing where a team meets itself.
  function readMatrix() {
    const table = document.querySelector(".matrix-table");
    const names = (selector) => [...table.querySelectorAll(selector)].map((node) => node.textContent);
    const cells = [...table.tBodies[0].rows].flatMap((row, y) =>
      [...row.querySelectorAll("td")].map((cell, x) => [x, y, parseFloat(cell.textContent) / 100]));
    return { attackers: names("tbody .team-name, tbody .measure-id"), defenders: names("th.defender"), cells };
  }

  function heatMap(shown) {
    const data = { ...shown, ...readMatrix() };
    const known = data.cells.filter((cell) => !Number.isNaN(cell[2]));
    const many = data.defenders.length > (isNarrow() ? 4 : 12);
    const labelWidth = isNarrow() ? 76 : 150;
    const label = { width: labelWidth, overflow: "truncate", interval: 0 };
    const crowded = data.defenders.length > (isNarrow() ? 16 : 40);
    const rotate = data.defenders.length > 12 ? 90 : data.defenders.length > (isNarrow() ? 2 : 6) ? 45 : 0;
    const under = rotate ? 108 : 32; // pixels that the names of the attacked teams need
    return {
      height: 112 + under + 30 * data.attackers.length,
      option: {
        grid: { left: labelWidth + 38, right: 16, top: 16, bottom: 70 + under },
        tooltip: { renderMode: "richText", formatter: ({ value }) =>
          `${data.attackers[value[1]]} → ${data.defenders[value[0]]}\n${data.value}: ${percent(value[2])}` },
        xAxis: { ...axisName, type: "category", data: data.defenders, name: data.x_label, nameGap: under, splitArea: EMPTY,
          axisLabel: { ...label, width: 104, interval: crowded ? "auto" : 0, rotate } },
        yAxis: { ...axisName, type: "category", data: data.attackers, name: data.y_label, nameGap: labelWidth + 14, inverse: true, splitArea: EMPTY, axisLabel: label },
        visualMap: { min: 0, max: data.top / 100, orient: "horizontal", left: "center", bottom: 0, itemHeight: isNarrow() ? 140 : 220, text: [`${data.top} %`, isNarrow() ? "0 %" : data.value + "  0 %"], inRange: { color: SCALE } },
        series: [{
          type: "heatmap", data: known.map((cell) => ({ value: cell, label: { color: cell[2] >= (0.65 * data.top) / 100 ? "#fff" : "#18222f" } })),
          label: { show: !many, formatter: ({ value }) => percent(value[2]) },
          itemStyle: { borderColor: "#fff", borderWidth: 1 },
        }],
      },
    };
  }

  // Parts of the totals: one stacked bar a team, or a group of bars.
  const PART_COLOURS = ["#2f6db5", "#1d7a6b", "#b3701c", "#6b4b9a"];

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
          [bars[0].name, ...bars.map((bar) => `${bar.seriesName}: ${points(bar.value)}`)].join("\n") },
        xAxis: { ...axisName, type: "value", min: 0, max: 100, name: data.x_label, nameGap: 28 },
        yAxis: { type: "category", data: data.teams, inverse: true, axisLabel: label },
        series: data.series.map((series) => ({
          name: series.name, type: "bar", data: series.values, stack: data.stacked ? "total" : undefined,
          barMaxWidth: data.stacked ? 20 : 11, itemStyle: { borderColor: "#fff", borderWidth: data.stacked ? 1 : 0 },
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
      itemStyle: { color: point.counts ? colour : "#fff", borderColor: colour, borderWidth: 2, opacity: 1 },
      label: { show: point.counts, position: point.x > 0.6 * most ? "left" : "right", color: "#18222f", fontWeight: isMine(point.id) ? 700 : 400 },
    });
    const groups = data.series.map((series, n) => {
      const colour = PART_COLOURS[n % PART_COLOURS.length];
      return {
        name: series.name, type: "scatter", symbol: series.is_batch ? "diamond" : "circle", color: colour,
        data: series.points.map((point) => shown(point, isMine(point.id) ? "#8a5a12" : colour)),
        label: { formatter: "{b}", fontSize: 11, width, overflow: "truncate" }, labelLayout: { hideOverlap: true },
      };
    });
    const line = { name: data.formula, type: "line", data: data.line, symbol: "none", silent: true, color: "#5d6a77", lineStyle: { type: "dashed", width: 2 }, z: 1 };
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

  const KINDS = { "trade-off": tradeOff, "heat-map": heatMap, parts: partBars, budget: budgetCurve };

  function draw(root) {
    for (const node of root.querySelectorAll("[data-chart]")) {
      const data = JSON.parse(document.getElementById(node.dataset.chart).textContent);
      const { height, option } = KINDS[data.kind](data);
      echarts.getInstanceByDom(node)?.dispose();
      node.style.height = height + "px";
      const still = window.matchMedia("(prefers-reduced-motion: reduce)").matches || node.dataset.drawn;
      node.dataset.drawn = "yes";
      echarts.init(node).setOption({ animation: !still, textStyle: { fontFamily: FONT }, ...option });
    }
  }

  let scrolled = null; // how far the table was scrolled before the board was replaced

  function showTab() {
    const tabs = document.querySelector(".board-tabs");
    const active = tabs?.querySelector(".active");
    if (active) tabs.scrollLeft = active.offsetLeft - (tabs.clientWidth - active.offsetWidth) / 2;
  }

  document.addEventListener("DOMContentLoaded", () => { markMine(document); draw(document); showTab(); });
  document.addEventListener("htmx:beforeSwap", (event) => {
    const board = document.getElementById("board");
    if (event.detail.requestConfig?.elt !== board || !event.detail.shouldSwap) return;
    scrolled = board.querySelector(".table-responsive")?.scrollLeft ?? 0;
    board.querySelectorAll("[data-chart]").forEach((node) => echarts.getInstanceByDom(node)?.dispose());
  });
  document.addEventListener("htmx:afterSettle", () => {
    const board = document.getElementById("board");
    if (!board || scrolled === null) return;
    markMine(board);
    draw(board);
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
