// A reorganised playbook that waits: its pairs stand in the inbox one by one, the set on the playbook's page.

import { get } from "../../api/client.ts";
import { useLoaded } from "../../api/load.ts";
import { linkTo } from "../../app/router.ts";
import { count } from "../../widgets/moment.tsx";

/** Link to the set, where there is one. It is read once: what came of it since is told on the page it leads to. */
export function ReorganisedSet({ project }: { project: string }) {
  const proposal = useLoaded(project, (signal) =>
    get("/v1/projects/{project}/playbook/reorganisation", { path: { project }, signal }),
  );
  const { value } = proposal.state.value;
  if (!value?.id) return null;
  return (
    <p class="soft">
      A reorganised playbook waits, to accept or drop as a whole:{" "}
      <a href={linkTo("playbook")}>
        {count(value.present.length)} learnings now, {count(value.proposed.length)} then
      </a>
    </p>
  );
}
