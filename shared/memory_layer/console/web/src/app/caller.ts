// Caller: who this page speaks for, and what they may do. What would be refused is not offered.

import { signal } from "@preact/signals";
import { get, type Memory, type Schemas } from "../api/client.ts";
import type { PageEntry } from "./navigation.ts";

export type Caller = Schemas["CallerAnswer"];

export const caller = signal<Caller | null>(null);

export async function readCaller(): Promise<void> {
  caller.value = await get("/v1/me");
}

/** Tells whether the caller may keep a memory in every prompt: people alone may. */
export function mayPin(): boolean {
  return !(caller.value?.is_agent ?? true);
}

export function mayReview(): boolean {
  return caller.value?.may_review ?? false;
}

/** Tells whether the caller may read the audit log, which tells of every persona and end user. */
export function mayAudit(): boolean {
  return caller.value?.may_audit ?? false;
}

export function mayAdminister(): boolean {
  return caller.value?.may_administer ?? false;
}

export function mayOpen(page: PageEntry): boolean {
  if (page.needs === "review") return mayReview();
  if (page.needs === "audit") return mayAudit();
  return page.needs !== "administer" || mayAdminister();
}

const SHARED_PROJECT = "_shared";
const LEARNED = "lrn_";

/** What the right to change a memory goes by. */
export type Owned = Pick<Memory, "id" | "project" | "created_by" | "standing"> & { readonly source?: string };

/** Tells whether the caller may change a memory: reviewers each, others their own. Of what people said or approved an
    agent may only propose a change; what runs have taught, and what all projects share, is nobody's own. */
export function mayChange(memory: Owned): boolean {
  if (mayReview()) return true;
  const me = caller.value;
  if (!me || memory.project === SHARED_PROJECT || memory.id.startsWith(LEARNED)) return false;
  const isForAgents = memory.standing !== "trusted" && memory.source !== "human";
  return memory.created_by === (me.user ?? me.name) && (isForAgents || !me.is_agent);
}
