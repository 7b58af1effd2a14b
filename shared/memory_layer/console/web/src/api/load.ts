// Loading of what a page shows: what was there stays in sight while the new is fetched; an answer that comes late for
// another question is dropped. What is refused because the session has ended is loaded once there is another one.

import { type ReadonlySignal, type Signal, signal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo } from "preact/hooks";
import { signIn } from "../app/session.ts";
import { type ApiProblem, asProblem } from "./problem.ts";
import { begun, ended } from "./under_way.ts";

export interface Loaded<Value> {
  readonly value: Value | undefined;
  readonly problem: ApiProblem | null;
  readonly isLoading: boolean;
}

export interface Loading<Value> {
  readonly state: ReadonlySignal<Loaded<Value>>;
  readonly reload: () => void;
  /** Loads anew without a sign of it, after what is being loaded: for changes that come by themselves. */
  readonly refresh: () => void;
  /** Puts a value in the place of the loaded one, such as the answer to a change. */
  readonly set: (value: Value) => void;
}

/** Loads a value, anew when its key changes. Args: key: of everything that the question depends on. */
export function useLoaded<Value>(
  key: string | null,
  load: (signal: AbortSignal) => Promise<Value>,
): Loading<Value> {
  const slot = useMemo(() => new LoadSlot<Value>(), []);
  slot.load = load;
  // Before anything is painted: what was there would be shown as the answer to the new question.
  useLayoutEffect(() => {
    if (key !== null) slot.start();
    return () => slot.abort();
  }, [key, slot]);
  const session = signIn.value;
  useEffect(() => {
    if (session.state !== "needed") slot.resume();
  }, [session, slot]);
  return slot;
}

class LoadSlot<Value> implements Loading<Value> {
  readonly state: Signal<Loaded<Value>> = signal({ value: undefined, problem: null, isLoading: true });
  load: (signal: AbortSignal) => Promise<Value> = () => Promise.reject(new Error("nothing to load"));
  private running: AbortController | null = null;
  private isOutdated = false;
  private awaitsSession = false;

  readonly reload = (): void => this.start();

  readonly refresh = (): void => {
    if (this.running) this.isOutdated = true;
    else this.start({ isQuiet: true });
  };

  readonly set = (value: Value): void => {
    this.state.value = { value, problem: null, isLoading: false };
  };

  /** Loads what was refused for want of a session. */
  resume(): void {
    if (this.awaitsSession) this.start({ isQuiet: true });
  }

  start({ isQuiet = false } = {}): void {
    this.abort();
    this.isOutdated = false;
    this.awaitsSession = false;
    const running = new AbortController();
    this.running = running;
    if (!isQuiet) {
      this.state.value = { ...this.state.peek(), isLoading: true };
      begun(this);
    }
    this.load(running.signal).then(
      (value) => running === this.running && this.end(() => this.set(value)),
      (error: unknown) => running === this.running && this.end(() => this.fail(error)),
    );
  }

  abort(): void {
    this.running?.abort();
    this.running = null;
    ended(this);
  }

  private end(show: () => void): void {
    this.running = null;
    ended(this);
    show();
    if (this.isOutdated) this.start({ isQuiet: true });
  }

  private fail(error: unknown): void {
    const problem = asProblem(error);
    this.awaitsSession = problem.status === 401 && signIn.peek().state === "needed";
    if (!this.awaitsSession) this.state.value = { ...this.state.peek(), problem, isLoading: false };
  }
}
