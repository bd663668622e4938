// Views as data: every string is final, safe and platform-independent.
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import type { FormField } from '#domain/plan/form.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';

type FieldType = FormField['type'];

/** Colour is never the only sign. */
export type Tone = 'default' | 'accent' | 'good' | 'warning' | 'attention';

export type Field = {
  name: string;
  type: FieldType;
  label: string;
  help: string;
  required: boolean;
  /** `label` adds the quoted name if different; `called` is only the name. */
  options: { value: string; label: string; name: string }[];
  min: number | null;
  max: number | null;
  whole: boolean;
  /** `number from 1 to 9, required` */
  words: string;
  /** The error if missing or invalid. */
  missing: string;
  value?: string;
  wrong?: string;
  /** From the workspace's files or the platform's people. */
  pick?: 'file' | 'person';
  /** Joined by line breaks. */
  several?: boolean;
  /** Other fields depend on it. */
  redraws?: boolean;
};

export type Form = {
  fields: Field[];
  /** Empty if there is no text. */
  label: string;
  placeholder: string;
  required: boolean;
  /** The error for a missing text. */
  missing: string;
  submit: string;
};

export type AnyPress = CardPress | SessionPress;

export type Button<Press extends AnyPress = CardPress> = {
  label: string;
  style: 'primary' | 'plain';
  press: Press;
  form: Form | null;
  /** A confirmation, or null. */
  confirm: { text: string; submit: string } | null;
  /** Asked too if it costs only a press: an approval's guarded calls. */
  guard?: { text: string; submit: string };
};

/** `Reason: “…”`. `by` is ours; `words` are quoted. */
export type Quote = { by: string; words: string };

/** Settled only by a person; drawn first. */
export type Ask<Press extends AnyPress = CardPress> = {
  /** `theirs`: for another person. */
  kind: 'person' | 'yes_no' | 'theirs' | 'confirm' | 'unknown' | 'change' | 'finding';
  /** The step, change or finding. */
  step_id: string;
  label: string;
  text: string;
  quotes: Quote[];
  /** Needed for deciding. */
  known: string[];
  /** A note can go with the press. */
  note: string | null;
  /** Submitted with the button's form. */
  fields: Field[];
  buttons: Button<Press>[];
  /** If it doesn't fit, which is never cut: its length, and a button to open it. */
  short?: Pick<Ask<Press>, 'text' | 'quotes' | 'known' | 'buttons'>;
};

export type Line = {
  /** `3a`, `🛡` */
  lead: string;
  text: string;
  note: string;
  quotes: Quote[];
  /** At the edge of wide surfaces: `after 1` */
  aside: string;
  url: string | null;
};

export type SectionKind =
  | 'effects'
  | 'steps'
  | 'changes'
  | 'risks'
  | 'terms'
  | 'history'
  | 'blocked'
  | 'findings'
  | 'running'
  | 'next'
  | 'partitions'
  | 'failed'
  | 'done'
  | 'left'
  | 'options'
  | 'outline'
  | 'order'
  | 'ways'
  | 'times'
  | 'calendar'
  | 'conflicts'
  | 'pattern'
  | 'questions'
  | 'offers'
  | 'relaxations';

export type Section = {
  kind: SectionKind;
  label: string;
  lines: Line[];
  hidden: number;
  /** `… and 16 more`, or empty. */
  more: string;
  /** `All 23 steps`, or empty. */
  all: string;
  /** An effect is cut, so the plan opens before approval. */
  cut?: boolean;
  /** Joined lines, or empty. */
  inline: string;
};

export type Progress = {
  done: number;
  total: number;
  /** `▰▰▰▰▱▱▱▱▱▱ 9 of 23` */
  text: string;
  /** `2 min so far · about 5 min expected` */
  pace: string;
};

export type TaskStatus = 'pending' | 'in_progress' | 'complete' | 'error';

/** A step or part. `note`: assignee, failure or result. */
export type Task = { id: string; title: string; status: TaskStatus; note: string };

/** `title` sums up. `hidden`: further `unit`s. */
export type TaskList = { title: string; tasks: Task[]; hidden: number; unit: string };

export type Details = { title: string; lines: Line[]; more: number };

export type CardView<Press extends AnyPress = AnyPress> = {
  title: string;
  planner: string;
  state: {
    symbol: string;
    words: string;
    /** `◷ Waiting for you · version 2 · PLAN-3f9a1c20` */
    line: string;
    tone: Tone;
    /** A person must decide first. */
    open: boolean;
  };
  asks: Ask<Press>[];
  asks_more: number;
  sentence: string;
  quotes: Quote[];
  progress: Progress | null;
  /** Null unless running. */
  tasks: TaskList | null;
  sections: Section[];
  /** `1 of 2 approved (Ana)`, `Approved by you, 14:02` */
  approvals: string;
  /** Time, cost, planner, confidence, digest. */
  facts: string;
  buttons: Button<Press>[];
  /** Null if all is shown or linked. */
  details: Details | null;
  link: string | null;
};

export type PlanView = CardView<CardPress> & {
  plan_id: string;
  version: number;
  digest: string;
  status: PlanStatus;
  /** Its calendar has entries. */
  dated: boolean;
};

/** A session's state, or how it ended. */
export type SessionKind =
  | 'running'
  | 'questions'
  | 'outline'
  | 'roadmap'
  | 'schedule'
  | 'rfc'
  | 'budget'
  | 'escalation'
  | 'answer'
  | 'plan'
  | 'answered'
  | 'aborted';

export type SessionView = CardView<SessionPress> & {
  run_id: string;
  turn: number;
  digest: string;
  kind: SessionKind;
};

/** Unique, for its blocks. */
export function keyOf(view: PlanView | SessionView): string {
  return 'plan_id' in view ? `${view.plan_id}:v${view.version}` : `${view.run_id}:t${view.turn}`;
}

export type TextLink = { url: string; label: string };

/** A table where the surface has one, else lines. */
export type Table = { caption: string; columns: string[]; rows: string[][] };

export type TextView = {
  kind: 'notice';
  heading: string;
  tone: Tone;
  paragraphs: string[];
  /** Lines left out. */
  more: number;
  link: TextLink | null;
};
