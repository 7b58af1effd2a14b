// Paging of the list of memories: as other lists, and from its end as well, where the API reads the order backwards.

import * as pages from "../../app/paging.ts";
import { type ListPage, NEWEST_FIRST } from "./columns.tsx";

/** Place in a list, as the address has it; where it is read from its end, the rows behind the page are skipped. */
export interface ListPlace extends pages.PagePlace {
  readonly sort: string;
  readonly isFromEnd: boolean;
  /** The list is that of an earlier time, which is read newest first alone. */
  readonly isPast: boolean;
}

export function readListPlace(query: URLSearchParams): ListPlace {
  const isPast = query.has("as_of");
  const sort = query.get("sort") ?? NEWEST_FIRST;
  return { ...pages.readPagePlace(query), sort, isPast, isFromEnd: query.has("end") && !isPast };
}

export interface ListPaging extends pages.Paging {
  /** Missing: there is no way to the end but page by page. */
  readonly onLast?: (() => void) | null;
}

/** Ways from a page. Args: asked: key of the page that is asked for, which may still be on its way; seek: finds one. */
export function pagingOf(
  at: ListPlace,
  page: ListPage | undefined,
  total: number | null,
  asked: string,
  seek: pages.Seek,
): ListPaging {
  const shown = page?.rows.length ?? 0;
  const forward = pages.forwardPaging(at, shown, page?.of === asked ? page.next : null, seek);
  if (at.isPast) return forward;
  const end = () => pages.movePage({ cursor: "", from: null, end: "1" });
  if (!at.isFromEnd) return { ...forward, onLast: forward.onNext && end };
  return {
    first: Math.max(1, (total ?? 0) - at.skipped - shown + 1),
    onFirst: () => pages.movePage({ cursor: "", from: null, end: null }),
    onPrevious: forward.onNext,
    onNext: forward.onPrevious,
    onLast: at.cursor ? end : null,
  };
}

/** Rows of a page in the order of the list. */
export function rowsInOrder(at: ListPlace, page: ListPage | undefined): ListPage["rows"] {
  const rows = page?.rows ?? [];
  return at.isFromEnd ? [...rows].reverse() : rows;
}
