// Paging of lists whose API pages forward: the way back is remembered, by this tab also over a reload. For who came by a
// link from elsewhere it is looked for from the first page on; where it is too far, they are led to the first page.

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

/** Rows of a list behind a cursor, and the cursor behind them. */
export type ReadRows = (
  limit: number,
  cursor: string | undefined,
  signal: AbortSignal,
) => Promise<{ readonly rows: number; readonly next: string | null }>;

const SOUGHT_AT_ONCE = 200;
const SEEKS_MAX = 50;
const SEEK_MS = 10_000;

/** Finds a page by reading all before it; null: there are fewer rows, or it is more than 10,000 away. */
export function seekBy(read: ReadRows): Seek {
  return async (rows) => {
    const stop = AbortSignal.timeout(SEEK_MS);
    let [cursor, left]: [string | null, number] = ["", rows];
    for (let seeks = 0; left > 0 && cursor !== null && seeks < SEEKS_MAX; seeks++) {
      const found = await read(Math.min(left, SOUGHT_AT_ONCE), cursor || undefined, stop);
      left -= found.rows;
      cursor = found.next;
    }
    return left > 0 ? null : cursor;
  };
}

/** Ways from a page. Args: shown: rows on it; next: cursor of the page behind it. */
export function forwardPaging(at: PagePlace, shown: number, next: string | null, seek: Seek): Paging {
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

export function nearerPage(at: PagePlace, seek: Seek): (() => void) | null {
  if (!at.cursor) return null;
  const before = pageBefore.get(at.cursor);
  const from = Math.max(1, at.skipped - PAGE + 1);
  if (before !== undefined) return () => movePage({ cursor: before, from });
  if (from === 1) return () => movePage({ cursor: "", from: null });
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
