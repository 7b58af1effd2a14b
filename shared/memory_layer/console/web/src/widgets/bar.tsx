// Bar: a share of a whole, beside its number in words.

export function Bar({ part, series = null }: { part: number; series?: number | null }) {
  return (
    <span class="bar" aria-hidden="true">
      <span class="bar-fill" data-series={series ?? undefined} style={{ inlineSize: `${part * 100}%` }} />
    </span>
  );
}
