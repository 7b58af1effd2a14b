// Shares of a page: how many tokens each memory takes of the budget, as one bar and line by line.

import type { ComponentChildren } from "preact";
import { linkTo } from "../../app/router.ts";
import { count, share } from "../../widgets/moment.tsx";

export interface PagePart {
  readonly key: string;
  readonly tokens: number;
  /** Colour, 1 to 8. */
  readonly series: number;
  readonly text: string;
  /** Memory that it is; null: headings and marks between. */
  readonly id: string | null;
  readonly about?: ComponentChildren;
}

export function Shares({
  parts,
  budget,
  unit,
}: {
  parts: readonly PagePart[];
  budget: number;
  unit: string;
}) {
  const whole = Math.max(
    budget,
    parts.reduce((sum, one) => sum + one.tokens, 0),
    1,
  );
  return (
    <>
      <div class="share-bar" aria-hidden="true">
        {parts.map((part) => (
          <span
            key={part.key}
            class="share-part bar-fill"
            data-series={part.series}
            style={{ inlineSize: `${(part.tokens / whole) * 100}%` }}
          />
        ))}
      </div>
      <ol class="share-lines">
        {parts.map((part) => (
          <li key={part.key} class="share-line">
            <span class="dot" data-series={part.series} />
            <div class="memory-line-text">
              {part.id ? (
                <a class="clamp" href={linkTo("memories", {}, [part.id])}>
                  {part.text}
                </a>
              ) : (
                <span class="soft">{part.text}</span>
              )}
              {part.about && <div class="memory-line-meta">{part.about}</div>}
            </div>
            <span class="bars-count">
              {count(part.tokens)} {unit}
            </span>
            <span class="bars-count soft">{share(part.tokens / whole)}</span>
          </li>
        ))}
      </ol>
    </>
  );
}

/** The page as it would stand before a model: text, and nothing of it is markup here. */
export function RenderedPage({ text }: { text: string }) {
  return (
    <section class="card" aria-label="The page">
      <h2>The page</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: who scrolls by keyboard has to reach it */}
      <pre class="rendered" tabIndex={0}>
        {text}
      </pre>
    </section>
  );
}
