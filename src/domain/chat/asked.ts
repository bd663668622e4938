// Who is asked to act on a plan; each chat platform draws it its own way.

/**
 * `approve`: a version; `review`: a repeatedly refused plan; `change`: of a plan; `suggestion`: of a change; `settle`: an unknown
 * outcome.
 */
export const askedFor = ['approve', 'review', 'change', 'suggestion', 'task', 'settle'] as const;
export type AskedFor = (typeof askedFor)[number];

/** A person who is asked: the deciding name and the displayed one. */
export type AskedPerson = { name: string; shown: string };

export type Asked = {
  /** Prevents notifying a person twice. */
  key: string;
  plan_id: string;
  title: string;
  what: AskedFor;
  /** The question, or the purpose of the plan or change. */
  text: string;
  /** Display name of the requester or proposer. */
  by: string;
  /** People not present in the conversation, at most `maxAsked`. */
  people: AskedPerson[];
};

/** Larger groups are not notified individually. */
export const maxAsked = 10;
