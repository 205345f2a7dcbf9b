// A run as `allot view` writes it into the page (src/view/run_page.cpp), and what the page derives from it.
//
// Steps are numbered from 0, the beginning; step i + 1 is the event i. Each step has a row of its own.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json };
export type Path = (string | number)[];
export type Patch = [Path, Json][];

export type Look = "absent" | "idle" | "waiting" | "holding" | "revoked" | "leaving" | "down" | "left";
export type Mark =
  "program" | "message" | "start" | "crash" | "timer" | "detector" | "view" | "link" | "disk" | "hand";
export type Fate = "in_flight" | "delivered" | "lost" | "vanished";

export interface Lane {
  look: Look;
  paused?: boolean;
  state: Json;
}

export interface Message {
  from: number;
  to: number;
  kind: string;
  content: Json;
  sent?: number;
  ended?: number;
  fate: Fate;
  copied?: boolean;
}

export interface Event {
  line: number;
  text: string;
  label: string;
  mark: Mark;
  site?: number;
  note?: string;
  time?: string;
  received?: number;
  wants?: string[];
  changes?: [number, Look, boolean][];
  states?: [number, Patch][];
}

export interface Verdict {
  property: string;
  detail: string;
  event?: number;
}

export interface Run {
  title: string;
  header: string;
  lanes: Lane[];
  events: Event[];
  messages: Message[];
  verdict?: Verdict;
  loop?: number;
}

// A site from one step on, until the next of these.
export interface Stay {
  step: number;
  look: Look;
  paused: boolean;
  wants: string[];
}

interface Version {
  step: number;
  state: Json;
  patch: Patch;
}

const blockSize = 64;

// The value with the changes, sharing what did not change with the value before.
export function patched(value: Json, patch: Patch): Json {
  return patch.reduce((whole, [path, part]) => replaced(whole, path, 0, part), value);
}

function replaced(value: Json, path: Path, depth: number, part: Json): Json {
  if (depth === path.length) return part;
  const step = path[depth] as string | number;
  if (Array.isArray(value)) {
    const copy = value.slice();
    copy[step as number] = replaced(copy[step as number] as Json, path, depth + 1, part);
    return copy;
  }
  const object = value as { [name: string]: Json };
  return { ...object, [step]: replaced(object[step] as Json, path, depth + 1, part) };
}

// What is at a path; undefined if there is no such place.
export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let place: Json | undefined = value;
  for (const step of path) {
    if (place === null || typeof place !== "object") return undefined;
    place = (place as { [name: string]: Json })[step as string];
  }
  return place;
}

// The last entry that has begun by this step.
function latest<T extends { step: number }>(list: T[], step: number): T {
  let low = 0;
  let high = list.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((list[middle] as T).step <= step) low = middle;
    else high = middle;
  }
  return list[low] as T;
}

function mentions(value: Json, name: string): boolean {
  if (value === name) return true;
  if (value === null || typeof value !== "object") return false;
  if (Array.isArray(value)) return value.some((one) => mentions(one, name));
  return Object.entries(value).some(([key, one]) => key === name || mentions(one, name));
}

export class History {
  readonly steps: number; // the last step
  readonly stays: Stay[][];
  readonly sentAt: number[][]; // messages, by step
  readonly resources: string[];
  private readonly versions: Version[][];
  private readonly blocks: number[][] = []; // messages that cross each block of rows

  constructor(readonly run: Run) {
    this.steps = run.events.length;
    this.stays = run.lanes.map((lane) => [
      { step: 0, look: lane.look, paused: lane.paused ?? false, wants: [] },
    ]);
    this.versions = run.lanes.map((lane) => [{ step: 0, state: lane.state, patch: [] }]);
    this.sentAt = Array.from({ length: this.steps + 1 }, () => []);
    const resources = new Set<string>();
    run.events.forEach((event, index) => {
      this.addEvent(event, index + 1);
      event.wants?.forEach((name) => resources.add(name));
    });
    this.resources = [...resources].sort();
    run.messages.forEach((_, index) => this.addMessage(index));
  }

  private addEvent(event: Event, step: number): void {
    for (const [site, look, paused] of event.changes ?? []) {
      const stays = this.stays[site] as Stay[];
      const before = stays[stays.length - 1] as Stay;
      const asks = event.wants !== undefined && event.site === site;
      const wants = asks ? (event.wants as string[]) : look === "idle" ? [] : before.wants;
      stays.push({ step, look, paused, wants });
    }
    for (const [site, patch] of event.states ?? []) {
      const versions = this.versions[site] as Version[];
      const before = versions[versions.length - 1] as Version;
      versions.push({ step, state: patched(before.state, patch), patch });
    }
  }

  private addMessage(index: number): void {
    (this.sentAt[this.begin(index)] as number[]).push(index);
    const first = Math.floor(this.begin(index) / blockSize);
    const last = Math.floor(this.end(index) / blockSize);
    for (let block = first; block <= last; ++block) (this.blocks[block] ??= []).push(index);
  }

  message(index: number): Message {
    return this.run.messages[index] as Message;
  }
  event(step: number): Event | undefined {
    return this.run.events[step - 1];
  }

  // The step in which a message was sent, and the one in which it ended. One that stays in flight is drawn
  // where it was sent.
  begin(index: number): number {
    const sent = this.message(index).sent;
    return sent === undefined ? 0 : sent + 1;
  }
  end(index: number): number {
    const ended = this.message(index).ended;
    return ended === undefined ? this.begin(index) : ended + 1;
  }

  stay(site: number, step: number): Stay {
    return latest(this.stays[site] as Stay[], step);
  }

  // The state of a site after a step, and what that step changed in it.
  state(site: number, step: number): { state: Json; before: Json; patch: Patch } {
    const versions = this.versions[site] as Version[];
    const now = latest(versions, step);
    if (now.step !== step || step === 0) return { state: now.state, before: now.state, patch: [] };
    return { state: now.state, before: latest(versions, step - 1).state, patch: now.patch };
  }

  // The messages that are under way in some of these rows.
  crossing(first: number, last: number): number[] {
    const found = new Set<number>();
    for (let block = Math.floor(first / blockSize); block <= Math.floor(last / blockSize); ++block)
      for (const index of this.blocks[block] ?? [])
        if (this.begin(index) <= last && this.end(index) >= first) found.add(index);
    return [...found];
  }

  // The step at which the run shows its violation.
  violation(): number | undefined {
    const verdict = this.run.verdict;
    if (verdict === undefined) return undefined;
    return verdict.event === undefined ? 0 : verdict.event + 1;
  }

  // Which steps and messages have to do with a resource.
  trail(resource: string): { steps: Set<number>; messages: Set<number> } {
    const steps = new Set<number>();
    const messages = new Set<number>();
    this.run.messages.forEach((message, index) => {
      if (mentions(message.content, resource)) messages.add(index);
    });
    this.run.events.forEach((event, index) => {
      const step = index + 1;
      const asked = event.wants?.includes(resource) ?? false;
      const received = event.received !== undefined && messages.has(event.received);
      const sends = (this.sentAt[step] as number[]).some((message) => messages.has(message));
      const uses = (event.changes ?? []).some(
        ([site]) =>
          this.stay(site, step).wants.includes(resource) || this.stay(site, step - 1).wants.includes(resource),
      );
      if (asked || received || sends || uses) steps.add(step);
    });
    return { steps, messages };
  }
}
