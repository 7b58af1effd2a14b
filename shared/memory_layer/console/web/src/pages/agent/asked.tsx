// Fields of the question that both kinds of page share, and a slider that changes the address when it rests.

import { useEffect, useState } from "preact/hooks";
import { mayAdminister } from "../../app/caller.ts";
import { changeQuery } from "../../app/router.ts";
import { Field, TextField } from "../../widgets/field.tsx";
import { count } from "../../widgets/moment.tsx";

const REST_MS = 250;

export function TextOf({
  name,
  label,
  query,
  hint,
}: {
  name: string;
  label: string;
  query: URLSearchParams;
  hint?: string;
}) {
  return (
    <TextField
      label={label}
      value={query.get(name) ?? ""}
      onChange={(value) => changeQuery({ [name]: value.trim() })}
      hint={hint ?? ""}
    />
  );
}

/** Persona for whom is asked; an admin alone sees as others do. */
export function PersonaField({ query }: { query: URLSearchParams }) {
  if (!mayAdminister()) return null;
  return (
    <TextOf
      name="persona"
      label="Persona"
      query={query}
      hint="whose agent it is; empty: as you, who see every persona's"
    />
  );
}

interface SliderProps {
  label: string;
  name: string;
  value: number;
  max: number;
  step: number;
}

export function Slider({ label, name, value, max, step }: SliderProps) {
  const [held, setHeld] = useState(value);
  useEffect(() => setHeld(value), [value]);
  useEffect(() => {
    if (held === value) return;
    const resting = setTimeout(() => changeQuery({ [name]: String(held) }, { replace: true }), REST_MS);
    return () => clearTimeout(resting);
  }, [held, value, name]);
  return (
    <Field label={`${label}: ${count(held)}`}>
      {(control) => (
        <input
          type="range"
          class="slider"
          min={0}
          max={max}
          step={step}
          value={held}
          onInput={(event) => setHeld(Number(event.currentTarget.value))}
          {...control}
        />
      )}
    </Field>
  );
}
