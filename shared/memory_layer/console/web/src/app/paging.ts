// Paging of lists whose API pages forward: the way back is remembered, by this tab also over a reload. For who came by a
// link from elsewhere it is looked for from the first page on, where the list can; else they are led to the first page.

import { changeQuery, place } from "./router.ts";

export const PAGE = 50;

const KEPT = "memory-layer-pages-before";
const KEPT_MAX = 500;

/** Cursor of the page before, by the cursor of a page. */
const pageBefore = new Map<string, string>(keptPages());

function keptPages(): [string, string][] {
  try {
    return JSON.parse(sessionStorage.getItem(KEPT) ?? "[]") as [string, string][];
  } catch {
    return []; // a browser that keeps nothing goes back to the first page
  }
}

function notePageBefore(cursor: string, before: string): void {
  pageBefore.set(cursor, before);
  try {
    sessionStorage.setItem(KEPT, JSON.stringify([...pageBefore].slice(-KEPT_MAX)));
  } catch {
    return; // it is known until the page is left
  }
}

/** Page of a list, as the address has it. */
export interface PagePlace {
  readonly cursor: string;
  /** Rows that are passed over on the way to it. */
  readonly skipped: number;
}

export function readPagePlace(query: URLSearchParams): PagePlace {
  return {
    cursor: query.get("cursor") ?? "",
    skipped: Math.max(0, Number(query.get("from") ?? 1) - 1) || 0,
  };
}

export interface Paging {
  /** Number of the first row that is shown, from 1. */
  readonly first: number;
  readonly onFirst: (() => void) | null;
  readonly onPrevious: (() => void) | null;
  readonly onNext: (() => void) | null;
}

/** Finds the cursor of the page that begins behind so many rows; null: there is none, or it is too far. */
export type Seek = (rows: number) => Promise<string | null>;

/** Ways from a page. Args: shown: rows on it; next: cursor of the page behind it. */
export function forwardPaging(at: PagePlace, shown: number, next: string | null, seek?: Seek): Paging {
  return {
    first: at.skipped + 1,
    onFirst: at.cursor ? () => movePage({ cursor: "", from: null }) : null,
    onPrevious: nearerPage(at, seek),
    onNext: fartherPage(at, shown, next),
  };
}

/** Way on from the page that is shown; it holds as long as the address is not changed. */
export function fartherPage(at: PagePlace, shown: number, next: string | null): (() => void) | null {
  if (!next) return null;
  const here = place.value;
  return () => {
    if (place.value !== here) return;
    notePageBefore(next, at.cursor);
    movePage({ cursor: next, from: at.skipped + shown + 1 });
  };
}

export function nearerPage(at: PagePlace, seek?: Seek): (() => void) | null {
  if (!at.cursor) return null;
  const before = pageBefore.get(at.cursor);
  const from = Math.max(1, at.skipped - PAGE + 1);
  if (before !== undefined) return () => movePage({ cursor: before, from });
  if (!seek || from === 1) return () => movePage({ cursor: "", from: null });
  return () => void soughtPage(at, from, seek);
}

async function soughtPage(at: PagePlace, from: number, seek: Seek): Promise<void> {
  const here = place.value;
  const found = await seek(from - 1).catch(() => null);
  if (place.value !== here) return;
  if (found === null) return movePage({ cursor: "", from: null });
  notePageBefore(at.cursor, found);
  movePage({ cursor: found, from });
}

export function movePage(to: { cursor: string; from: number | null; end?: string | null }): void {
  changeQuery({ ...to, from: to.from && to.from > 1 ? to.from : null });
}
