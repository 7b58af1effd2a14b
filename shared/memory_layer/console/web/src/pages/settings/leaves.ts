// Settings as leaves: each number, choice and list by its path, so that an edit changes one and resets no other.

import type { Schemas } from "../../api/client.ts";

export type Settings = Schemas["Settings"];
export type Weights = Readonly<Schemas["PriorityWeights"]>;
export type Leaf = string | number | boolean | null | readonly string[] | Weights;
export type Leaves = ReadonlyMap<string, Leaf>;

const MARK = "/";

/** Settings whose members the project names itself, so that a mark may stand in a name. */
const NAMED_BY_PROJECT = ["synonyms", "token_prices"];

/** Settings whose members are set as a whole. */
const WHOLE_MEMBERS = "context_weights";

/** Leaves by their path, such as `limits/failed_per_session_hour`; null: never. */
export function leavesOf(settings: Settings): Leaves {
  const found = new Map<string, Leaf>();
  const walk = (value: unknown, path: readonly string[]) => {
    const isWhole = path.length === 2 && path[0] === WHOLE_MEMBERS;
    if (!isWhole && value !== null && typeof value === "object" && !Array.isArray(value)) {
      for (const [name, member] of Object.entries(value)) walk(member, [...path, name]);
    } else found.set(path.join(MARK), value as Leaf);
  };
  const { version: _, ...own } = settings;
  walk(own, []);
  return found;
}

export function equalLeaf(one: Leaf | undefined, other: Leaf | undefined): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

export interface Difference {
  readonly path: string;
  readonly before: Leaf | undefined;
  readonly after: Leaf | undefined;
}

/** Leaves that differ, in the order of the first, then those that the second alone has. */
export function differences(before: Leaves, after: Leaves): Difference[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])];
  const all = paths.map((path) => ({ path, before: before.get(path), after: after.get(path) }));
  return all.filter((one) => !equalLeaf(one.before, one.after));
}

/** Leaves with the edits; an edit to undefined takes one away. */
export function edited(leaves: Leaves, edits: ReadonlyMap<string, Leaf | undefined>): Leaves {
  const found = new Map(leaves);
  for (const [path, value] of edits) {
    if (value === undefined) found.delete(path);
    else found.set(path, value);
  }
  return found;
}

/** Merge patch (RFC 7396) of the edits alone: what goes back to its default, or away, is null. */
export function patchOf(
  edits: ReadonlyMap<string, Leaf | undefined>,
  defaults: Leaves,
): Record<string, unknown> {
  const patch: Record<string, unknown> = {};
  for (const [path, value] of edits) {
    const isTopLevel = !path.includes(MARK);
    const goesBack = value === undefined || (isTopLevel && equalLeaf(value, defaults.get(path)));
    put(patch, namesIn(path), goesBack ? null : value);
  }
  return patch;
}

function namesIn(path: string): string[] {
  const [setting = "", ...names] = path.split(MARK);
  return NAMED_BY_PROJECT.includes(setting) ? [setting, names.join(MARK)] : [setting, ...names];
}

function put(into: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = "", ...rest] = path;
  if (rest.length === 0) {
    into[name] = value;
    return;
  }
  into[name] ??= {};
  put(into[name] as Record<string, unknown>, rest, value);
}

export function leafText(value: Leaf | undefined): string {
  if (value === undefined) return "–";
  if (value === null) return "never";
  if (typeof value === "boolean") return value ? "on" : "off";
  if (typeof value === "string" || typeof value === "number") return String(value);
  if (!isList(value)) {
    return Object.entries(value)
      .map(([name, weight]) => `${name} ${weight}`)
      .join(", ");
  }
  return value.length > 0 ? value.join(", ") : "none";
}

function isList(value: readonly string[] | Weights): value is readonly string[] {
  return Array.isArray(value);
}

/** Path in words. */
export function pathText(path: string): string {
  return path.replaceAll("_", " ").replaceAll(MARK, " › ");
}
