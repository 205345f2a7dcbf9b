import assert from "node:assert/strict";
import { test } from "node:test";

import { Columns, draw, escaped, rowHeight } from "../src/viewer/draw";
import { type Event, History, type Message, patched, type Run, valueAt } from "../src/viewer/run";
import { inline, tree } from "../src/viewer/tree";

function event(part: Partial<Event>): Event {
  return { line: 1, text: "step", label: "step", mark: "program", ...part };
}

function message(part: Partial<Message>): Message {
  return { from: 0, to: 1, kind: "Ask", content: {}, fate: "delivered", ...part };
}

// Site 0 asks for r, site 1 answers, and the last message is lost.
function example(): Run {
  return {
    title: "",
    header: "protocol example sites=2",
    lanes: [
      { look: "idle", state: { clock: 0, peers: [1, 2] } },
      { look: "idle", state: { clock: 0, peers: [] } },
    ],
    events: [
      event({ text: "request 0 r", site: 0, wants: ["r"], changes: [[0, "waiting", false]], states: [[0, [[["clock"], 1]]]] }),
      event({ text: "deliver 0 -> 1 Ask", label: "Ask", mark: "message", site: 1, received: 0 }),
      event({ text: "deliver 1 -> 0 Grant", label: "Grant", mark: "message", site: 0, received: 1, changes: [[0, "holding", false]], states: [[0, [[["peers", 1], 7]]]] }),
      event({ text: "release 0", site: 0, changes: [[0, "idle", false]] }),
    ],
    messages: [
      message({ content: { of: "r" }, sent: 0, ended: 1 }),
      message({ from: 1, to: 0, kind: "Grant", sent: 1, ended: 2 }),
      message({ kind: "Bye", sent: 3, fate: "in_flight" }),
    ],
    verdict: { property: "mutual", detail: "two hold", event: 2 },
  };
}

function shown(history: History, part: object = {}): string {
  const folded = (part as { folded?: Set<number> }).folded ?? new Set<number>();
  const columns = new Columns(history.run.lanes.length, folded, 800);
  return draw(history, columns, { first: 0, last: history.steps, top: 0, width: 800, folded, step: 0, ...part });
}

test("A patch replaces places and leaves the value before as it was", () => {
  const before = { a: [1, { b: 2 }], c: 3 };
  const after = patched(before, [[["a", 1, "b"], 5], [["c"], null]]);
  assert.deepEqual(after, { a: [1, { b: 5 }], c: null });
  assert.deepEqual(before, { a: [1, { b: 2 }], c: 3 });
  assert.equal(valueAt(after, ["a", 1, "b"]), 5);
  assert.equal(valueAt(after, ["a", 9, "b"]), undefined);
});

test("The state of a site is known at every step, with what the step changed", () => {
  const history = new History(example());
  assert.deepEqual(history.state(0, 0), { state: { clock: 0, peers: [1, 2] }, before: { clock: 0, peers: [1, 2] }, patch: [] });
  assert.deepEqual(history.state(0, 2).state, { clock: 1, peers: [1, 2] });
  assert.deepEqual(history.state(0, 2).patch, []);
  const third = history.state(0, 3);
  assert.deepEqual(third.state, { clock: 1, peers: [1, 7] });
  assert.deepEqual(third.before, { clock: 1, peers: [1, 2] });
  assert.deepEqual(third.patch, [[["peers", 1], 7]]);
});

test("A site keeps its look and what it wants until that changes", () => {
  const history = new History(example());
  assert.deepEqual([0, 1, 2, 3, 4].map((step) => history.stay(0, step).look), ["idle", "waiting", "waiting", "holding", "idle"]);
  assert.deepEqual(history.stay(0, 3).wants, ["r"]);
  assert.deepEqual(history.stay(0, 4).wants, []);
  assert.equal(history.stay(1, 4).look, "idle");
});

