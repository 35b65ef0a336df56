// Uploads, live status and the pictures of a result. Every form works without this file.
(() => {
  "use strict";

  const MAX_FILES = 200;

  // Said before anything is sent, while the files are still chosen; the server decides all the same.
  function warnOfSize(input) {
    const files = [...input.files];
    const limit = Number(input.dataset.maxBytes);
    const warning = input.closest("[data-upload]")?.querySelector("[data-size-warning]");
    if (!warning) return;
    let text = "";
    if (files.some((file) => file.size > limit)) text = warning.dataset.tooLarge;
    else if (files.some((file) => file.size === 0)) text = warning.dataset.empty;
    else if (files.length > MAX_FILES) text = warning.dataset.tooMany;
    warning.textContent = text;
    warning.hidden = text === "";
    input.setCustomValidity(text);
  }

  document.addEventListener("change", (event) => {
    const input = event.target;
    if (!input.matches?.("input[type=file]")) return;
    warnOfSize(input);
    if (input.dataset.sendAtOnce !== undefined && input.files.length) input.form.requestSubmit();
  });

  // Pictures: the numbers are in the table beside them.
  const INK = "#52606d", OWN = "#2f6db5", OTHER = "#c08a2b";

  const percent = (value) => `${(100 * value).toFixed(2)} %`;
  const plain = (value) => Number(value.toPrecision(6)).toLocaleString();

  function tooltip(data, items, format) {
    return (point) => {
      const item = items[point.dataIndex] ?? items[point.value[1]];
      const own = `${data.labels.this}: ${format(item.value)}`;
      const others = item.others.map((other) => `#${other.number}: ${format(other.value)}`);
      const box = document.createElement("div");
      for (const line of [`${item.id} ${item.title}`, own, ...others]) {
        box.append(Object.assign(document.createElement("div"), { textContent: line }));
      }
      return box;
    };
  }

  function draw(node) {
    const data = JSON.parse(document.getElementById(node.dataset.source).textContent);
    const kind = node.dataset.chart;
    const items = data[kind];
    const format = kind === "linkage" ? percent : plain;
    const others = items.flatMap((item, row) => item.others.map((other) => [other.share, row]));
    const names = others.length ? [data.labels.this, data.labels.others] : [data.labels.this];
    const chart = window.echarts.init(node);
    chart.setOption({
      animation: false,
      grid: { left: 4, right: 24, top: others.length ? 30 : 8, bottom: 4, containLabel: true },
      legend: others.length ? { data: names, top: 0, left: 0, textStyle: { color: INK }, selectedMode: false } : undefined,
      tooltip: { trigger: "item", confine: true, formatter: tooltip(data, items, format) },
      xAxis: { type: "value", min: 0, max: 1, axisLabel: { color: INK, formatter: (value) => `${Math.round(100 * value)} %` } },
      yAxis: { type: "category", inverse: true, data: items.map((item) => item.id), axisTick: { show: false }, axisLabel: { color: INK } },
      series: [
        { name: names[0], type: "bar", data: items.map((item) => item.share), itemStyle: { color: OWN, borderRadius: 2 }, barMaxWidth: 18 },
        { name: data.labels.others, type: "scatter", data: others, symbol: "diamond", symbolSize: 10, itemStyle: { color: OTHER, opacity: 0.8 } },
      ],
    });
    window.addEventListener("resize", () => chart.resize());
  }

  document.addEventListener("DOMContentLoaded", () => {
    if (window.echarts) document.querySelectorAll("[data-chart][data-source]").forEach(draw);
  });
})();
