// The pages work without this script: it renews them, draws the chart and switches the theme.
(() => {
  "use strict";
  const root = document.documentElement;
  const themes = ["", "light", "dark"];

  const showTheme = (theme) => {
    if (theme) {
      root.dataset.theme = theme;
    } else {
      delete root.dataset.theme;
    }
  };
  showTheme(localStorage.getItem("rota-theme") || "");

  // A hidden page asks for nothing.
  document.addEventListener("htmx:beforeRequest", (event) => {
    if (document.hidden) {
      event.preventDefault();
    }
  });

  // The next answer replaces the line.
  document.addEventListener("htmx:sendError", () => {
    const daemon = document.getElementById("daemon");
    daemon.textContent = "the dashboard does not answer; the numbers are old";
    daemon.dataset.urgent = "true";
  });

  // What is renewed would lose the focus of the keyboard, how far its tables are scrolled, and what
  // was unfolded.
  const renewed = (selector) => [...document.querySelectorAll("#page " + selector)];
  const nameOf = (element) =>
    ["href", "name", "value", "class"].map((name) => element.getAttribute(name)).join(" ");
  const alike = (element) =>
    renewed(element.tagName).filter((each) => nameOf(each) === nameOf(element));
  let left = null;

  document.addEventListener("htmx:beforeSwap", () => {
    const focused = document.activeElement;
    const place = alike(focused).indexOf(focused);
    const scrolled = renewed(".scroll").map((each) => each.scrollLeft);
    const opened = renewed("details").map((each) => each.open);
    left = { focused, place, scrolled, opened };
  });

  const goBack = () => {
    if (left !== null) {
      const { focused, place, scrolled, opened } = left;
      left = null;
      renewed("details").forEach((each, i) => (each.open = opened[i] ?? each.open));
      renewed(".scroll").forEach((each, i) => (each.scrollLeft = scrolled[i] ?? 0));
      if (place >= 0) {
        (alike(focused)[place] ?? document.getElementById("content")).focus({ preventScroll: true });
      }
    }
  };

  const color = (name) => getComputedStyle(root).getPropertyValue(name).trim();

  const clock = (seconds) =>
    new Date(seconds * 1000).toLocaleTimeString([], { hourCycle: "h23" });
  const clocks = (plot, ticks) => ticks.map(clock);

  const startChart = (figure) => {
    const place = figure.querySelector(".plot");
    let plot = null;
    const options = () => ({
      width: figure.clientWidth,
      height: 220,
      scales: { x: { time: true }, y: { range: (plot, low, high) => [0, Math.max(1, high * 1.05)] } },
      axes: [
        { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, values: clocks, space: 90 },
        { stroke: color("--soft"), grid: { stroke: color("--line"), width: 1 }, size: 70 },
      ],
      series: [
        { label: "time", value: (plot, at) => (at === null ? "--" : clock(at)) },
        { label: "arrive", stroke: color("--soft"), dash: [4, 4], width: 2 },
        { label: "begin", stroke: color("--mark"), width: 2 },
      ],
    });
    const draw = (data) => {
      if (plot === null && data[0].length > 1) {
        figure.hidden = false;
        plot = new uPlot(options(), data, place);
      } else if (plot !== null) {
        plot.setData(data);
      }
    };
    const renew = async () => {
      if (document.hidden) {
        return;
      }
      try {
        const answer = await fetch(figure.dataset.address);
        if (answer.ok) {
          draw(await answer.json());
        }
      } catch (unreachable) {
        // The next turn tries again; the page itself tells of a server that is gone.
      }
    };
    const redraw = () => {
      plot?.destroy();
      plot = null;
      renew();
    };
    const resize = () => plot?.setSize({ width: figure.clientWidth, height: 220 });
    return { figure, renew, redraw, resize };
  };

  // A page that failed has no chart; the one that replaces it has a new one.
  let chart = null;
  const showChart = () => {
    const figure = document.getElementById("chart");
    if (figure !== (chart?.figure ?? null)) {
      chart = figure === null ? null : startChart(figure);
    }
    chart?.renew();
  };

  document.addEventListener("htmx:afterSwap", (event) => {
    goBack();
    if (event.target.id !== "daemon") {
      showChart();
    }
  });
  document.addEventListener("visibilitychange", showChart);
  addEventListener("resize", () => chart?.resize());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => chart?.redraw());

  addEventListener("DOMContentLoaded", () => {
    showChart();
    document.getElementById("live").hidden = false;
    const button = document.getElementById("theme");
    const label = () => {
      button.textContent = "Theme: " + (root.dataset.theme || "system");
    };
    label();
    button.hidden = false;
    button.addEventListener("click", () => {
      const next = themes[(themes.indexOf(root.dataset.theme || "") + 1) % themes.length];
      localStorage.setItem("rota-theme", next);
      showTheme(next);
      label();
      chart?.redraw();
    });
  });
})();
