// The page that shows all worlds of a small instance.

import { escaped } from "../viewer/draw";
import { tree } from "../viewer/tree";
import { type Edge, type Graph, layOut, type Node, wayTo } from "./layout";

function element<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

const graph = JSON.parse(element("run").textContent ?? "") as Graph;
const { places, width, height } = layOut(graph);
const properties = [...new Set(graph.nodes.flatMap((node) => (node.violated === undefined ? [] : [node.violated[0]])))];
const scroller = element("scroller");
const picture = element<SVGSVGElement>("picture");
let scale = 1;
let chosen = 0;

function classOf(node: Node): string {
  const start = node.start === true ? " start" : "";
  if (node.violated !== undefined) return `bad bad${properties.indexOf(node.violated[0]) % 4}${start}`;
  if (node.looks.includes("holding")) return `holding${start}`;
  return (node.looks.includes("waiting") ? "waiting" : "idle") + start;
}

// --- The picture.

function edgePath([from, to]: Edge): string {
  const a = places[from] as { x: number; y: number };
  const b = places[to] as { x: number; y: number };
  if (from === to) return `M${a.x + 9},${a.y - 4} c22,-14 22,22 0,8`;
  const level = (graph.nodes[to] as Node).depth - (graph.nodes[from] as Node).depth;
  const angle = Math.atan2(b.y - a.y, b.x - a.x);
  const end = `${(b.x - 12 * Math.cos(angle)).toFixed(1)},${(b.y - 12 * Math.sin(angle)).toFixed(1)}`;
  if (level === 1) return `M${a.x},${a.y} L${end}`;
  // Back, or within a layer: in a bow, so that it does not lie on other edges.
  const bow = 34 + 6 * Math.min(8, Math.abs(level));
  return `M${a.x},${a.y} Q${(a.x + b.x) / 2 + bow},${(a.y + b.y) / 2} ${b.x + 9},${b.y}`;
}

function drawPicture(): void {
  const way = new Set(wayTo(graph, chosen));
  const edges = graph.edges.map((edge, index) => {
    const classes = ["edge", edge[3] ? "" : "fault", way.has(index) ? "way" : edge[0] === chosen ? "out" : ""];
    return `<path class="${classes.join(" ").trim()}" d="${edgePath(edge)}"/>`;
  });
  const nodes = graph.nodes.map((node, index) => {
    const { x, y } = places[index] as { x: number; y: number };
    const ring = index === chosen ? `<circle class="ring" r="14"/>` : "";
    return `<g class="node ${classOf(node)}" data-node="${index}" transform="translate(${x} ${y})">${ring}<circle r="9"/></g>`;
  });
  picture.innerHTML = `<defs><marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="6" markerHeight="6" orient="auto"><path d="M0,1 L8,4 L0,7 Z"/></marker></defs>${edges.join("")}${nodes.join("")}`;
}

function zoom(factor: number): void {
  const middle = (scroller.scrollTop + scroller.clientHeight / 2) / scale;
  const centre = (scroller.scrollLeft + scroller.clientWidth / 2) / scale;
  scale = Math.min(3, Math.max(0.15, scale * factor));
  picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
  picture.setAttribute("width", String(width * scale));
  picture.setAttribute("height", String(height * scale));
  scroller.scrollTop = middle * scale - scroller.clientHeight / 2;
  scroller.scrollLeft = centre * scale - scroller.clientWidth / 2;
}

function keepInSight(): void {
  const { x, y } = places[chosen] as { x: number; y: number };
  const margin = 60;
  const outX = x * scale < scroller.scrollLeft + margin || x * scale > scroller.scrollLeft + scroller.clientWidth - margin;
  const outY = y * scale < scroller.scrollTop + margin || y * scale > scroller.scrollTop + scroller.clientHeight - margin;
  if (outX) scroller.scrollLeft = x * scale - scroller.clientWidth / 2;
  if (outY) scroller.scrollTop = y * scale - scroller.clientHeight / 2;
}

// --- The panel.

function stepButton(edge: Edge, to: number): string {
  return `<li><button data-go="${to}"><code>${escaped(edge[2])}</code></button></li>`;
}

