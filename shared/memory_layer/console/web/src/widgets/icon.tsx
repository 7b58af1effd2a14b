// Icons, drawn with one stroke on a grid of 16.

const PATHS = {
  dashboard: "M2 2h5v6H2zM9 2h5v4H9zM9 8h5v6H9zM2 10h5v4H2z",
  list: "M5.5 4H14M5.5 8H14M5.5 12H14M2 4h.5M2 8h.5M2 12h.5",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10zM10.6 10.6 14 14",
  graph:
    "M4 6a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM12 7a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7 14a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM6 4.2l4 .5M4.7 5.8 6.3 10M10.9 6.7 8.2 10.4",
  clock: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12zM8 4.5V8l2.5 1.5",
  inbox: "M2 9.5 4 3h8l2 6.5V13H2zM2 9.5h3.5L6.5 11h3l1-1.5H14",
  page: "M4 2h5.5L13 5.500V14H4zM9 2v4h4M6 9h5M6 11.500h3.500",
  book: "M8 4C6.500 2.700 4.500 2.300 2 2.500v10.500c2.500-.2 4.500.2 6 1.500 1.500-1.300 3.500-1.700 6-1.500V2.500C11.500 2.300 9.500 2.700 8 4zM8 4v10.500",
  run: "M4 3v10l9-5z",
  check: "M2 3h12v10H2zM5 8l2 2 4-4.500",
  layers: "M8 2l6.500 3.500L8 9 1.500 5.500zM2.500 8.500 8 11.500l5.500-3M2.500 11 8 14l5.500-3",
  shield: "M8 1.500 13.500 3.500V8c0 3-2.500 5.300-5.500 6.500C5 13.300 2.500 11 2.500 8V3.500z",
  sliders:
    "M2 4.500h7M12 4.500h2M2 11.500h2M7 11.500h7M10.500 6.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM5.500 13.500a2 2 0 1 0 0-4 2 2 0 0 0 0 4z",
  sun: "M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 1v1.500M8 13.500V15M1 8h1.500M13.500 8H15M3 3l1 1M12 12l1 1M13 3l-1 1M4 12l-1 1",
  moon: "M13.500 9.500A6 6 0 0 1 6.500 2.500a6 6 0 1 0 7 7z",
  screen: "M2 3h12v8H2zM6 14h4M8 11v3",
  keyboard: "M1.500 4h13v8h-13zM4 6.500h.5M7 6.500h.5M10 6.500h.5M4 9.500h8",
  person: "M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM2.500 14c.5-3 2.500-4.500 5.500-4.500s5 1.500 5.500 4.500",
  machine: "M3 5h10v8H3zM8 2v3M6 8.500v1M10 8.500v1M1.500 8v2M14.500 8v2",
  close: "M4 4l8 8M12 4l-8 8",
  pin: "M6 2h4l.5 5 2 2h-9l2-2zM8 9v5",
  first: "M4 3v10M12 3 7 8l5 5",
  previous: "M10 3 5 8l5 5",
  next: "M6 3l5 5-5 5",
  last: "M12 3v10M4 3l5 5-5 5",
  refresh: "M13 8a5 5 0 1 1-1.500-3.500M13 2v3h-3",
  brand: "M8 1.500 14 5v6l-6 3.500L2 11V5zM2 5l6 3.500L14 5M8 8.500v6",
} as const;

export type IconName = keyof typeof PATHS;

export function Icon({ name, size = 16 }: { name: IconName; size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d={PATHS[name]}
        fill="none"
        stroke="currentColor"
        stroke-width="1.4"
        stroke-linecap="round"
        stroke-linejoin="round"
      />
    </svg>
  );
}
