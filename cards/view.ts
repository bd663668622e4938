// What people see of a plan or a planning session, as data: every string is final, cleaned and cut; no platform is known here.
// Cards, their text twins and the terminal all draw from this, so the words are written once.
import type { CardPress } from '#domain/chat/card.ts';
import type { SessionPress } from '#domain/chat/session-card.ts';
import type { FormField } from '#domain/plan/form.ts';
import type { PlanStatus } from '#domain/plan/plan.ts';

type FieldType = FormField['type'];

/** Colour of a state; never the only sign of it. */
export type Tone = 'default' | 'accent' | 'good' | 'warning' | 'attention';

/** A field of a form, with everything that is said about it. */
export type Field = {
  name: string;
  type: FieldType;
  label: string;
  /** What helps to answer, or empty. */
  help: string;
  required: boolean;
  /** `label`: the value, and in quotation marks what it is called where that is different; `called`: that name alone. */
  options: { value: string; label: string; called: string }[];
  min: number | null;
  max: number | null;
  whole: boolean;
  /** What an answer is, in words: `number from 1 to 9, required`. */
  words: string;
  /** Said beside the field when it is left out or does not fit. */
  missing: string;
};

/** What a button asks for before it is pressed: fields, if any, and a text. */
export type Form = {
  fields: Field[];
  /** What the text is; empty: none is asked for. */
  label: string;
  placeholder: string;
  required: boolean;
  /** Shown when the required text is missing. */
  missing: string;
  /** The label of the button that sends it. */
  submit: string;
};

/** What any button of ours sends. */
export type AnyPress = CardPress | SessionPress;

export type Button<Press extends AnyPress = CardPress> = {
  label: string;
  style: 'primary' | 'plain';
  press: Press;
  form: Form | null;
  /** Asked once more before it happens; null: it happens at once. */
  confirm: { text: string; submit: string } | null;
  /** The same, where the surface has a question that costs no more than a press: what is guarded, of an approval. */
  guard?: { text: string; submit: string };
};

/** Somebody else's words, drawn in a line of their own: `Reason: “…”`. `by` is ours; `words` stand in quotation marks already. */
export type Quote = { by: string; words: string };

/** Something only a person can settle; drawn first and in bold. */
export type Ask<Press extends AnyPress = CardPress> = {
  /** `theirs`: it is addressed to somebody else than the reader. */
  kind: 'person' | 'yes_no' | 'theirs' | 'confirm' | 'unknown' | 'change' | 'finding';
  /** The step it is about; of a change of the plan or a finding, that. */
  step_id: string;
  label: string;
  text: string;
  quotes: Quote[];
  /** Lines that a person needs in order to decide: of an unknown outcome what is known, of a change what it does. */
  known: string[];
  /** A note can be sent along with the press. */
  note: string | null;
  /** What the person is to fill in; the button that is done with it has them in its form. */
  fields: Field[];
  buttons: Button<Press>[];
  /** How it is drawn where not all of it fits: how long it is, and a button that opens the whole. It is never cut otherwise. */
  short?: Pick<Ask<Press>, 'text' | 'quotes' | 'known' | 'buttons'>;
};

export type Line = {
  /** Stands before the text: `3a`, `🛡`. */
  lead: string;
  text: string;
  /** Stands after it, quieter. */
  note: string;
  /** Below it, each in a line of its own. */
  quotes: Quote[];
  /** What a wide surface may add at the edge: `after 1`. */
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
  | 'conflicts'
  | 'pattern'
  | 'questions'
  | 'offers'
  | 'relaxations';

export type Section = {
  kind: SectionKind;
  label: string;
  lines: Line[];
  /** How many lines are not shown. */
  hidden: number;
  /** `… and 16 more`, or empty. */
  more: string;
  /** `All 23 steps`, where there is a page that shows them; empty without one. */
  all: string;
  /** Part of an effect is not shown, so that the plan has to be opened before it is approved. */
  cut?: boolean;
  /** The lines as one, where the surface draws them so; empty: one below the other. */
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

/** A step of a plan that runs, or a part of a large one. `note`: who it waits for, why it failed, what came of it; or empty. */
export type Task = { id: string; title: string; status: TaskStatus; note: string };

/** What `title` sums up. `hidden`: how many more there are of `unit`. */
export type TaskList = { title: string; tasks: Task[]; hidden: number; unit: string };

/** What there is behind a card: every line, where the card shows some. `more`: how many are still left out. */
export type Details = { title: string; lines: Line[]; more: number };

/** What every card has, in the order in which it is drawn. */
export type CardView<Press extends AnyPress = AnyPress> = {
  title: string;
  planner: string;
  state: {
    symbol: string;
    words: string;
    /** `◷ Waiting for you · version 2 · PLAN-3f9a1c20` */
    line: string;
    tone: Tone;
    /** Somebody has to decide before anything else happens. */
    open: boolean;
  };
  asks: Ask<Press>[];
  /** How many more wait for a person than are drawn. */
  asks_more: number;
  /** What will be true afterwards; once it is over, what became of it. */
  sentence: string;
  /** What its planner says it is for, and what people said about it. */
  quotes: Quote[];
  progress: Progress | null;
  /** Its steps or parts by their status, of a plan that runs, for surfaces that draw such a list; null: it does not run. */
  tasks: TaskList | null;
  sections: Section[];
  /** `1 of 2 approved (Ana)` or `Approved by you, 14:02`, or empty. */
  approvals: string;
  /** The small line: time, cost, planner, confidence, digest. */
  facts: string;
  buttons: Button<Press>[];
  /** null: the card shows all there is, or says elsewhere where the rest is. */
  details: Details | null;
  link: string | null;
};

export type PlanView = CardView<CardPress> & {
  plan_id: string;
  version: number;
  digest: string;
  status: PlanStatus;
};

/** What a session stands at, or how it ended. */
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

/** Names a card among others: its blocks are called after it. */
export function keyOf(view: PlanView | SessionView): string {
  return 'plan_id' in view ? `${view.plan_id}:v${view.version}` : `${view.run_id}:t${view.turn}`;
}

export type TextLink = { url: string; label: string };

/** An answer, a note or a question: lines of text without a plan. */
export type TextView = {
  kind: 'notice';
  heading: string;
  tone: Tone;
  paragraphs: string[];
  /** How many further lines are left out. */
  more: number;
  link: TextLink | null;
};