function describe(): string {
  const node = graph.nodes[chosen] as Node;
  const parts = [`<p class="where">world ${chosen}, ${node.depth} ${node.depth === 1 ? "step" : "steps"} from the start</p>`];
  if (node.violated !== undefined)
    parts.push(`<p class="violation">violates <b>${escaped(node.violated[0])}</b>: ${escaped(node.violated[1])}</p>`);
  const out = graph.edges.filter((edge) => edge[0] === chosen);
  parts.push(
    out.length === 0
      ? `<p class="where">no step leads on from here</p>`
      : `<p class="where">steps from here</p><ul class="list">${out.map((edge) => stepButton(edge, edge[1])).join("")}</ul>`,
  );
  const into = graph.edges.filter((edge) => edge[1] === chosen && edge[0] !== chosen);
  if (into.length > 0)
    parts.push(
      `<details><summary>steps that lead here (${into.length})</summary><ul class="list">${into
        .map((edge) => stepButton(edge, edge[0]))
        .join("")}</ul></details>`,
    );
  return parts.join("");
}

function describeSites(): string {
  const node = graph.nodes[chosen] as Node;
  const flight = node.flight.map((one) => `<li><code>${escaped(one)}</code></li>`).join("");
  return (
    node.looks
      .map(
        (look, site) =>
          `<section class="site"><h3>site ${site} <span class="chip ${look}">${look}</span></h3>` +
          `<div class="state">${tree(node.states[site] ?? null)}</div></section>`,
      )
      .join("") +
    `<section class="site"><h3>in flight</h3>${flight === "" ? "nothing" : `<ul class="list">${flight}</ul>`}</section>`
  );
}

function choose(node: number): void {
  chosen = node;
  element("now").innerHTML = describe();
  element("sites").innerHTML = describeSites();
  drawPicture();
  keepInSight();
}

// --- What people do.

function nextViolation(): void {
  const bad = graph.nodes.flatMap((node, index) => (node.violated === undefined ? [] : [index]));
  const next = bad.find((index) => index > chosen) ?? bad[0];
  if (next !== undefined) choose(next);
}

function alongTheWay(direction: 1 | -1): void {
  if (direction === 1) {
    const out = graph.edges.find((edge) => edge[0] === chosen && edge[1] !== chosen);
    if (out !== undefined) choose(out[1]);
  } else {
    const way = wayTo(graph, chosen);
    const last = way[way.length - 1];
    if (last !== undefined) choose((graph.edges[last] as Edge)[0]);
  }
}

const keys: { [key: string]: () => void } = {
  v: nextViolation,
  "+": () => zoom(1.25),
  "-": () => zoom(0.8),
  ArrowDown: () => alongTheWay(1),
  ArrowUp: () => alongTheWay(-1),
  Home: () => choose(0),
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  const action = keys[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});
document.addEventListener("click", (event) => {
  const found = (event.target as Element).closest("[data-node], [data-go], [data-key]");
  if (found === null) return;
  const key = found.getAttribute("data-key");
  if (key !== null) return keys[key]?.();
  choose(Number(found.getAttribute("data-node") ?? found.getAttribute("data-go")));
});

// --- The beginning.

function legend(): string {
  const bad = properties.map((name, index) => `<span><i class="bad${index % 4}"></i>violates ${escaped(name)}</span>`);
  const usual = [
    ["holding", "somebody holds"],
    ["waiting", "somebody waits"],
    ["idle", "idle"],
  ].map(([look, text]) => `<span><i class="${look}"></i>${text}</span>`);
  return [...bad, ...usual].join("");
}

function begin(): void {
  document.title = graph.header;
  element("title").textContent = `${graph.nodes.length.toLocaleString("en")} worlds, ${graph.edges.length.toLocaleString("en")} steps`;
  element("header").textContent = graph.header;
  element("legend").innerHTML = legend();
  if (properties.length === 0) element("jump").remove();
  scale = Math.min(1, Math.max(0.4, scroller.clientWidth / width));
  zoom(1);
  choose(0);
}

begin();
