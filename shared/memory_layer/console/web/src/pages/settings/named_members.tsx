// Settings whose members the project names itself: a line each, as many as there are.

import { useState } from "preact/hooks";
import type { Editing } from "./fields.tsx";
import { type Leaf, leafText } from "./leaves.ts";

interface LinesProps {
  path: string;
  label: string;
  effect: string;
  editing: Editing;
  /** Member and value that a line says; null: none. */
  read: (line: string) => readonly [name: string, value: Leaf] | null;
}

function LinesSetting({ path, label, effect, editing, read }: LinesProps) {
  const prefix = `${path}/`;
  const known = [...editing.now].filter(([one]) => one.startsWith(prefix));
  const text = known.map(([one, value]) => `${one.slice(prefix.length)}: ${leafText(value)}`).join("\n");
  const [draft, setDraft] = useState<{ text: string; line: string } | null>(null);
  const change = (written: string) => {
    const said = written.split("\n").filter((line) => line.trim());
    const unread = said.find((line) => read(line) === null);
    setDraft(unread === undefined ? null : { text: written, line: unread });
    if (unread !== undefined) return; // what is stored stays until each line can be read
    const lines = new Map(said.flatMap((line) => [read(line) ?? []].filter(isPair)));
    for (const [one] of known) if (!lines.has(one.slice(prefix.length))) editing.edit(one, undefined);
    for (const [name, value] of lines) editing.edit(`${prefix}${name}`, value);
  };
  const error = draft
    ? `“${draft.line.trim()}” cannot be read, and nothing here is changed: write a name, a colon, and what it stands for`
    : editing.errorAt(path);
  return (
    <div class="field" data-setting={path}>
      <label class="field-label" for={path}>
        {label}
      </label>
      <textarea
        id={path}
        class="input"
        rows={Math.max(3, known.length + 1)}
        value={draft?.text ?? text}
        aria-describedby={`${path}-told`}
        aria-invalid={error !== null}
        onChange={(event) => change(event.currentTarget.value)}
      />
      <span id={`${path}-told`} class={error ? "field-error" : "field-hint"}>
        {error ?? effect}
      </span>
    </div>
  );
}

function isPair(line: readonly unknown[]): line is readonly [string, Leaf] {
  return line.length === 2;
}

/** Synonyms, a line each: `dunning: reminder, payment reminder`. */
export function SynonymSetting({ editing }: { editing: Editing }) {
  return (
    <LinesSetting
      path="synonyms"
      label="What else is said for a word"
      effect="A line each: dunning: reminder, payment reminder. Recalls and keywords go by them at once."
      editing={editing}
      read={synonymIn}
    />
  );
}

function synonymIn(line: string): readonly [string, Leaf] | null {
  const at = line.indexOf(":");
  const word = line.slice(0, at).trim();
  const said = line
    .slice(at + 1)
    .split(",")
    .map((one) => one.trim())
    .filter(Boolean);
  return at > 0 && word && said.length > 0 ? [word, said] : null;
}

/** Prices, a line each: `model-large: 2.5`. */
export function PriceSetting({ editing }: { editing: Editing }) {
  return (
    <LinesSetting
      path="token_prices"
      label="What a model's input costs"
      effect="A line each: the model, or the beginning of its name, and US dollars for a million input tokens; model-large: 2.5. Contexts with a bound on their cost go by it, before the product's own list."
      editing={editing}
      read={priceIn}
    />
  );
}

/** Model and price; a name may have a colon in it. What is no number is left for the API to refuse. */
function priceIn(line: string): readonly [string, Leaf] | null {
  const at = line.lastIndexOf(":");
  const model = line.slice(0, at).trim();
  const price = line.slice(at + 1).trim();
  if (at < 1 || !model || !price) return null;
  return [model, Number.isNaN(Number(price)) ? price : Number(price)];
}
