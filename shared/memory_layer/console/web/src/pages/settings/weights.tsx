// Weights of what makes a fragment of a context worth its place: by class of content, set by hand or left to the product.

import { CheckField, TextField } from "../../widgets/field.tsx";
import { CLASSES } from "./explained.ts";
import type { Editing } from "./fields.tsx";
import type { Weights } from "./leaves.ts";

const GENERAL: Required<Weights> = { relevance: 0.4, recency: 0.2, credibility: 0.25, coherence: 0.15 };

/** Where a class begins that is set by hand: the product's own weights of it, so that nothing changes by the tick alone. */
const BEGINNINGS: Readonly<Record<(typeof CLASSES)[number], Required<Weights>>> = {
  code: { ...GENERAL, recency: 0.25, credibility: 0.2 },
  documentation: { ...GENERAL, recency: 0.15, credibility: 0.3 },
  research: { ...GENERAL, recency: 0.1, credibility: 0.35 },
  general: GENERAL,
};

const SIGNALS: Readonly<Record<keyof Weights, string>> = {
  relevance: "How near it is to the intent.",
  recency: "How new it is.",
  credibility: "How far to believe it.",
  coherence: "How well it fits the others.",
};

export function WeightSettings({ editing }: { editing: Editing }) {
  return (
    <fieldset class="checks">
      <legend>What makes a fragment of a context worth its place</legend>
      <p class="soft">
        By class of content. What is set by hand stands, whatever feedback says; the four of a class make 1.
        The others go by the product's weights, and by what feedback has taught.
      </p>
      {CLASSES.map((name) => (
        <ClassWeights key={name} name={name} editing={editing} />
      ))}
    </fieldset>
  );
}

function ClassWeights({ name, editing }: { name: (typeof CLASSES)[number]; editing: Editing }) {
  const path = `context_weights/${name}`;
  const beginning = BEGINNINGS[name];
  const weights = editing.now.get(path) as Weights | undefined;
  const error = editing.errorAt(path);
  return (
    <div class="setting" data-setting={path}>
      <CheckField
        label={`Weights of ${name} by hand`}
        value={weights !== undefined}
        onChange={(isByHand) => editing.edit(path, isByHand ? beginning : undefined)}
      />
      {weights && (
        <div class="setting-grid">
          {(Object.keys(SIGNALS) as (keyof Weights)[]).map((signal) => (
            <TextField
              key={signal}
              label={`${signal}, ${name}`}
              type="number"
              value={String(weights[signal] ?? "")}
              hint={SIGNALS[signal]}
              onChange={(text) =>
                editing.edit(path, { ...weights, [signal]: Number(text || beginning[signal]) })
              }
            />
          ))}
        </div>
      )}
      {error && <span class="field-error">{error}</span>}
    </div>
  );
}
