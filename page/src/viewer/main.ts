// The page that shows a run: a picture to step through, and the state of every site at the chosen step.

import { Columns, draw, escaped, rowHeight, rowMiddle, type Shown } from "./draw";
import { History, type Run } from "./run";
import { inline, tree } from "./tree";

function element<T extends Element = HTMLElement>(id: string): T {
  return document.getElementById(id) as unknown as T;
}

const history = new History(JSON.parse(element("run").textContent ?? "") as Run);
const run = history.run;
const scroller = element("scroller");
const space = element("space");
const picture = element<SVGSVGElement>("picture");
const heads = element("heads");
const tip = element("tip");
const timed = run.events.some((event) => event.time !== undefined);
const folded = new Set<number>();
let columns = new Columns(run.lanes.length, folded, 800);
let step = 0;
let pointed: number | undefined;
let trail: Shown["trail"];

// --- The picture.

function layOut(): void {
  const width = scroller.clientWidth;
  columns = new Columns(run.lanes.length, folded, width, timed);
  const drawn = Math.max(width, columns.width);
  space.style.height = `${(history.steps + 1) * rowHeight + 40}px`;
  space.style.width = heads.style.width = `${drawn}px`;
  heads.innerHTML = run.lanes
    .map((_, site) => {
      const name = folded.has(site) ? String(site) : columns.gap < 70 ? `${site}` : `site ${site}`;
      const title = folded.has(site) ? `Unfold site ${site}` : `Fold site ${site}`;
      return `<button data-fold="${site}" class="${folded.has(site) ? "folded" : ""}" aria-pressed="${folded.has(
        site,
      )}" title="${title}" aria-label="${title}" style="left:${columns.x(site)}px">${name}</button>`;
    })
    .join("");
  drawPicture();
}

function drawPicture(): void {
  // Below the names; a picture that reached further would make the page longer each time it is drawn.
  const height = Math.max(0, scroller.clientHeight - heads.offsetHeight);
  const top = scroller.scrollTop;
  const width = Math.max(scroller.clientWidth, columns.width);
  picture.setAttribute("width", String(width));
  picture.setAttribute("height", String(height));
  picture.style.top = `${top}px`;
  const first = Math.max(0, Math.floor(top / rowHeight) - 1);
  const last = Math.min(history.steps, Math.ceil((top + height) / rowHeight) + 1);
  picture.innerHTML = draw(history, columns, { first, last, top, width, folded, step, message: pointed, trail });
}

let drawing = 0;
function drawSoon(): void {
  if (drawing === 0)
    drawing = requestAnimationFrame(() => {
      drawing = 0;
      drawPicture();
    });
}

// --- The panel.

function messageText(index: number): string {
  const message = history.message(index);
  return `<b>${escaped(message.kind)}</b> ${message.from} → ${message.to}`;
}

function describeStep(): string {
  const event = history.event(step);
  if (event === undefined) return `<p class="text">The beginning: the founders have started.</p>`;
  const time = event.time === undefined ? "" : ` at ${escaped(event.time)}`;
  const parts = [`<p class="where">line ${event.line}${time}</p><p class="text">${escaped(event.text)}</p>`];
  if (event.note !== undefined) parts.push(`<p class="note">${escaped(event.note)}</p>`);
  const received = event.received;
  if (received !== undefined)
    parts.push(`<p>${messageText(received)} <code>${escaped(inline(history.message(received).content))}</code></p>`);
  const sent = history.sentAt[step] as number[];
  if (sent.length > 0)
    parts.push(
      `<p class="sends">sends</p><ul>${sent
        .map((one) => `<li>${messageText(one)} <code>${escaped(inline(history.message(one).content))}</code></li>`)
        .join("")}</ul>`,
    );
  if (step === history.violation())
    parts.push(
      `<p class="violation">violates <b>${escaped(run.verdict?.property ?? "")}</b>: ${escaped(run.verdict?.detail ?? "")}</p>`,
    );
  return parts.join("");
}

function describeSite(site: number): string {
  const stay = history.stay(site, step);
  const { state, before, patch } = history.state(site, step);
  const look = stay.paused ? `${stay.look}, paused` : stay.look;
  const wants = stay.wants.length > 0 ? ` <span class="wants">${escaped(stay.wants.join(", "))}</span>` : "";
  const concerned = history.event(step)?.site === site;
  const classes = `site${patch.length > 0 ? " changed" : ""}${concerned ? " concerned" : ""}`;
  return (
    `<section class="${classes}" data-site="${site}"><h3>site ${site} <span class="chip ${stay.look}">${look}</span>${wants}</h3>` +
    `<div class="state">${tree(state, before, patch)}</div></section>`
  );
}

const written: string[] = []; // what each site's part of the panel shows now
function drawPanel(): void {
  element("now").innerHTML = describeStep();
  element("count").textContent = `${step.toLocaleString("en")} / ${history.steps.toLocaleString("en")}`;
  const sites = element("sites");
  run.lanes.forEach((_, site) => {
    const text = describeSite(site);
    if (written[site] === text) return;
    written[site] = text;
    const made = document.createElement("div");
    made.innerHTML = text;
    const section = made.firstElementChild as Element;
    const old = sites.children[site];
    if (old === undefined) sites.append(section);
    else old.replaceWith(section);
  });
}

