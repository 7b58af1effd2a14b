// Fields of the settings: each says what it brings about, differs visibly from its default, and goes back to it.

import type { ComponentChildren } from "preact";
import { Badge } from "../../widgets/badge.tsx";
import { Button } from "../../widgets/button.tsx";
import { CheckField, SelectField, TextField } from "../../widgets/field.tsx";
import { TableFrame } from "../../widgets/table_frame.tsx";
import { type Choice, CLASSES, LIMITS, SOURCES, TIER_RULES } from "./explained.ts";
import { equalLeaf, type Leaf, type Leaves, leafText } from "./leaves.ts";

export interface Editing {
  /** Settings with the edits. */
  readonly now: Leaves;
  readonly defaults: Leaves;
  readonly edit: (path: string, value: Leaf | undefined) => void;
  /** What the API says about a member, by its path. */
  readonly errorAt: (path: string) => string | null;
}

/** Mark of a setting that is not at its default, and the way back to it. */
function Standing({ path, editing }: { path: string; editing: Editing }) {
  const usual = editing.defaults.get(path);
  if (equalLeaf(editing.now.get(path), usual)) return null;
  return (
    <span class="setting-off">
      <Badge tone="info">default: {leafText(usual)}</Badge>
      <Button kind="quiet" onClick={() => editing.edit(path, usual)}>
        Reset
      </Button>
    </span>
  );
}

export function Setting({
  path,
  editing,
  children,
}: {
  path: string;
  editing: Editing;
  children: ComponentChildren;
}) {
  return (
    <div class="setting" data-setting={path}>
      {children}
      <Standing path={path} editing={editing} />
    </div>
  );
}

export function ChoiceSetting({ choice, editing }: { choice: Choice; editing: Editing }) {
  const value = String(editing.now.get(choice.path) ?? "");
  const [, , effect] = choice.options.find(([name]) => name === value) ?? [];
  return (
    <Setting path={choice.path} editing={editing}>
      <SelectField
        label={choice.title}
        value={value}
        options={choice.options.map(([name, text]) => [name, text] as const)}
        onChange={(chosen) => editing.edit(choice.path, chosen)}
      />
      <p class="soft">
        {choice.effect} {effect && <span class="setting-effect">{effect}</span>}
      </p>
    </Setting>
  );
}

export function SourcesSetting({ editing }: { editing: Editing }) {
  const path = "review_sources";
  const held = (editing.now.get(path) ?? []) as readonly string[];
  const toggle = (source: string, isHeld: boolean) => {
    const order = SOURCES.map(([name]) => name);
    const next = isHeld ? [...held, source] : held.filter((one) => one !== source);
    editing.edit(
      path,
      [...next].sort((one, other) => order.indexOf(one) - order.indexOf(other)),
    );
  };
  return (
    <Setting path={path} editing={editing}>
      <fieldset class="checks">
        <legend>Waits for a reviewer</legend>
        {SOURCES.map(([source, title, effect]) => (
          <div key={source}>
            <CheckField label={title} value={held.includes(source)} onChange={(is) => toggle(source, is)} />
            <p class="soft">{effect}</p>
          </div>
        ))}
      </fieldset>
    </Setting>
  );
}

interface SwitchProps {
  path: string;
  label: string;
  effect: string;
  editing: Editing;
}

export function SwitchSetting({ path, label, effect, editing }: SwitchProps) {
  const error = editing.errorAt(path);
  return (
    <Setting path={path} editing={editing}>
      <CheckField
        label={label}
        value={editing.now.get(path) === true}
        onChange={(is) => editing.edit(path, is)}
      />
      <p class="soft">{effect}</p>
      {error && (
        <p class="error" role="alert">
          {error}
        </p>
      )}
    </Setting>
  );
}

export function NamesSetting({ path, label, effect, editing }: SwitchProps) {
  const names = (editing.now.get(path) ?? []) as readonly string[];
  return (
    <Setting path={path} editing={editing}>
      <TextField
        label={label}
        value={names.join(" ")}
        onChange={(text) => editing.edit(path, text.split(/\s+/).filter(Boolean))}
        hint={effect}
        error={editing.errorAt(path)}
      />
    </Setting>
  );
}

interface NumberProps {
  path: string;
  label: string;
  effect: string;
  editing: Editing;
  /** An empty field is `never`. */
  mayBeNever?: boolean;
}

export function NumberSetting({ path, label, effect, editing, mayBeNever = false }: NumberProps) {
  const value = editing.now.get(path);
  const change = (text: string) => {
    if (text.trim() !== "") editing.edit(path, Number(text));
    else editing.edit(path, mayBeNever ? null : editing.defaults.get(path));
  };
  return (
    <Setting path={path} editing={editing}>
      <TextField
        label={label}
        type="number"
        value={value === null || value === undefined ? "" : String(value)}
        onChange={change}
        hint={effect}
        error={editing.errorAt(path)}
        placeholder={mayBeNever ? "never" : ""}
      />
    </Setting>
  );
}

export function ExpirySettings({ editing }: { editing: Editing }) {
  const types = [...editing.defaults.keys()].filter((path) => path.startsWith("default_expiry_days/"));
  return (
    <div class="setting-grid">
      {types.map((path) => (
        <NumberSetting
          key={path}
          path={path}
          label={path.split("/")[1] ?? ""}
          effect="days; empty: never"
          editing={editing}
          mayBeNever
        />
      ))}
    </div>
  );
}

export function LimitSettings({ editing }: { editing: Editing }) {
  return (
    <div class="setting-grid">
      {Object.entries(LIMITS).map(([name, effect]) => (
        <NumberSetting
          key={name}
          path={`limits/${name}`}
          label={name.replaceAll("_", " ")}
          effect={effect}
          editing={editing}
        />
      ))}
    </div>
  );
}

export function TierSettings({ editing }: { editing: Editing }) {
  return (
    <TableFrame label="Tier rules by class of content">
      <table class="table tier-table">
        <caption class="visually-hidden">Tier rules by class of content</caption>
        <thead>
          <tr>
            <th scope="col">Rule</th>
            {CLASSES.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {TIER_RULES.map(([rule, title, effect]) => (
            <tr key={rule}>
              <th scope="row">
                {title}
                <span class="field-hint">{effect}</span>
              </th>
              {CLASSES.map((name) => (
                <td key={name} data-setting={`tier_policy/${name}/${rule}`}>
                  <TierCell
                    path={`tier_policy/${name}/${rule}`}
                    label={`${title}, ${name}`}
                    editing={editing}
                  />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </TableFrame>
  );
}

function TierCell({ path, label, editing }: { path: string; label: string; editing: Editing }) {
  const value = editing.now.get(path);
  const isList = Array.isArray(editing.defaults.get(path));
  const error = editing.errorAt(path);
  return (
    <>
      <input
        class="input"
        type="text"
        inputMode={isList ? "text" : "decimal"}
        aria-label={label}
        aria-invalid={error !== null}
        value={isList ? ((value ?? []) as readonly string[]).join("  ") : String(value ?? "")}
        onChange={(event) =>
          editing.edit(path, tierLeaf(event.currentTarget.value, isList, editing.defaults.get(path)))
        }
      />
      {error && <span class="field-error">{error}</span>}
      <Standing path={path} editing={editing} />
    </>
  );
}

function tierLeaf(text: string, isList: boolean, usual: Leaf | undefined): Leaf | undefined {
  if (isList) return text.split(/\s+/).filter(Boolean);
  const number = Number(text);
  if (text.trim() === "") return usual;
  return Number.isNaN(number) ? text : number; // the API says what is wrong with it
}
