// The picture of the rows that can be seen, as the inside of an <svg> element. Nothing here touches the page,
// so it is tested without a browser.

import type { History, Message, Stay } from "./run";

export const rowHeight = 28;
const foldedGap = 22;

export interface Shown {
  first: number; // rows
  last: number;
  top: number; // of the first row that is seen, in pixels
  width: number;
  folded: ReadonlySet<number>;
  step: number;
  message?: number | undefined; // that is pointed at
  trail?: { resource: string; steps: Set<number>; messages: Set<number> } | undefined;
}

export function escaped(text: string): string {
  return text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");
}

// Where the lanes stand.
export class Columns {
  readonly xs: number[] = [];
  readonly gap: number;
  readonly width: number; // that the lanes need

  constructor(sites: number, folded: ReadonlySet<number>, width: number, timed = false) {
    const gutter = timed ? 78 : width < 560 ? 40 : 64;
    const margin = width < 560 ? 34 : 70;
    const open = sites - folded.size;
    const free = width - gutter - margin - folded.size * foldedGap;
    this.gap = Math.min(190, Math.max(58, free / Math.max(1, open)));
    let x = gutter;
    for (let site = 0; site < sites; ++site) {
      const gap = folded.has(site) ? foldedGap : this.gap;
      this.xs.push(x + gap / 2);
      x += gap;
    }
    this.width = x + margin;
  }

  x(site: number): number {
    return this.xs[site] as number;
  }
}

export function rowMiddle(row: number): number {
  return row * rowHeight + rowHeight / 2;
}

interface Line {
  x1: number;
  y1: number;
  x2: number;
  y2: number;
}

class Drawing {
  private readonly parts: string[] = [];

  constructor(
    private readonly history: History,
    private readonly columns: Columns,
    private readonly shown: Shown,
  ) {}

  all(): string {
    this.drawCurrentRow();
    this.drawVerdict();
    this.history.run.lanes.forEach((_, site) => this.drawLane(site));
    this.drawMessages();
    for (let row = this.shown.first; row <= this.shown.last; ++row) this.drawRow(row);
    return this.parts.join("");
  }

  private y(row: number): number {
    return rowMiddle(row) - this.shown.top;
  }
  private add(text: string): void {
    this.parts.push(text);
  }

  private drawCurrentRow(): void {
    this.add(
      `<rect class="current" x="0" width="100%" y="${this.y(this.shown.step) - rowHeight / 2}" height="${rowHeight}"/>`,
    );
  }

  private drawVerdict(): void {
    const row = this.history.violation();
    if (row === undefined || row < this.shown.first || row > this.shown.last) return;
    const y = this.y(row) + rowHeight / 2;
    this.add(`<line class="verdict" x1="0" x2="100%" y1="${y}" y2="${y}"/>`);
  }

  private drawLane(site: number): void {
    const x = this.columns.x(site);
    const stays = this.history.stays[site] as Stay[];
    const current = this.history.stay(site, this.shown.first);
    for (let i = stays.indexOf(current); i < stays.length; ++i) {
      const stay = stays[i] as Stay;
      if (stay.step > this.shown.last) break;
      const next = stays[i + 1];
      const from = Math.max(this.y(stay.step), -rowHeight);
      const to = Math.min(this.y(next?.step ?? this.history.steps + 1), this.y(this.shown.last + 1));
      this.drawStay(site, x, stay, from, to);
    }
  }

  private drawStay(site: number, x: number, stay: Stay, from: number, to: number): void {
    const gone = stay.look === "down" || stay.look === "left" || stay.look === "absent";
    this.add(`<line class="lane${gone ? " gone" : ""}" x1="${x}" x2="${x}" y1="${from}" y2="${to}"/>`);
    const trail = this.shown.trail;
    const dim = trail !== undefined && !stay.wants.includes(trail.resource) ? " dim" : "";
    const half = this.shown.folded.has(site) ? 3 : 5;
    const place = `x="${x - half}" width="${2 * half}" y="${from}" height="${Math.max(0, to - from)}" rx="2"`;
    if (!gone && stay.look !== "idle") this.add(`<rect class="bar ${stay.look}${dim}" ${place}/>`);
    if (stay.paused) this.add(`<rect class="bar paused" ${place}/>`);
  }

  // Where the arrow of a message begins and ends. One that is still in flight leads a part of the way.
  private line(index: number, message: Message): Line {
    const x1 = this.columns.x(message.from);
    const y1 = this.y(this.history.begin(index));
    const x2 = this.columns.x(message.to);
    if (message.fate === "in_flight")
      return { x1, y1, x2: x1 + (x2 - x1) * 0.45, y2: y1 + rowHeight * 0.7 };
    const sameRow = this.history.begin(index) === this.history.end(index);
    const y2 = this.y(this.history.end(index)) + (sameRow ? rowHeight * 0.45 : 0);
    const short = message.fate === "delivered" ? 6 : 13;
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const part = Math.max(0, (length - short) / length);
    return { x1, y1, x2: x1 + (x2 - x1) * part, y2: y1 + (y2 - y1) * part };
  }

