// Caller: who this page speaks for, and what they may do. What would be refused is not offered.

import { signal } from "@preact/signals";
import { get, type Schemas } from "../api/client.ts";
import type { PageEntry } from "./navigation.ts";

export type Caller = Schemas["CallerAnswer"];

export const caller = signal<Caller | null>(null);

export async function readCaller(): Promise<void> {
  caller.value = await get("/v1/me");
}

export function mayReview(): boolean {
  return caller.value?.may_review ?? false;
}

export function mayAdminister(): boolean {
  return caller.value?.may_administer ?? false;
}

export function mayOpen(page: PageEntry): boolean {
  if (page.needs === "review") return mayReview();
  return page.needs !== "administer" || mayAdminister();
}

/** Tells whether the caller may change a memory: reviewers each, others their own. */
export function mayChange(memory: { created_by: string }): boolean {
  return mayReview() || memory.created_by === (caller.value?.user ?? caller.value?.name);
}