test("Only messages under way in the rows that are seen are drawn", () => {
  const run = example();
  for (let i = 0; i < 1000; ++i) {
    run.events.push(event({ site: 0 }));
    run.messages.push(message({ sent: 4 + i, ended: 4 + i }));
  }
  run.messages.push(message({ kind: "Long", sent: 0, ended: 900 }));
  const history = new History(run);
  const seen = history.crossing(500, 510).map((index) => history.message(index).kind);
  assert.equal(seen.filter((kind) => kind === "Ask").length, 11);
  assert.deepEqual(seen.filter((kind) => kind !== "Ask"), ["Long"]);
});

test("Messages that only pass by are one element", () => {
  const run = example();
  for (let i = 0; i < 500; ++i) run.events.push(event({ site: 0 }));
  for (let i = 0; i < 300; ++i) run.messages.push(message({ sent: 5, ended: 400 }));
  const history = new History(run);
  const text = draw(history, new Columns(2, new Set(), 800), {
    first: 100,
    last: 130,
    top: 2800,
    width: 800,
    folded: new Set(),
    step: 0,
  });
  assert.equal(text.match(/data-message/g), null);
  assert.equal(text.match(/M\d+\.\d,-28 L/g)?.length, 300);
});

test("A resource is followed from request to release", () => {
  const trail = new History(example()).trail("r");
  assert.deepEqual([...trail.steps].sort(), [1, 2, 3, 4]);
  assert.deepEqual([...trail.messages], [0]);
  assert.deepEqual([...new History(example()).trail("other").steps], []);
});

test("The step of the violation is known, and where there is none", () => {
  const run = example();
  assert.equal(new History(run).violation(), 3);
  run.verdict = { property: "p", detail: "d" };
  assert.equal(new History(run).violation(), 0);
  delete run.verdict;
  assert.equal(new History(run).violation(), undefined);
});

test("Names from outside cannot become part of the page", () => {
  const run = example();
  (run.events[0] as Event).label = `<img src=x onerror="alert(1)">`;
  const text = shown(new History(run));
  assert.ok(!text.includes("<img"));
  assert.ok(text.includes("&lt;img src=x onerror=&quot;"));
  assert.equal(tree({ "<b>": "<i>" }).includes("<b>"), false);
  assert.equal(escaped(`<&">`), "&lt;&amp;&quot;&gt;");
});

test("A folded lane has no labels, and leaves its space to the others", () => {
  const history = new History(example());
  const folded = new Set([1]);
  assert.ok(shown(history).includes(">Ask<"));
  assert.ok(!shown(history, { folded }).includes(">Ask<"));
  const open = new Columns(6, new Set(), 800);
  const narrow = new Columns(6, new Set([1, 2]), 800);
  assert.ok(narrow.gap > open.gap);
  assert.ok(narrow.x(2) - narrow.x(1) < 30);
});

test("What is not followed is dimmed", () => {
  const history = new History(example());
  const text = shown(history, { trail: { resource: "r", ...history.trail("r") } });
  assert.match(text, /class="message delivered" data-message="0"/);
  assert.match(text, /class="message delivered dim" data-message="1"/);
});

test("Labels stay inside the picture", () => {
  const run = example();
  (run.events[1] as Event).label = "A label that is long enough to leave the picture";
  const history = new History(run);
  const columns = new Columns(2, new Set(), 420);
  const text = draw(history, columns, { first: 0, last: 4, top: 0, width: 420, folded: new Set(), step: 0 });
  assert.match(text, /text-anchor="end">A label that/);
});

test("A state is shown as lines, and what changed with its former value", () => {
  const state = { clock: 2, long: { one: "a long text of forty characters, or so it is", two: 2 } };
  const text = tree(state, { clock: 1, long: state.long }, [[["clock"], 2]]);
  assert.match(text, /clock<\/span> <del>1<\/del> <ins>2<\/ins>/);
  assert.match(text, /one<\/span> &quot;a long text/);
  assert.equal(tree(null), "");
  assert.equal(inline({ a: [1, "x"], b: null }), `{a: [1, "x"], b: null}`);
});

test("Rows follow one another at the same distance", () => {
  const history = new History(example());
  assert.match(shown(history), new RegExp(`height="${rowHeight}"`));
});
