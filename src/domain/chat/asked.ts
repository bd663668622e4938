// Who is asked to do something about a plan: a fact that each chat platform draws in its own way.

/** `approve`: a version; `review`: one whose versions were refused; `change`: of a plan; `settle`: an unknown outcome. */
export const askedFor = ['approve', 'review', 'change', 'task', 'settle'] as const;
export type AskedFor = (typeof askedFor)[number];

/** Somebody who is asked: the name that decides, and the one readers know. */
export type AskedPerson = { name: string; shown: string };

export type Asked = {
  /** Key of what is asked: nobody is told twice under the same key. */
  key: string;
  plan_id: string;
  title: string;
  what: AskedFor;
  /** The question, or what the plan or the change is for. */
  text: string;
  /** Who asked for the plan or proposed the change, as readers know them. */
  by: string;
  /** People who are not in the conversation just now, at most `maxAsked`. */
  people: AskedPerson[];
};

/** Larger groups are not told one by one. */
export const maxAsked = 10;
