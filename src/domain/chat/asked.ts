// People asked to act on a plan.

/** `review`: a repeatedly refused plan; `suggestion`: of a change; `settle`: an unknown outcome. */
export const askedFor = ['approve', 'review', 'change', 'suggestion', 'task', 'settle'] as const;
export type AskedFor = (typeof askedFor)[number];

export type AskedPerson = { name: string; shown: string };

export type Asked = {
  /** Prevents notifying a person twice. */
  key: string;
  plan_id: string;
  title: string;
  what: AskedFor;
  /** The question, or the purpose. */
  text: string;
  by: string;
  /** Not in the conversation; at most `maxAsked`. */
  people: AskedPerson[];
};

/** Then no individual notice. */
export const maxAsked = 10;
