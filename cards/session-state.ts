// What a planning session stands at, in a symbol and words. Every planning_status has its own.
import type { SessionCardFacts, SessionOver } from '#contracts/session-card.ts';
import { showPerson } from './people.ts';
import { showLine } from './plain.ts';
import type { SessionKind, SessionView, Tone } from './view.ts';
import { tellTime } from './words.ts';

/** What there is to say, from the status and the reason of the pause. */
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
  escalation: 'it does not fit the available time',
  plan: 'the plan',
  answered: '',
  aborted: '',
};

/** The same once it is decided: what was decided about. */
const decided: Record<SessionKind, string> = {
  ...subjects,
  questions: '',
  outline: 'the outline',
  roadmap: 'the order',
  schedule: 'the dates',
};

const deeds: Record<SessionKind, Partial<Record<SessionOver['kind'], string>>> = {
  running: {},
  questions: { said: 'Answered' },
  outline: { said: 'Continued' },
  roadmap: { said: 'Continued' },
  schedule: { said: 'Continued' },
  rfc: { reject: 'Skipped', said: 'Continued' },
  budget: { approve: 'Continued', reject: 'Stopped', said: 'Continued' },
  escalation: { changes: 'Changed', said: 'Continued' },
  plan: {},
  answered: {},
  aborted: { said: 'Asked again' },
};

const deedOf: Record<SessionOver['kind'], { symbol: string; words: string; tone: Tone }> = {
  approve: { symbol: '✓', words: 'Approved', tone: 'good' },
  reject: { symbol: '✕', words: 'Rejected', tone: 'default' },
  changes: { symbol: '↻', words: 'Changes asked for', tone: 'default' },
  said: { symbol: '✓', words: 'Continued', tone: 'default' },
  overtaken: {
    symbol: '✕',
    words: 'Not planned; something else was asked for since',
    tone: 'default',
  },
};

/** `✓ Approved by ana, 14:02` */
function describeOver(facts: SessionCardFacts, over: SessionOver, kind: SessionKind) {
  const { symbol, words, tone } = deedOf[over.kind];
  const who = over.by === null ? '' : ` by ${showPerson(facts, over.by, 60)}`;
  const when = over.at === null ? '' : `, ${tellTime(over.at, facts)}`;
  return { symbol, words: `${deeds[kind][over.kind] ?? words}${who}${when}`, tone, open: false };
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
            words: `Rejected by ${showPerson(facts, facts.decision.by, 60)}`,
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
