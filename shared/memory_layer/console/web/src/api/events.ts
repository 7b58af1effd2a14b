// Live changes: the project's feed as a stream (server-sent events), read by fetch so that it carries the token. Where
// there is no stream, nothing is missing but that pages refresh by themselves.

import { signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { place } from "../app/router.ts";
import { signIn } from "../app/session.ts";
import { apiUrl, callerHeaders } from "./client.ts";
import type { components } from "./schema.d.ts";

export type ChangeEvent = components["schemas"]["ChangeEvent"];

const FIRST_WAIT_MS = 1_000;
const LONGEST_WAIT_MS = 60_000;
const SETTLE_MS = 400;

/** Changes arrive by themselves. */
export const isLive = signal(false);

const listeners = new Set<(event: ChangeEvent) => void>();

/** Calls back soon after a change that concerns the page, once for many that come together. */
export function useChanges(concerns: (event: ChangeEvent) => boolean, then: () => void): void {
  const held = useRef({ concerns, then });
  held.current = { concerns, then };
  useEffect(() => {
    let waiting: ReturnType<typeof setTimeout> | undefined;
    const listener = (event: ChangeEvent) => {
      if (!held.current.concerns(event)) return;
      clearTimeout(waiting);
      waiting = setTimeout(() => held.current.then(), SETTLE_MS);
    };
    listeners.add(listener);
    return () => {
      clearTimeout(waiting);
      listeners.delete(listener);
    };
  }, []);
}

/** Follows the feed of the project that is shown, as long as the frame is there. */
export function useFeed(): void {
  const project = place.value.project;
  const session = signIn.value;
  useEffect(() => {
    if (!project || session.state === "needed") return;
    const stop = new AbortController();
    void follow(project, stop.signal);
    return () => stop.abort();
  }, [project, session]);
}

async function follow(project: string, stop: AbortSignal): Promise<void> {
  let last: string | null = null;
  let wait = FIRST_WAIT_MS;
  while (!stop.aborted) {
    try {
      const answer = await openFeed(project, last, stop);
      if (answer.status >= 500 || answer.status === 429) throw new Error(`status ${answer.status}`);
      if (!answer.ok || !isStream(answer)) return; // no feed here, or no right to it
      isLive.value = true;
      for await (const event of eventsOf(answer)) {
        last = event.id;
        wait = FIRST_WAIT_MS;
        for (const listener of listeners) listener(event);
      }
    } catch {
      if (stop.aborted) break; // else the connection fell away, and is taken up again below
    }
    isLive.value = false;
    await new Promise((resolve) => setTimeout(resolve, wait));
    wait = Math.min(wait * 2, LONGEST_WAIT_MS);
  }
  isLive.value = false;
}

function openFeed(project: string, last: string | null, stop: AbortSignal): Promise<Response> {
  const headers: Record<string, string> = { ...callerHeaders(), accept: "text/event-stream" };
  if (last) headers["last-event-id"] = last;
  const url = apiUrl(`/v1/projects/${encodeURIComponent(project)}/events`);
  return fetch(url, { headers, signal: stop, cache: "no-store" });
}

function isStream(answer: Response): boolean {
  return (answer.headers.get("content-type") ?? "").startsWith("text/event-stream");
}

async function* eventsOf(answer: Response): AsyncGenerator<ChangeEvent> {
  if (!answer.body) return;
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let held = "";
  for (let part = await reader.read(); !part.done; part = await reader.read()) {
    const blocks = (held + part.value).split("\n\n");
    held = blocks.pop() ?? "";
    for (const block of blocks) {
      const data = dataOf(block);
      if (data) yield JSON.parse(data) as ChangeEvent;
    }
  }
}

function dataOf(block: string): string {
  const lines = block.split("\n").filter((line) => line.startsWith("data:"));
  return lines.map((line) => line.slice(5).trimStart()).join("\n");
}
