// A session's state and buttons, bound to turn and digest.
import type { SessionCardFacts, SessionOver, SessionPress } from '#domain/chat/session-card.ts';
import { offlinePlanner } from '#domain/plan/step-words.ts';
import type { StepMove } from '#domain/planning/artifacts.ts';
import { findMove, openMoves } from '#domain/planning/artifacts.ts';
import type { Relaxation } from '#domain/planning/schedule.ts';
import { cleanLine, cutShown, quoteWords, showLine, showTitle } from '#domain/shown-text.ts';
import { type MoveOffer, offerMoves, offerOrders } from './moves.ts';
import { callPerson } from './step-lines.ts';
import { tellTime } from './times.ts';
import type { Button, Form, SessionKind, SessionView, Tone } from './view.ts';

export function kindOf({ status, pause, questions }: SessionCardFacts): SessionKind {
  switch (status) {
    case 'running':
      return 'running';
    case 'complete':
      return 'answered';
    case 'aborted':
      return 'aborted';
    case 'needs_scheduling_escalation':
      return 'escalation';
    case 'needs_clarification':
      if (pause === null) return questions.length > 0 ? 'questions' : 'plan';
      return pause.kind === 'gate' ? (pause.gate ?? 'outline') : pause.kind;
    default:
      return status satisfies never;
  }
}

const subjects: Record<SessionKind, string> = {
  running: '',
  questions: 'a question',
  outline: 'the outline',
  roadmap: 'the order',
  schedule: 'the dates',
  rfc: 'a new pattern',
  budget: 'the cost of planning',
  escalation: 'not enough time',
  answer: 'an answer to a step',
  plan: 'the plan',
  answered: '',
  aborted: '',
};

const decided: Record<SessionKind, string> = {
  ...subjects,
  questions: '',
  outline: 'the outline',
  roadmap: 'the order',
  schedule: 'the dates',
};

const decisionWords: Record<SessionKind, Partial<Record<SessionOver['kind'], string>>> = {
  running: {},
  questions: { said: 'Answered' },
  outline: { said: 'Continued' },
  roadmap: { said: 'Continued' },
  schedule: { said: 'Continued' },
  rfc: { reject: 'Skipped', said: 'Continued' },
  budget: { approve: 'Continued', reject: 'Stopped', said: 'Continued' },
  escalation: { changes: 'Changed', said: 'Continued' },
  answer: { said: 'Not confirmed' },
  plan: {},
  answered: {},
  aborted: { said: 'Retried' },
};

const decisionOf: Record<SessionOver['kind'], { symbol: string; words: string; tone: Tone }> = {
  approve: { symbol: '✓', words: 'Approved', tone: 'good' },
  reject: { symbol: '✕', words: 'Rejected', tone: 'default' },
  changes: { symbol: '↻', words: 'Changes requested', tone: 'default' },
  said: { symbol: '✓', words: 'Continued', tone: 'default' },
  overtaken: {
    symbol: '✕',
    words: 'Replaced by a newer request',
    tone: 'default',
  },
};

/** `✓ Approved by ana, 14:02`, or `✓ Answered by ana, 14:02: “archive”` for a chosen option */
function describeOver(facts: SessionCardFacts, over: SessionOver, kind: SessionKind) {
  const { symbol, words, tone } = decisionOf[over.kind];
  const who = over.by === null ? '' : ` by ${callPerson(facts, over.by)}`;
  const when = over.at === null ? '' : `, ${tellTime(over.at, facts)}`;
  const chosen = facts.offers.find(({ answer }) => answer === over.reply);
  return {
    symbol,
    words: `${decisionWords[kind][over.kind] ?? words}${who}${when}${chosen === undefined ? '' : `: ${quoteWords(chosen.name, maxLabel)}`}`,
    tone,
    open: false,
  };
}

type State = { symbol: string; words: string; tone: Tone; open: boolean };

function stateOf(facts: SessionCardFacts, kind: SessionKind): State {
  const who = facts.may_decide ? 'you' : showLine(facts.approvers, 120);
  switch (kind) {
    case 'running':
      return { symbol: '⟳', words: 'Planning', tone: 'accent', open: false };
    case 'answered':
      return { symbol: '✓', words: 'Done', tone: 'good', open: false };
    case 'aborted':
      return facts.decision.kind === 'reject'
        ? {
            symbol: '✕',
            words: `Rejected by ${callPerson(facts, facts.decision.by)}`,
            tone: 'default',
            open: false,
          }
        : { symbol: '✕', words: 'Not planned', tone: 'attention', open: false };
    case 'escalation':
    case 'budget':
      return { symbol: '△', words: `Waiting for ${who}`, tone: 'warning', open: true };
    case 'questions':
    case 'outline':
    case 'roadmap':
    case 'schedule':
    case 'rfc':
    case 'answer':
    case 'plan':
      return { symbol: '◷', words: `Waiting for ${who}`, tone: 'accent', open: true };
    default:
      return kind satisfies never;
  }
}

