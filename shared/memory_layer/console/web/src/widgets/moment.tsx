// Times: relative for a glance, absolute for who points at them; both as the browser's language writes them.

const UNITS: readonly [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 365 * 86_400],
  ["month", 30 * 86_400],
  ["week", 7 * 86_400],
  ["day", 86_400],
  ["hour", 3_600],
  ["minute", 60],
];

const LANGUAGES = [...navigator.languages];
const relative = new Intl.RelativeTimeFormat(LANGUAGES, { numeric: "auto", style: "short" });
const absolute = new Intl.DateTimeFormat(LANGUAGES, { dateStyle: "medium", timeStyle: "short" });
const utcDay = new Intl.DateTimeFormat(LANGUAGES, { dateStyle: "medium", timeZone: "UTC" });
const shortUtcDay = new Intl.DateTimeFormat(LANGUAGES, { day: "numeric", month: "short", timeZone: "UTC" });
const dayOnly = new Intl.DateTimeFormat(LANGUAGES, { dateStyle: "medium" });
const counts = new Intl.NumberFormat(LANGUAGES);
const shares = new Intl.NumberFormat(LANGUAGES, { style: "percent", maximumFractionDigits: 1 });

export function Moment({ at }: { at: string | null | undefined }) {
  if (!at) return <span class="soft">–</span>;
  return (
    <time dateTime={at} title={absoluteText(at)}>
      {relativeText(at, Date.now())}
    </time>
  );
}

export function relativeText(at: string, now: number): string {
  const seconds = (Date.parse(at) - now) / 1_000;
  const [unit, length] = UNITS.find(([, size]) => Math.abs(seconds) >= size) ?? ["minute", 60];
  return relative.format(Math.round(seconds / length), unit);
}

export function absoluteText(at: string): string {
  return absolute.format(new Date(at));
}

export function dayText(at: string | number): string {
  return dayOnly.format(new Date(at));
}

/** Day that the API names, which is one in UTC. */
export function utcDayText(day: string): string {
  return utcDay.format(new Date(day));
}

/** The same without its year. Args: at: milliseconds since 1970. */
export function shortUtcDayText(at: number): string {
  return shortUtcDay.format(at);
}

/** Number with the separators of the browser's language. */
export function count(value: number): string {
  return counts.format(value);
}

/** Share of 0..1 as a percentage. */
export function share(value: number | null | undefined): string {
  return value === null || value === undefined ? "–" : shares.format(value);
}

export function bytesText(bytes: number): string {
  const units = ["byte", "kilobyte", "megabyte", "gigabyte", "terabyte"];
  const power = Math.min(Math.floor(Math.log10(Math.max(bytes, 1)) / 3), units.length - 1);
  const format = new Intl.NumberFormat(LANGUAGES, {
    style: "unit",
    unit: units[power],
    maximumFractionDigits: 1,
  });
  return format.format(bytes / 1_000 ** power);
}