// --- Steps.

function keepInSight(): void {
  const middle = rowMiddle(step);
  const top = scroller.scrollTop;
  const height = scroller.clientHeight;
  if (middle < top + rowHeight * 2) scroller.scrollTop = middle - rowHeight * 2;
  if (middle > top + height - rowHeight * 3) scroller.scrollTop = middle - height + rowHeight * 3;
}

function goTo(wanted: number): void {
  step = Math.min(history.steps, Math.max(0, wanted));
  pointed = history.event(step)?.received;
  hideTip();
  drawPanel();
  keepInSight();
  drawSoon();
}

// With a resource that is followed, the next step that has to do with it.
function neighbour(direction: 1 | -1): number {
  let next = step + direction;
  if (trail !== undefined)
    while (next > 0 && next <= history.steps && !trail.steps.has(next)) next += direction;
  return next > history.steps ? step : next;
}

function follow(resource: string): void {
  trail = resource === "" ? undefined : { resource, ...history.trail(resource) };
  drawSoon();
}

function fold(site: number): void {
  if (!folded.delete(site)) folded.add(site);
  layOut();
}

// --- The message that is pointed at.

function hideTip(): void {
  tip.hidden = true;
}

// The time of a step, or the line of the file, as the picture shows them at its left.
function placeOf(step: number): string {
  const event = history.event(step);
  return event === undefined ? "the beginning" : (event.time ?? `line ${event.line}`);
}

function showTip(index: number, x: number, y: number): void {
  const message = history.message(index);
  const ends: { [fate: string]: string } = {
    in_flight: "still in flight at the end",
    delivered: `arrives at ${placeOf(history.end(index))}`,
    lost: `lost at ${placeOf(history.end(index))}`,
    vanished: `vanishes at ${placeOf(history.end(index))}`,
  };
  const sent = message.sent === undefined ? "in flight at the beginning" : `sent at ${placeOf(history.begin(index))}`;
  const copied = message.copied === true ? ", a copy" : "";
  tip.innerHTML =
    `<h3>${messageText(index)}</h3><div class="state">${tree(message.content)}</div>` +
    `<p class="where">${sent}${copied}; ${ends[message.fate]}</p>`;
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  tip.style.left = `${Math.max(8, Math.min(x + 14, window.innerWidth - box.width - 8))}px`;
  tip.style.top = `${Math.max(8, Math.min(y + 14, window.innerHeight - box.height - 8))}px`;
}

function messageAt(target: EventTarget | null): number | undefined {
  const found = (target as Element | null)?.closest?.("[data-message]")?.getAttribute("data-message");
  return found === null || found === undefined ? undefined : Number(found);
}

function pointAt(event: PointerEvent): void {
  const index = messageAt(event.target);
  if (index !== pointed) {
    pointed = index;
    drawSoon();
  }
  if (index === undefined) hideTip();
  else showTip(index, event.clientX, event.clientY);
}

// --- What people do.

const keys: { [key: string]: () => void } = {
  ArrowDown: () => goTo(neighbour(1)),
  ArrowRight: () => goTo(neighbour(1)),
  j: () => goTo(neighbour(1)),
  ArrowUp: () => goTo(neighbour(-1)),
  ArrowLeft: () => goTo(neighbour(-1)),
  k: () => goTo(neighbour(-1)),
  PageDown: () => goTo(step + 20),
  PageUp: () => goTo(step - 20),
  Home: () => goTo(0),
  End: () => goTo(history.steps),
  v: () => goTo(history.violation() ?? step),
  u: () => {
    folded.clear();
    layOut();
  },
  Escape: hideTip,
};

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target instanceof HTMLSelectElement) return;
  const action = keys[event.key];
  if (action === undefined) return;
  event.preventDefault();
  action();
});
document.addEventListener("click", (event) => {
  const button = (event.target as Element).closest("button");
  if (button === null) return;
  const key = button.getAttribute("data-key");
  const site = button.getAttribute("data-fold");
  if (key !== null) keys[key]?.();
  if (site !== null) fold(Number(site));
});
scroller.addEventListener("scroll", () => {
  hideTip();
  drawSoon();
});
picture.addEventListener("pointermove", pointAt);
picture.addEventListener("pointerleave", hideTip);
picture.addEventListener("click", (event) => {
  const index = messageAt(event.target);
  if (index !== undefined) return showTip(index, event.clientX, event.clientY);
  const y = event.clientY - scroller.getBoundingClientRect().top + scroller.scrollTop;
  goTo(Math.floor((y - heads.offsetHeight) / rowHeight));
});
window.addEventListener("resize", layOut);

// --- The beginning.

function begin(): void {
  document.title = run.title === "" ? run.header : run.title;
  element("title").textContent = run.title === "" ? run.header : run.title;
  element("header").textContent = run.title === "" ? "" : run.header;
  const jump = element("jump");
  if (run.verdict === undefined) jump.remove();
  else jump.title = `violates ${run.verdict.property}: ${run.verdict.detail} (v)`;
  const resources = element<HTMLSelectElement>("resource");
  if (history.resources.length === 0) (resources.parentElement as Element).remove();
  for (const name of history.resources) resources.add(new Option(name, name));
  resources.addEventListener("change", () => follow(resources.value));
  layOut();
  goTo(0);
}

begin();
