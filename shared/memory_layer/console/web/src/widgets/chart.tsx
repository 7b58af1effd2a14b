// Chart of series over days; the library is loaded when the first chart is shown. Beside the picture stands a table
// for who does not see it.

import { useEffect, useRef } from "preact/hooks";
import { shownTheme } from "../app/theme.ts";
import { count, shortUtcDayText, utcDayText } from "./moment.tsx";

export interface Series {
  readonly title: string;
  /** One number a day; null: none is known. */
  readonly values: readonly (number | null)[];
  /** Colour of the series, 1 to 8. */
  readonly series: number;
}

interface ChartProps {
  title: string;
  /** Days as RFC 3339, the earliest first. */
  days: readonly string[];
  series: readonly Series[];
}

const HEIGHT = 180;

export function Chart({ title, days, series }: ChartProps) {
  const held = useRef<HTMLDivElement>(null);
  const colours = shownTheme.value;
  useEffect(() => {
    const place = held.current;
    if (!place) return;
    let isShown = true;
    let remove = () => {};
    void draw(place, days, series).then((drawn) => {
      if (isShown) remove = drawn;
      else drawn();
    });
    return () => {
      isShown = false;
      remove();
    };
  }, [days, series, colours]);
  return (
    <figure>
      <div class="chart" ref={held} aria-hidden="true" />
      <figcaption class="chart-key">
        {series.map((one) => (
          <span class="bars-name" key={one.title}>
            <span class="dot" data-series={one.series} /> {one.title}
          </span>
        ))}
      </figcaption>
      <NumbersTable title={title} days={days} series={series} />
    </figure>
  );
}

function NumbersTable({ title, days, series }: ChartProps) {
  return (
    <table class="visually-hidden">
      <caption>{title}</caption>
      <thead>
        <tr>
          <th scope="col">Day</th>
          {series.map((one) => (
            <th scope="col" key={one.title}>
              {one.title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {days.map((day, place) => (
          <tr key={day}>
            <th scope="row">{utcDayText(day)}</th>
            {series.map((one) => (
              <td key={one.title}>{count(one.values[place] ?? 0)}</td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

async function draw(
  place: HTMLElement,
  days: readonly string[],
  series: readonly Series[],
): Promise<() => void> {
  const { default: UPlot } = await import("uplot");
  const styles = getComputedStyle(document.documentElement);
  const colour = (name: string) => styles.getPropertyValue(name).trim();
  const axis = {
    stroke: colour("--text-soft"),
    grid: { stroke: colour("--line"), width: 1 },
    ticks: { show: false },
  };
  const chart = new UPlot(
    {
      width: place.clientWidth,
      height: HEIGHT,
      legend: { show: false },
      axes: [
        { ...axis, size: 32, gap: 10, values: (_, marks) => marks.map((at) => shortUtcDayText(1_000 * at)) },
        { ...axis, size: 56 },
      ],
      tzDate: (at) => UPlot.tzDate(new Date(1_000 * at), "Etc/UTC"),
      series: [
        {},
        ...series.map((one) => ({ label: one.title, stroke: colour(`--series-${one.series}`), width: 2 })),
      ],
    },
    [days.map((day) => Date.parse(day) / 1_000), ...series.map((one) => [...one.values])],
    place,
  );
  const watch = new ResizeObserver(() => chart.setSize({ width: place.clientWidth, height: HEIGHT }));
  watch.observe(place);
  return () => {
    watch.disconnect();
    chart.destroy();
  };
}
