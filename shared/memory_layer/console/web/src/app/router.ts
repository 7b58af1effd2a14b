// Router: the whole state of a page stands behind the # of the address, so that a link opens it anywhere.
// #/shop/memories?status=pending is project, page and the page's own parameters.

import { computed, signal } from "@preact/signals";

export interface Place {
  readonly project: string | null;
  readonly page: string;
  /** What follows the page in the path: #/shop/memories/mem_01 has ["mem_01"]. */
  readonly rest: readonly string[];
  readonly query: URLSearchParams;
}

export const FIRST_PAGE = "dashboard";
const NO_PROJECT = "-";

const address = signal(location.hash);

/** The place that the address names. */
export const place = computed<Place>(() => readPlace(address.value));

export function readPlace(hash: string): Place {
  const [path = "", query = ""] = splitOnce(hash.replace(/^#\/?/, ""), "?");
  const [project, page, ...rest] = path.split("/").filter(Boolean).map(decodeURIComponent);
  return {
    project: !project || project === NO_PROJECT ? null : project,
    page: page ?? FIRST_PAGE,
    rest,
    query: new URLSearchParams(query),
  };
}

/** Address of a place, for links. */
export function linkTo(
  page: string,
  query: Record<string, QueryValue> = {},
  rest: readonly string[] = [],
  project = place.value.project,
): string {
  const path = [project ?? NO_PROJECT, page, ...rest].map(encodeURIComponent).join("/");
  const text = queryText(query);
  return `#/${path}${text && `?${text}`}`;
}

export type QueryValue = string | number | boolean | readonly string[] | null | undefined;

function queryText(query: Record<string, QueryValue>): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== null && one !== undefined && one !== "" && one !== false) params.append(name, String(one));
    }
  }
  return params.toString();
}

/** Work on a page that would be lost with it. */
export interface Hold {
  readonly isUnsaved: () => boolean;
  /** Asks the person, and calls `leave` if that is wanted. */
  readonly ask: (leave: () => void) => void;
  /** Parameter of the page without which, as it is now, the work is out of sight. */
  readonly shownBy?: string | undefined;
}

let held: Hold | null = null;

/** Holds the page that is shown: who would leave it is asked first. Returns what lets it go. */
export function holdPage(hold: Hold): () => void {
  held = hold;
  return () => {
    if (held === hold) held = null;
  };
}

/** Lets the page go: what was unsaved is saved now, or given up. */
export function letPageGo(): void {
  held = null;
}

/** Asks before an address is gone to that leaves unsaved work; false: nobody needs to be asked. */
function isAskedBefore(link: string, options = { replace: false }): boolean {
  const hold = held;
  if (!hold || keepsInSight(hold, readPlace(link)) || !hold.isUnsaved()) return false;
  hold.ask(() => {
    held = null;
    goTo(link, options);
  });
  return true;
}

function keepsInSight({ shownBy }: Hold, asked: Place): boolean {
  const shown = place.value;
  if (!samePage(asked, shown)) return false;
  return shownBy === undefined || asked.query.get(shownBy) === shown.query.get(shownBy);
}

function samePage(one: Place, other: Place): boolean {
  const pathOf = ({ project, page, rest }: Place) => JSON.stringify([project, page, rest]);
  return pathOf(one) === pathOf(other);
}

export function goTo(link: string, { replace = false } = {}): void {
  if (isAskedBefore(link, { replace })) return;
  if (replace) history.replaceState(null, "", link);
  else history.pushState(null, "", link);
  address.value = location.hash;
}

/** Changes parameters of the page that is shown, and keeps the others. */
export function changeQuery(changes: Record<string, QueryValue>, options = { replace: false }): void {
  const { page, rest, query, project } = place.value;
  const kept: Record<string, QueryValue> = {};
  for (const name of query.keys()) kept[name] = query.getAll(name);
  goTo(linkTo(page, { ...kept, ...changes }, rest, project), options);
}

export function listenToAddress(): void {
  const read = () => {
    const asked = location.hash;
    if (asked !== address.value && isAskedBefore(asked)) history.pushState(null, "", address.value);
    else address.value = asked;
  };
  addEventListener("hashchange", read);
  addEventListener("popstate", read);
  addEventListener("click", askBeforeLink, { capture: true });
  read();
}

/** Asks before a link is followed, so that no entry of the history is left where the person stays. */
function askBeforeLink(event: MouseEvent): void {
  const isElsewhere = event.button !== 0 || event.ctrlKey || event.metaKey || event.shiftKey || event.altKey;
  const link =
    event.target instanceof Element ? event.target.closest<HTMLAnchorElement>("a[href^='#/']") : null;
  if (link && !isElsewhere && isAskedBefore(link.hash)) event.preventDefault();
}

function splitOnce(text: string, mark: string): [string, string] {
  const at = text.indexOf(mark);
  return at < 0 ? [text, ""] : [text.slice(0, at), text.slice(at + mark.length)];
}
