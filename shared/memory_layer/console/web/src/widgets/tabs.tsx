// Tabs: views of one page, each at an address of its own.

export interface Tab {
  readonly name: string;
  readonly title: string;
  readonly link: string;
}

export function Tabs({ label, tabs, current }: { label: string; tabs: readonly Tab[]; current: string }) {
  return (
    <nav class="tabs" aria-label={label}>
      {tabs.map((tab) => (
        <a
          class="tab"
          key={tab.name}
          href={tab.link}
          aria-current={tab.name === current ? "true" : undefined}
        >
          {tab.title}
        </a>
      ))}
    </nav>
  );
}
