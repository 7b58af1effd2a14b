// Paging of the list. The API pages forward; the way back is remembered, and the last page is the first of the
// opposite order, read backwards.

import { changeQuery, place } from "../../app/router.ts";
import { type ListPage, NEWEST_FIRST } from "./columns.tsx";

export const PAGE = 50;

/** Orders whose opposite is the same list read backwards: no two memories share a place in it. */
const MIRRORED = [NEWEST_FIRST, "created_at"];

const KEPT = "memory-layer-pages-before";
const KEPT_MAX = 500;

/** Cursor of the page before, by the cursor of a page; kept by this tab, so that a reload knows the way back. */
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

/** Place in a list, as the address has it. */
export interface ListPlace {
  readonly sort: string;
  readonly cursor: string;
  /** Rows that are passed over: before the page, or behind it where the list is read from its end. */
  readonly skipped: number;
  readonly isFromEnd: boolean;
}

export function readListPlace(query: URLSearchParams): ListPlace {
  const sort = query.get("sort") ?? NEWEST_FIRST;
  return {
    sort,
    cursor: query.get("cursor") ?? "",
    skipped: Math.max(0, Number(query.get("from") ?? 1) - 1) || 0,
    isFromEnd: query.has("end") && MIRRORED.includes(sort),
  };
}

export function orderAsked({ sort, isFromEnd }: ListPlace): string {
  return isFromEnd ? opposite(sort) : sort;
}

export function opposite(sort: string): string {
  return sort.startsWith("-") ? sort.slice(1) : `-${sort}`;
}

export interface Paging {
  /** Number of the first row that is shown, from 1. */
  readonly first: number;
  readonly onFirst: (() => void) | null;
  readonly onPrevious: (() => void) | null;
  readonly onNext: (() => void) | null;
  readonly onLast: (() => void) | null;
}

/** Ways from a page. Args: asked: key of the page that is asked for, which may still be on its way. */
export function pagingOf(
  at: ListPlace,
  page: ListPage | undefined,
  total: number | null,
  asked: string,
): Paging {
  const shown = page?.rows.length ?? 0;
  const [farther, nearer] = [fartherPage(at, page, asked), nearerPage(at)];
  const isMirrored = MIRRORED.includes(at.sort);
  const begin = () => move({ cursor: "", from: null, end: null });
  const end = () => move({ cursor: "", from: null, end: "1" });
  if (!at.isFromEnd) {
    const first = at.skipped + 1;
    const onLast = farther && isMirrored ? end : null;
    return { first, onFirst: at.cursor ? begin : null, onPrevious: nearer, onNext: farther, onLast };
  }
  const first = Math.max(1, (total ?? 0) - at.skipped - shown + 1);
  return { first, onFirst: begin, onPrevious: farther, onNext: nearer, onLast: at.cursor ? end : null };
}

/** Rows of a page in the order of the list. */
export function rowsInOrder(at: ListPlace, page: ListPage | undefined): ListPage["rows"] {
  const rows = page?.rows ?? [];
  return at.isFromEnd ? [...rows].reverse() : rows;
}

function fartherPage(at: ListPlace, page: ListPage | undefined, asked: string): (() => void) | null {
  const next = page?.next;
  if (!page || !next) return null;
  const here = place.value;
  return () => {
    if (page.of !== asked || place.value !== here) return;
    notePageBefore(next, at.cursor);
    move({ cursor: next, from: at.skipped + page.rows.length + 1 });
  };
}

function nearerPage(at: ListPlace): (() => void) | null {
  if (!at.cursor) return null;
  const before = pageBefore.get(at.cursor);
  if (before === undefined) return () => move({ cursor: "", from: null });
  return () => move({ cursor: before, from: Math.max(1, at.skipped - PAGE + 1) });
}

function move(to: { cursor: string; from: number | null; end?: string | null }): void {
  changeQuery({ ...to, from: to.from && to.from > 1 ? to.from : null });
}