export function viewSessionState(facts: SessionCardFacts, kind: SessionKind): SessionView['state'] {
  const { over } = facts;
  const state = over === null ? stateOf(facts, kind) : describeOver(facts, over, kind);
  const subject = (over === null ? subjects : decided)[kind];
  const about = subject === '' ? '' : ` · ${subject}`;
  return { ...state, line: `${state.symbol} ${state.words}${about}` };
}

type SessionButton = Button<SessionPress>;

const changesForm: Form = {
  fields: [],
  label: 'What should change?',
  placeholder: 'Test before the launch, and leave out the poster',
  required: true,
  missing: 'Say what should change.',
  submit: 'Send',
};

const patternForm: Form = { ...changesForm, placeholder: 'Call it a morning routine' };

const lessForm: Form = { ...changesForm, placeholder: 'Only the first phase' };

const otherForm: Form = { ...changesForm, placeholder: 'The review can be a week later' };

const rejectConfirm = {
  text: 'Planning stops. Nothing has run.',
  submit: 'Reject',
};

const withoutConfirm = {
  text: "I'll use the nearest known pattern instead.",
  submit: 'Use that',
};

const answerForm: Form = {
  fields: [],
  label: 'Your answer',
  placeholder: '',
  required: true,
  missing: 'Write an answer.',
  submit: 'Answer',
};

function movesOf({ portfolio, outline, schedule, viewer, now }: SessionCardFacts): StepMove[] {
  const timezone = schedule?.timezone ?? viewer.timezone;
  const moves = portfolio?.conflicts.map((one) => findMove(one, { outline, schedule, timezone }));
  return openMoves(moves ?? [], now);
}

/** Three questions of four options. */
const maxChoices = 12;
const maxRelaxations = 5;
const maxLabel = 60;
const maxChoice = 600;

/** Possible for the planner. */
export function relaxationsOf({ infeasible, planner }: SessionCardFacts): Relaxation[] {
  return (infeasible?.relaxations ?? []).filter(
    ({ change }) => change !== undefined || planner !== offlinePlanner,
  );
}

export function viewSessionButtons(facts: SessionCardFacts, kind: SessionKind): SessionButton[] {
  const { run_id, turn, digest, offers, decision, request } = facts;
  const button = (
    action: SessionPress['action'],
    label: string,
    extra: Partial<SessionButton> & { choice?: string } = {},
  ): SessionButton => {
    const { choice, ...rest } = extra;
    const press: SessionPress = { action, run_id, turn, digest };
    return {
      label,
      style: 'plain',
      press: choice === undefined ? press : { ...press, choice },
      form: null,
      confirm: null,
      ...rest,
    };
  };
  const approve = (label: string) => button('session_approve', label, { style: 'primary' });
  const changes = (form: Form) => button('session_changes', 'Propose changes', { form });
  const reject = (label: string) => button('session_reject', label, { confirm: rejectConfirm });
  /** Never cut: that would be another request. */
  const choices = (action: SessionPress['action'], all: { name: string; answer: string }[]) =>
    all
      .filter(({ name, answer }) => answer.length <= maxChoice && cleanLine(name) !== '')
      .slice(0, maxChoices)
      .map(({ name, answer }) =>
        button(action, cutShown(showTitle(name, maxLabel), maxLabel), { choice: answer }),
      );
  const instead = (offers: MoveOffer[]) =>
    offers.map(({ label, choice }) => button('session_changes', label, { choice }));
  switch (kind) {
    case 'outline':
      return [approve('Approve'), changes(changesForm), reject('Reject')];
    case 'roadmap':
      return [
        approve('Approve'),
        ...instead(offerOrders(facts.roadmap ?? undefined)),
        changes(changesForm),
        reject('Reject'),
      ];
    case 'schedule':
      return [
        approve('Approve'),
        ...instead(offerMoves(movesOf(facts), facts)),
        changes(changesForm),
        reject('Reject'),
      ];
    case 'rfc':
      return [
        approve('Approve'),
        changes(patternForm),
        button('session_reject', 'Reject', { confirm: withoutConfirm }),
      ];
    case 'answer':
      return [approve('Confirm'), button('session_reject', 'Not now')];
    case 'budget':
      return [approve('Continue'), changes(lessForm), reject('Stop')];
    case 'escalation':
      return [
        ...choices(
          'session_changes',
          relaxationsOf(facts)
            .slice(0, maxRelaxations)
            .map(({ text, label, change = text }, at) => ({
              name: label === undefined ? text : `${at + 1}: ${label}`,
              answer: change,
            })),
        ),
        changes(otherForm),
        reject('Reject'),
      ];
    case 'questions':
      return [
        ...choices('session_answer', offers),
        button('session_answer', offers.length > 0 ? 'Something else' : 'Answer', {
          form: answerForm,
        }),
      ];
    case 'aborted':
      return decision.kind === 'reject' || request.length > maxChoice
        ? []
        : [button('session_answer', 'Try again', { choice: request })];
    case 'running':
    case 'plan':
    case 'answered':
      return [];
    default:
      return kind satisfies never;
  }
}
