// A plan or session as displayed, as data: every string is final, cleaned and cut, and independent of the platform. Cards, text
// twins and the terminal draw it.
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import type { FormField } from '#domain/plan/form.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';

type FieldType = FormField['type'];

/** Colour of a state; never its only sign. */
export type Tone = 'default' | 'accent' | 'good' | 'warning' | 'attention';

/** A form field with all its texts. */
export type Field = {
  name: string;
  type: FieldType;
  label: string;
  /** A hint, or empty. */
  help: string;
  required: boolean;
  /** `label`: the value, with its quoted name if different; `called`: only the name. */
  options: { value: string; label: string; name: string }[];
  min: number | null;
  max: number | null;
  whole: boolean;
  /** The answer's type: `number from 1 to 9, required`. */
  words: string;
  /** The error if missing or invalid. */
  missing: string;
  /** The initial value. */
  value?: string;
  /** The problem with its value. */
  wrong?: string;
  /** Chosen from a list: the workspace's files, or the platform's people. */
  pick?: 'file' | 'person';
  /** Several options, joined by line breaks. */
  several?: boolean;
  /** Other fields depend on it. */
  redraws?: boolean;
};

/** Input before a press: fields, if any, and a text. */
export type Form = {
  fields: Field[];
  /** The text's label, or empty if none is requested. */
  label: string;
  placeholder: string;
  required: boolean;
  /** Shown when the required text is missing. */
  missing: string;
  /** The label of the submit button. */
  submit: string;
};

export type AnyPress = CardPress | SessionPress;

export type Button<Press extends AnyPress = CardPress> = {
  label: string;
  style: 'primary' | 'plain';
  press: Press;
  form: Form | null;
  /** A confirmation before it happens, or null. */
  confirm: { text: string; submit: string } | null;
  /** An additional confirmation if it costs only a press: the guarded calls of an approval. */
  guard?: { text: string; submit: string };
};

/** Others' words on their own line: `Reason: “…”`. `by` is ours; `words` are already quoted. */
export type Quote = { by: string; words: string };

/** Something only a person can settle; drawn first and in bold. */
export type Ask<Press extends AnyPress = CardPress> = {
  /** `theirs`: addressed to another person than the reader. */
  kind: 'person' | 'yes_no' | 'theirs' | 'confirm' | 'unknown' | 'change' | 'finding';
  /** The step concerned, or the change or finding. */
  step_id: string;
  label: string;
  text: string;
  quotes: Quote[];
  /** Lines needed for deciding: the known facts of an unknown outcome, a change's effects. */
  known: string[];
  /** A note can be sent with the press. */
  note: string | null;
  /** Fields to fill in, submitted with their button's form. */
  fields: Field[];
  buttons: Button<Press>[];
  /** If it doesn't fit: its length, and a button to open it. It is never cut otherwise. */
  short?: Pick<Ask<Press>, 'text' | 'quotes' | 'known' | 'buttons'>;
};

export type Line = {
  /** Before the text: `3a`, `🛡`. */
  lead: string;
  text: string;
  /** After it, subdued. */
  note: string;
  /** Below it, each on its own line. */
  quotes: Quote[];
  /** At the edge of wide surfaces: `after 1`. */
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
  /** `All 23 steps`, if a page shows them, or empty. */
  all: string;
  /** Part of an effect isn't shown, so the plan must be opened before approval. */
  cut?: boolean;
  /** The lines joined, for surfaces that draw them so, or empty. */
  inline: string;
};

export type Progress = {
  done: number;
  total: number;
  /** `▰▰▰▰▱▱▱▱▱▱ 9 of 23` */
  text: string;
  /** `2 min so far · about 5 min expected`, or empty. */
  pace: string;
};

export type TaskStatus = 'pending' | 'in_progress' | 'complete' | 'error';

/** A running plan's step, or a large one's part. `note`: who it waits for, its failure or result, or empty. */
export type Task = { id: string; title: string; status: TaskStatus; note: string };

/** `title` is the summary. `hidden`: the number of further `unit`s. */
export type TaskList = { title: string; tasks: Task[]; hidden: number; unit: string };

/** The full content behind a card. `more`: lines still left out. */
export type Details = { title: string; lines: Line[]; more: number };

/** Parts of every card, in drawing order. */
export type CardView<Press extends AnyPress = AnyPress> = {
  title: string;
  planner: string;
  state: {
    symbol: string;
    words: string;
    /** `◷ Waiting for you · version 2 · PLAN-3f9a1c20` */
    line: string;
    tone: Tone;
    /** A person has to decide before anything else happens. */
    open: boolean;
  };
  asks: Ask<Press>[];
  asks_more: number;
  /** The goal or, once ended, the result. */
  sentence: string;
  /** The planner's purpose, and people's comments. */
  quotes: Quote[];
  progress: Progress | null;
  /** A running plan's steps or parts by status, or null. */
  tasks: TaskList | null;
  sections: Section[];
  /** `1 of 2 approved (Ana)` or `Approved by you, 14:02`, or empty. */
  approvals: string;
  /** The footer: time, cost, planner, confidence, digest. */
  facts: string;
  buttons: Button<Press>[];
  /** Null if the card shows everything, or links to the rest. */
  details: Details | null;
  link: string | null;
};

export type PlanView = CardView<CardPress> & {
  plan_id: string;
  version: number;
  digest: string;
  status: PlanStatus;
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

/** Unique card name, used for its blocks. */
export function keyOf(view: PlanView | SessionView): string {
  return 'plan_id' in view ? `${view.plan_id}:v${view.version}` : `${view.run_id}:t${view.turn}`;
}

export type TextLink = { url: string; label: string };

/** Rows below the names of their columns: a table where the surface has one, else lines. */
export type Table = { caption: string; columns: string[]; rows: string[][] };

/** An answer, note or question: text without a plan. */
export type TextView = {
  kind: 'notice';
  heading: string;
  tone: Tone;
  paragraphs: string[];
  /** The number of lines left out. */
  more: number;
  link: TextLink | null;
};
