// The state of a site as nested lines, with what the last step changed.

import { escaped } from "./draw";
import { type Json, type Patch, valueAt } from "./run";

const shortest = 52; // characters that stand in one line

// As people write it: one line, with spaces.
export function inline(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(inline).join(", ")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.entries(value)
    .map(([name, one]) => `${name}: ${inline(one)}`)
    .join(", ")}}`;
}

interface Changes {
  before: Json;
  paths: Set<string>;
  above: Set<string>; // the containers of what changed
}

function changesOf(before: Json, patch: Patch): Changes {
  const changes: Changes = { before, paths: new Set(), above: new Set() };
  for (const [path] of patch) {
    changes.paths.add(JSON.stringify(path));
    for (let length = 0; length < path.length; ++length)
      changes.above.add(JSON.stringify(path.slice(0, length)));
  }
  return changes;
}

function line(depth: number, name: string | undefined, value: string): string {
  const label = name === undefined ? "" : `<span class="name">${escaped(name)}</span> `;
  return `<div style="padding-left:${depth * 14}px">${label}${value}</div>`;
}

function show(value: Json, path: (string | number)[], name: string | undefined, changes: Changes): string {
  const key = JSON.stringify(path);
  const depth = Math.max(0, path.length - 1);
  if (changes.paths.has(key)) {
    const was = valueAt(changes.before, path);
    const old = was === undefined || was === null ? "" : `<del>${escaped(inline(was))}</del> `;
    return line(depth, name, `${old}<ins>${escaped(inline(value))}</ins>`);
  }
  const text = inline(value);
  const plain = value === null || typeof value !== "object";
  if (plain || (text.length <= shortest && !changes.above.has(key))) {
    if (path.length > 0 || plain) return line(depth, name, escaped(text));
  }
  const members = Object.entries(value as { [name: string]: Json });
  const head = name === undefined ? "" : line(depth, name, "");
  const numbers = Array.isArray(value);
  return (
    head +
    members.map(([member, one]) => show(one, [...path, numbers ? Number(member) : member], member, changes)).join("")
  );
}

// The lines as HTML.
export function tree(state: Json, before: Json = null, patch: Patch = []): string {
  if (state === null) return "";
  return show(state, [], undefined, changesOf(before, patch));
}
