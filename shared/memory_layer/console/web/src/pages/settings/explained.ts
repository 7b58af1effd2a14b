// Settings in words: what each is called, and what its choices bring about.

export interface Choice {
  readonly path: string;
  readonly title: string;
  readonly effect: string;
  readonly options: readonly (readonly [value: string, text: string, effect: string])[];
}

export const CHOICES: readonly Choice[] = [
  {
    path: "privacy_mode",
    title: "Redaction",
    effect: "Taken out of what is stored and of what is shown, before anybody reads it.",
    options: [
      ["secrets", "Secrets", "Keys, tokens and passwords are replaced by a mark."],
      ["personal", "Secrets and personal data", "Addresses, numbers and names of people are replaced too."],
      ["refuse", "Refuse", "A text with a secret is not stored at all; its writer is told."],
      ["off", "Nothing", "Texts are stored as they come."],
    ],
  },
  {
    path: "profile",
    title: "Ranking",
    effect: "How a recall that names no profile puts what it finds in order.",
    options: [
      ["learned", "Learned", "By relevance, and by how well each memory has worked."],
      ["governed", "Governed", "What people said or approved first, then by relevance."],
      ["task", "Task", "What fits the kind of task, its files and its errors first."],
    ],
  },
  {
    path: "blend",
    title: "Meaning and keywords",
    effect: "How the two become one relevance.",
    options: [
      ["minmax", "By share of the best", "Each score counts as its share of the best of its list."],
      [
        "flag",
        "Meaning, and a bonus for keywords",
        "Six tenths of the cosine, and four tenths if any keyword matches.",
      ],
    ],
  },
  {
    path: "outcome_model",
    title: "Outcomes",
    effect: "How verdicts move a memory's score.",
    options: [
      ["fixed", "Fixed steps", "Each verdict moves it by the same step."],
      ["beta", "Fading evidence", "Few verdicts move it little, and old ones count less and less."],
    ],
  },
];

export const SOURCES: readonly (readonly [string, string, string])[] = [
  ["human", "People", "What people say waits for a reviewer too."],
  ["run", "Agents and runs", "What agents write waits in the inbox before any recall shows it."],
  ["learning", "Learnings", "What is learned of several runs waits as well."],
];

export const LIMITS: Readonly<Record<string, string>> = {
  failed_per_session_hour: "“failed” verdicts that one session may give in an hour; more count nothing.",
  failed_per_principal_hour: "“failed” verdicts of one principal in an hour, in all sessions.",
  citations_per_principal_hour: "Memories that the runs of one principal may cite in an hour.",
  writes_per_principal_hour:
    "Memories that one principal may store or change in an hour; then writes are refused.",
  events_per_principal_hour: "Entity events that one principal may report in an hour.",
  held_back_per_principal_hour: "Texts of one principal that may come into the inbox in an hour.",
};

export const TIER_RULES: readonly (readonly [rule: string, title: string, effect: string])[] = [
  ["match", "Belongs to it", "Globs over tags and URNs."],
  ["pin/patterns", "Stays hot", "Globs of what stays near however seldom it is recalled."],
  ["pin/max_size_mb", "Stays hot, MB", "How much of it, the newest first."],
  ["pin/ttl_hours", "Stays hot, hours", "For how long after its last change."],
  [
    "compress/age_threshold_hours",
    "Leaves its row after, hours",
    "Untouched for so long it may be moved to an archive.",
  ],
  ["compress/access_threshold", "Unless recalled", "As often as this it stays."],
  ["compress/compression_ratio", "If it shrinks to", "Share of its size, 0 to 1."],
  ["evict/max_total_size_gb", "Goes cold beyond, GB", "More of the class leaves the index, the worst first."],
  ["evict/lru_weight", "Weight of age", "With the weight of quality it makes 1."],
  ["evict/quality_weight", "Weight of quality", "How much want of quality counts in choosing what goes."],
];

export const CLASSES = ["code", "documentation", "research", "general"] as const;
