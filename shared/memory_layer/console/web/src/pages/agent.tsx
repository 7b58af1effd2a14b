// What an agent would get: the context or the prompt of a project, as it would stand before a model, and why.

import "./agent.css";
import { linkTo, place } from "../app/router.ts";
import { Tabs } from "../widgets/tabs.tsx";
import { ContextView } from "./agent/context_view.tsx";
import { PromptView } from "./agent/prompt_view.tsx";

const VIEWS = [
  ["context", "Context"],
  ["memories", "Prompt of memories"],
  ["knowledge", "Prompt of what runs taught"],
] as const;

export default function AgentPage() {
  const asked = place.value.query.get("view");
  const view = VIEWS.find(([name]) => name === asked)?.[0] ?? "context";
  const kept = Object.fromEntries(place.value.query.entries());
  const tabs = VIEWS.map(([name, title]) => ({
    name,
    title,
    link: linkTo("agent", { ...kept, view: name === "context" ? null : name }),
  }));
  return (
    <div class="page">
      <header class="page-head">
        <h1>What an agent would get</h1>
      </header>
      <Tabs label="Kinds of page" tabs={tabs} current={view} />
      {view === "context" ? <ContextView /> : <PromptView key={view} format={view} />}
    </div>
  );
}
