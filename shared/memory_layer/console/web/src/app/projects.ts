// Projects that the caller sees, for the switcher.

import { signal } from "@preact/signals";
import { type Answer, get } from "../api/client.ts";
import { goTo, linkTo, place } from "./router.ts";

export type ProjectCount = Answer<"/v1/projects", "get">["projects"][number];

const KEY = "memory-layer-project";
const PAGES_MAX = 25;

export const projects = signal<readonly ProjectCount[]>([]);

/** Reads all projects; where the address names none, the one that was shown last, or the largest, is shown. */
export async function readProjects(): Promise<void> {
  const found: ProjectCount[] = [];
  let cursor: string | null | undefined;
  for (let page = 0; page < PAGES_MAX; page++) {
    const answer = await get("/v1/projects", { query: { limit: 200, cursor: cursor ?? undefined } });
    found.push(...answer.projects);
    cursor = answer.next_cursor;
    if (!cursor) break;
  }
  projects.value = found;
  if (place.value.project === null) showFirst(found);
}

function showFirst(found: readonly ProjectCount[]): void {
  const kept = readKept();
  const largest = [...found].sort((one, other) => other.total - one.total)[0]?.project;
  const first = found.some((one) => one.project === kept) ? kept : largest;
  if (first) goTo(linkTo(place.value.page, queryOf(), place.value.rest, first), { replace: true });
}

export function showProject(project: string): void {
  try {
    localStorage.setItem(KEY, project);
  } catch {
    // the choice lasts as long as the address
  }
  goTo(linkTo(place.value.page, {}, [], project));
}

function readKept(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function queryOf(): Record<string, string[]> {
  const { query } = place.value;
  return Object.fromEntries([...query.keys()].map((name) => [name, query.getAll(name)]));
}