  // Most messages of a busy run only pass by. Where nothing but their middle is seen they are one element.
  private drawMessages(): void {
    const passing = { plain: "", dim: "" };
    for (const index of this.history.crossing(this.shown.first, this.shown.last)) {
      const message = this.history.message(index);
      const passes =
        this.history.begin(index) < this.shown.first &&
        this.history.end(index) > this.shown.last &&
        message.from !== message.to &&
        this.shown.message !== index;
      if (!passes) {
        this.drawMessage(index);
        continue;
      }
      const { x1, y1, x2, y2 } = this.line(index, message);
      const [top, bottom] = [-rowHeight, this.y(this.shown.last + 1)];
      const x = (y: number): string => (x1 + ((x2 - x1) * (y - y1)) / (y2 - y1)).toFixed(1);
      const dim = this.shown.trail !== undefined && !this.shown.trail.messages.has(index);
      passing[dim ? "dim" : "plain"] += `M${x(top)},${top} L${x(bottom)},${bottom}`;
    }
    this.add(`<path class="arrow passing" d="${passing.plain}"/><path class="arrow passing dim" d="${passing.dim}"/>`);
  }

  private drawMessage(index: number): void {
    const message = this.history.message(index);
    const trail = this.shown.trail;
    const classes = ["message", message.fate];
    if (this.shown.message === index) classes.push("pointed");
    else if (trail !== undefined && !trail.messages.has(index)) classes.push("dim");
    const { x1, y1, x2, y2 } = this.line(index, message);
    const path =
      message.from === message.to
        ? `M${x1},${y1} C${x1 + 34},${y1 + 4} ${x1 + 34},${y2 - 4} ${x1 + 6},${y2}`
        : `M${x1.toFixed(1)},${y1} L${x2.toFixed(1)},${y2.toFixed(1)}`;
    this.add(`<g class="${classes.join(" ")}" data-message="${index}"><path class="touch" d="${path}"/>`);
    this.add(`<path class="arrow" d="${path}"/>`);
    if (message.fate === "delivered") {
      const angle = message.from === message.to ? 165 : (Math.atan2(y2 - y1, x2 - x1) * 180) / Math.PI;
      const tip = message.from === message.to ? `${x1 + 6} ${y2}` : `${x2.toFixed(1)} ${y2.toFixed(1)}`;
      this.add(
        `<path class="head" d="M-8,-3.6 L1,0 L-8,3.6 Z" transform="translate(${tip}) rotate(${angle.toFixed(1)})"/>`,
      );
    }
    if (message.fate === "lost" || message.fate === "vanished")
      this.add(`<path class="cross" d="M${x2 - 4},${y2 - 4} l8,8 m0,-8 l-8,8"/>`);
    this.add("</g>");
  }

  private drawRow(row: number): void {
    const y = this.y(row);
    const event = this.history.event(row);
    if (row === 0) this.add(`<text class="line" x="6" y="${y + 4}">begin</text>`);
    if (event === undefined) return;
    const dim = this.shown.trail !== undefined && !this.shown.trail.steps.has(row) ? " dim" : "";
    const first = event.time ?? String(event.line);
    this.add(`<text class="line${dim}" x="6" y="${y + 4}">${escaped(first)}</text>`);
    if (this.history.run.loop === row - 1)
      this.add(
        `<line class="loop" x1="0" x2="100%" y1="${y - rowHeight / 2}" y2="${y - rowHeight / 2}"/>` +
          `<text class="line" x="6" y="${y - rowHeight / 2 + 9}">repeats</text>`,
      );
    if (event.site === undefined) this.add(`<line class="all${dim}" x1="${this.columns.x(0)}" x2="100%" y1="${y}" y2="${y}"/>`);
    const site = event.site ?? 0;
    if (event.mark !== "message") this.add(sign(event.mark, this.columns.x(site), y, dim));
    if (!this.shown.folded.has(site)) this.drawLabel(event.label, site, y, this.comesFromTheRight(row), dim);
  }

  private comesFromTheRight(row: number): boolean {
    const received = this.history.event(row)?.received;
    if (received === undefined) return false;
    const message = this.history.message(received);
    return message.from > message.to;
  }

  // On the side that the message does not come from, unless the label would leave the picture there.
  private drawLabel(label: string, site: number, y: number, before: boolean, dim: string): void {
    const x = this.columns.x(site);
    const about = label.length * 6.6;
    const fits = before ? x - 11 - about > 34 : x + 11 + about < this.shown.width;
    const left = before === fits;
    const anchor = left ? ` text-anchor="end"` : "";
    this.add(`<text class="label${dim}" x="${left ? x - 11 : x + 11}" y="${y + 4}"${anchor}>${escaped(label)}</text>`);
  }
}

const shapes: { [mark: string]: string } = {
  program: "M-4,0 a4,4 0 1,0 8,0 a4,4 0 1,0 -8,0 Z",
  start: "M-4,-5 L5,0 L-4,5 Z",
  crash: "M-6,-6 L6,6 M6,-6 L-6,6",
  timer: "M-5.5,0 a5.5,5.5 0 1,0 11,0 a5.5,5.5 0 1,0 -11,0 Z M0,-3.5 L0,0 L3,1.5",
  detector: "M0,-6 L6,0 L0,6 L-6,0 Z",
  view: "M-5,-5 L5,-5 L5,5 L-5,5 Z",
  link: "M-5,5 L0,-5 M0,5 L5,-5",
  disk: "M-5.5,-3.5 a5.5,2.4 0 1,1 11,0 L5.5,3.5 a5.5,2.4 0 1,1 -11,0 Z",
  hand: "M0,-5.5 L5.4,4.2 L-5.4,4.2 Z",
};

export function sign(mark: string, x: number, y: number, dim = ""): string {
  return `<path class="sign ${mark}${dim}" transform="translate(${x} ${y})" d="${shapes[mark] ?? shapes["program"]}"/>`;
}

export function draw(history: History, columns: Columns, shown: Shown): string {
  return new Drawing(history, columns, shown).all();
}
