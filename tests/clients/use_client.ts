// A program over the types that openapi-typescript makes; prints what it was answered as JSON.
import createClient from "openapi-fetch";
import type { components, paths } from "./api.js";

type Memory = components["schemas"]["Memory"];
type Problem = components["schemas"]["Problem"];

const said = "The queue keeps messages for four days.";
const client = createClient<paths>({ baseUrl: process.argv[2] });
const path = { project: "web" };

function present<T>(value: T | undefined, refusal?: Problem): T {
  if (value === undefined) throw new Error(refusal?.detail ?? "nothing was answered");
  return value;
}

async function create(key: string) {
  return client.POST("/v1/projects/{project}/memories", {
    params: { path, header: { "Idempotency-Key": key } },
    body: { content: said, type: "learning", category: "environment", tags: ["queue"] },
  });
}

const first = await create("once");
const again = await create("once");
const stored = present(first.data, first.error);

const asLines = [{ content: "Deploy after the migrations.", category: "convention" }, { content: "Ports are named in the runbook." }];
const batch = await client.POST("/v1/projects/{project}/memories:batch", {
  params: { path },
  body: asLines.map((line) => JSON.stringify(line)).join("\n"),
  bodySerializer: (body) => String(body),
  headers: { "Content-Type": "application/x-ndjson" },
});
const results = present(batch.data, batch.error);

const page = await client.GET("/v1/projects/{project}/memories", {
  params: { path, query: { category: ["environment", "convention"], limit: 10 } },
});
const memories: Memory[] = present(page.data, page.error).memories;

const recalled = await client.POST("/v1/projects/{project}/recall", {
  params: { path },
  body: { query: "How long are messages kept?", filters: { tags: ["queue"] } },
});
const answer = present(recalled.data, recalled.error);

const exported = await client.GET("/v1/projects/{project}/export", { params: { path }, parseAs: "text" });
const imported = await client.POST("/v1/projects/{project}/import", {
  params: { path: { project: "copy" } },
  body: present(exported.data, exported.error) as string,
  bodySerializer: (body) => String(body),
  headers: { "Content-Type": "application/x-ndjson" },
});
const report = present(imported.data, imported.error);

const missing = await client.GET("/v1/projects/{project}/memories/{id}", {
  params: { path: { project: "web", id: "mem_missing" } },
});
const twice = await client.POST("/v1/projects/{project}/memories", { params: { path }, body: { content: said } });

console.log(
  JSON.stringify({
    same_id: stored.id === present(again.data, again.error).id,
    replayed: again.response.headers.get("idempotent-replayed"),
    receipt: stored.receipt.durable,
    batch: "results" in results ? results.results.map((line) => line.status) : [],
    listed: memories.map((memory) => memory.category).sort(),
    recalled: answer.memories.map((memory) => memory.content),
    signals: (answer.memories[0]?.signals.semantic ?? 0) > 0,
    imported: "imported" in report ? report.imported : -1,
    missing: missing.error?.status,
    twice: [twice.error?.status, twice.error?.type, twice.error?.duplicate_of?.id === stored.id],
  }),
);
