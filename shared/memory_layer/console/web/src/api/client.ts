// Client of the public API, typed by docs/openapi.json: the path, its parameters, the body and the answer of each call.

import { askToSignIn, bearer, config } from "../app/session.ts";
import { ApiProblem, type ProblemDocument } from "./problem.ts";
import type { components, paths } from "./schema.d.ts";
import { waitedFor } from "./under_way.ts";

export type Schemas = components["schemas"];
export type Memory = Schemas["Memory"];

type Method = "get" | "post" | "put" | "patch" | "delete";
type Operation<P extends keyof paths, M extends Method> = Extract<paths[P][M], { responses: unknown }>;
type PathsWith<M extends Method> = {
  [P in keyof paths]: [Operation<P, M>] extends [never] ? never : P;
}[keyof paths];

type JsonOf<Content> = Content extends { content: { "application/json": infer Json } } ? Json : undefined;
type Good = 200 | 201 | 202 | 204;
export type Answer<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { responses: infer Responses }
    ? JsonOf<Responses[Extract<keyof Responses, Good>]>
    : undefined;

type ParametersOf<P extends keyof paths, M extends Method, Where extends string> =
  Operation<P, M> extends { parameters: { [K in Where]?: infer Given } } ? Given : undefined;
type BodyOf<P extends keyof paths, M extends Method> =
  Operation<P, M> extends { requestBody?: { content: { "application/json": infer Json } } }
    ? Json
    : undefined;

export interface Asked<P extends keyof paths, M extends Method> {
  path?: ParametersOf<P, M, "path">;
  query?: ParametersOf<P, M, "query">;
  body?: BodyOf<P, M>;
  /** ETag last seen: what has changed meanwhile is refused with 412, and not overwritten. */
  ifMatch?: string | null;
  /** End user for whom is asked: their persona, and what they see. Admins alone, and services for users. */
  asUser?: string | null;
  signal?: AbortSignal | null;
}

export interface Reply<Json> {
  readonly json: Json;
  readonly etag: string | null;
  readonly status: number;
  readonly location: string | null;
}

/** Calls the API, and resolves to its answer. Every POST has an idempotency key, so that a repeat takes effect once. */
export async function call<M extends Method, P extends PathsWith<M>>(
  method: M,
  path: P,
  asked: Asked<P, M> = {},
): Promise<Reply<Answer<P, M>>> {
  const token = bearer();
  const sending = sent(new Request(urlOf(path as string, asked), requestOf(method, asked)));
  const answer = await (method === "get" ? sending : waitedFor(sending));
  if (!answer.ok) throw await problemOf(answer, token);
  return {
    json: (answer.status === 204 ? undefined : await jsonOf(answer)) as Answer<P, M>,
    etag: answer.headers.get("etag"),
    status: answer.status,
    location: answer.headers.get("location"),
  };
}

export async function get<P extends PathsWith<"get">>(
  path: P,
  asked: Asked<P, "get"> = {},
): Promise<Answer<P, "get">> {
  return (await call("get", path, asked)).json;
}

/** ETag of a record that is at hand. */
export function etagOf(memory: Pick<Memory, "version">): string {
  return `"${memory.version}"`;
}

/** Headers of every call: who calls. */
export function callerHeaders(): Record<string, string> {
  const token = bearer();
  return token ? { authorization: `Bearer ${token}` } : {};
}

export function apiUrl(path: string): string {
  return new URL(path.replace(/^\//, ""), document.baseURI).toString();
}

/** Headers that name a request, of this server and of gateways before it. */
const REQUEST_IDS = ["x-request-id", "apigw-requestid"];

function requestIdOf({ headers }: Response): string | null {
  return REQUEST_IDS.map((name) => headers.get(name)).find((id) => id !== null) ?? null;
}

interface Loose {
  path?: unknown;
  query?: unknown;
  body?: unknown;
  ifMatch?: string | null;
  asUser?: string | null;
  signal?: AbortSignal | null;
}

function requestOf(method: Method, asked: Loose): RequestInit {
  const headers = callerHeaders();
  if (asked.body !== undefined) headers["content-type"] = "application/json";
  if (asked.asUser) headers["memory-user"] = asked.asUser;
  if (asked.ifMatch) headers["if-match"] = asked.ifMatch;
  if (method === "post") headers["idempotency-key"] = crypto.randomUUID();
  return {
    method: method.toUpperCase(),
    headers,
    signal: asked.signal ?? null,
    cache: "no-store",
    body: asked.body === undefined ? null : JSON.stringify(asked.body),
  };
}

function urlOf(path: string, asked: Loose): string {
  const named = (asked.path ?? {}) as Record<string, unknown>;
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(named[name])));
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries((asked.query ?? {}) as Record<string, unknown>)) {
    for (const one of Array.isArray(value) ? value : [value]) {
      if (one !== undefined && one !== null && one !== "") query.append(name, String(one));
    }
  }
  const text = query.toString();
  return apiUrl(text ? `${filled}?${text}` : filled);
}

function sent(request: Request): Promise<Response> {
  return overNetwork(new URL(request.url).pathname, () => fetch(request));
}

/** Does what may fail by the network alone. */
async function overNetwork<Result>(path: string, act: () => Promise<Result>): Promise<Result> {
  try {
    return await act();
  } catch (error) {
    if (error instanceof DOMException && error.name === "AbortError") throw error;
    throw ApiProblem.unreachable(path);
  }
}

async function jsonOf(answer: Response): Promise<unknown> {
  const path = new URL(answer.url).pathname;
  const text = await overNetwork(path, () => answer.text());
  try {
    return JSON.parse(text);
  } catch {
    throw ApiProblem.unreadable(answer.status, path, requestIdOf(answer));
  }
}

/** Why a call was refused. Args: token: that it was sent with; a session that began since is not ended by it. */
async function problemOf(answer: Response, token: string | null): Promise<ApiProblem> {
  const isProblem = (answer.headers.get("content-type") ?? "").includes("problem+json");
  const document = isProblem ? ((await jsonOf(answer)) as ProblemDocument) : null;
  const path = new URL(answer.url).pathname;
  const problem = ApiProblem.of(answer.status, path, document, requestIdOf(answer));
  const isOfSession = token === bearer() && (token || config.value.asks_for_tokens);
  if (answer.status === 401 && isOfSession) askToSignIn(problem.detail);
  return problem;
}
