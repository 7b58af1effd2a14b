// Form fields: a label, a control, a hint, and what is wrong with it. A rule that the API names by its JSON pointer is
// shown at the field of that name.

import type { ComponentChildren } from "preact";
import { useId, useState } from "preact/hooks";
import type { ApiProblem } from "../api/problem.ts";

export interface FieldProps {
  label: string;
  hint?: string;
  error?: string | null;
  children: (control: {
    id: string;
    "aria-describedby"?: string;
    "aria-invalid"?: boolean;
  }) => ComponentChildren;
}

export function Field({ label, hint, error, children }: FieldProps) {
  const id = useId();
  const told = error ?? hint;
  return (
    <div class="field">
      <label class="field-label" for={id}>
        {label}
      </label>
      {children({
        id,
        ...(told ? { "aria-describedby": `${id}-told` } : {}),
        ...(error ? { "aria-invalid": true } : {}),
      })}
      {told && (
        <span id={`${id}-told`} class={error ? "field-error" : "field-hint"}>
          {told}
        </span>
      )}
    </div>
  );
}

export function TextField(props: {
  label: string;
  value: string;
  onChange: (value: string) => void;
  hint?: string;
  error?: string | null;
  type?: "text" | "search" | "password" | "date" | "datetime-local" | "number";
  rows?: number;
  placeholder?: string;
}) {
  const changed = (event: { currentTarget: { value: string } }) => props.onChange(event.currentTarget.value);
  return (
    <Field label={props.label} hint={props.hint ?? ""} error={props.error ?? null}>
      {(control) =>
        props.rows ? (
          <textarea class="input" rows={props.rows} value={props.value} onInput={changed} {...control} />
        ) : (
          <LineInput {...props} control={control} />
        )
      }
    </Field>
  );
}

interface LineProps {
  value: string;
  onChange: (value: string) => void;
  type?: string;
  placeholder?: string;
  control: object;
}

/** One line that is handed over when it is left; what is being typed stays while the page around it is shown anew. */
function LineInput({ value, onChange, type, placeholder, control }: LineProps) {
  const [typed, setTyped] = useState<string | null>(null);
  return (
    <input
      class="input"
      {...typeOf(type)}
      value={typed ?? value}
      placeholder={placeholder ?? ""}
      onInput={(event) => setTyped(event.currentTarget.value)}
      onChange={(event) => {
        setTyped(null);
        onChange(event.currentTarget.value);
      }}
      {...control}
    />
  );
}

export function CheckField(props: { label: string; value: boolean; onChange: (value: boolean) => void }) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={props.value}
        onChange={(event) => props.onChange(event.currentTarget.checked)}
      />
      {props.label}
    </label>
  );
}

/** The types of inputs are told apart one by one; to a text field they are all the same. A number may have a fraction. */
function typeOf(type: string | undefined): { type: "text"; step?: "any" } {
  return { type: (type ?? "text") as "text", ...(type === "number" ? { step: "any" } : {}) };
}

export function SelectField(props: {
  label: string;
  value: string;
  options: readonly (string | readonly [value: string, text: string])[];
  onChange: (value: string) => void;
}) {
  return (
    <Field label={props.label}>
      {(control) => (
        <select
          value={props.value}
          onChange={(event) => props.onChange(event.currentTarget.value)}
          {...control}
        >
          {props.options.map((option) => {
            const [value, text] = typeof option === "string" ? [option, option] : option;
            return (
              <option key={value} value={value}>
                {text}
              </option>
            );
          })}
        </select>
      )}
    </Field>
  );
}

/** What the API says about a member of the body. */
export function errorAt(problem: ApiProblem | null, pointer: string): string | null {
  return problem?.document?.errors.find((one) => one.pointer === pointer)?.detail ?? null;
}
