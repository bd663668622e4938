// A session's facts as words. Pure.
import type { SessionCardFacts } from '#domain/chat/session-card.ts';
import {
  cleanLine,
  isolateText,
  quoteName,
  quoteWords,
  showLine,
  showTitle,
} from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { introduceQuestions } from './calls-to-action.ts';
import { makeSection, plainLine } from './findings.ts';
import { goal, mapShown, maxSentence, quote } from './plain.ts';
import {
  viewOutline,
  viewOutlineDetails,
  viewRoadmap,
  viewRoadmapDetails,
} from './session-outline.ts';
import { kindOf, relaxationsOf, viewSessionButtons, viewSessionState } from './session-state.ts';
import { describeRepeats, formatBooked, tellBooked, tellSpan, tellTime } from './times.ts';
import type { Details, Line, Quote, Section, SessionKind, SessionView } from './view.ts';
import { confidenceWord, formatCost } from './words.ts';

const maxBlocks = 12;
const maxDetails = 200;

function titleOf({ outline }: SessionCardFacts, id: string): string {
  return showTitle(outline?.nodes.find((node) => node.id === id)?.title ?? id, 120);
}

function linesOf(facts: SessionCardFacts): Line[] {
  const blocks = [...(facts.schedule?.blocks ?? [])].sort((a, b) =>
    a.starts_at < b.starts_at ? -1 : Number(a.starts_at > b.starts_at),
  );
  const titles = new Map(facts.outline?.nodes.map(({ id, title }) => [id, title]));
  return blocks.map(({ node, starts_at, ends_at, fixed, holds, person }) =>
    plainLine(showTitle(titles.get(node) ?? node, 120), {
      note: [
        tellSpan(starts_at, ends_at, facts),
        ...(person === null ? [] : [quoteName(person, 60)]),
        ...(fixed ? ['fixed'] : holds ? [] : ['estimate']),
      ].join(' · '),
    }),
  );
}

function viewConflicts(facts: SessionCardFacts): Section | null {
  const { portfolio, now, viewer } = facts;
  if (portfolio === null) return null;
  const conflicts = portfolio.conflicts.map(({ node, with: other, shift_to }) =>
    plainLine(`${titleOf(facts, node)} overlaps ${quoteName(other, 120)}`, {
      note:
        shift_to === null
          ? 'no free slot nearby'
          : `next free slot: ${tellTime(shift_to, { now, viewer })}`,
    }),
  );
  const unread = portfolio.unread.map((text) =>
    plainLine(quoteWords(text, 200), { note: "couldn't be read" }),
  );
  return makeSection('conflicts', 'Conflicts with other plans', [...conflicts, ...unread], 4);
}

function viewSchedule(facts: SessionCardFacts): (Section | null)[] {
  return [
    makeSection('times', 'Dates', linesOf(facts), maxBlocks),
    viewConflicts(facts),
    viewLoad(facts),
  ];
}

function viewLoad({ portfolio }: SessionCardFacts): Section | null {
  const { weeks = [], utilisation } = portfolio ?? {};
  const lines = weeks.map((week) => plainLine(tellBooked(week)));
  if (lines.length === 0 && utilisation != null) lines.push(plainLine(formatBooked(utilisation)));
  return makeSection('options', 'Working time', lines, 6);
}

/** Null if the card shows all. */
function viewScheduleDetails(facts: SessionCardFacts): Details | null {
  const lines = linesOf(facts);
  if (lines.length <= maxBlocks) return null;
  return {
    title: `All ${countOf(lines.length, 'date')}`,
    lines: lines.slice(0, maxDetails),
    more: Math.max(0, lines.length - maxDetails),
  };
}

const maxTitle = 200;

function viewTitle({ outline, request }: SessionCardFacts): string {
  const title = showTitle(outline?.title ?? request, maxTitle);
  return cleanLine(title) === '' ? 'Planning' : title;
}

/** An artifact's goal, else the bot's message. */
function viewSentence(facts: SessionCardFacts, kind: SessionKind): string {
  const message = showLine(facts.text, maxSentence);
  switch (kind) {
    case 'outline':
    case 'roadmap':
    case 'schedule':
      return facts.outline === null ? message : '';
    case 'rfc':
      return facts.rfc === null ? message : '';
    case 'escalation':
      return facts.infeasible === null ? showLine(facts.reason ?? facts.text, maxSentence) : '';
    case 'aborted':
      return message === '' ? showLine(facts.reason ?? '', maxSentence) : message;
    case 'running':
      return 'Drafting a plan. Nothing runs until you approve it.';
    case 'questions':
      return facts.questions.length === 1 ? '' : showLine(openingOf(facts), maxSentence);
    case 'budget':
    case 'answer':
    case 'plan':
    case 'answered':
      return message;
    default:
      return kind satisfies never;
  }
}

const gates = new Set<SessionKind>(['outline', 'roadmap', 'schedule']);

function viewQuotes(facts: SessionCardFacts, kind: SessionKind): Quote[] {
  const { outline, rfc, infeasible, questions } = facts;
  if (gates.has(kind)) return goal(outline?.summary, facts.planner, describeRepeats(facts.repeats));
  if (kind === 'rfc') return quote('Why', rfc?.text, maxSentence);
  // Written by code, which quotes names.
  if (kind === 'escalation' && infeasible !== null)
    return [{ by: 'Why', words: showLine(infeasible.reason, maxSentence) }];
  const [only] = questions.length === 1 ? questions : [];
  return kind === 'questions' ? quote('Question', only, maxSentence) : [];
}

/** The question, or how many there are. */
function openingOf({ questions, text }: SessionCardFacts): string {
  const [first = text] = questions;
  return questions.length > 1 ? introduceQuestions(questions.length, 'neutral') : first;
}

function viewQuestions(facts: SessionCardFacts): Section | null {
  const { questions } = facts;
  if (questions.length < 2) return null;
  const lines = questions.map((question, i) =>
    plainLine(quoteWords(question, 900), { lead: `${i + 1}` }),
  );
  return makeSection('questions', 'Questions', lines, 10);
}

function viewOffers({ offers }: SessionCardFacts): Section | null {
  // Buttons say it all.
  if (offers.every(({ text }) => text === '')) return null;
  const lines = offers.map(({ name, text }, i) =>
    plainLine(showTitle(name, 120), { lead: `${i + 1}`, quotes: quote('', text, 300) }),
  );
  return makeSection('offers', 'Options', lines, 10);
}

function viewRelaxations(facts: SessionCardFacts): Section | null {
  const lines = relaxationsOf(facts).map(({ text }, i) =>
    plainLine(showLine(text, 300), { lead: `${i + 1}` }),
  );
  return makeSection('relaxations', 'What would make it fit', lines, 5);
}

function sectionsOf(facts: SessionCardFacts, kind: SessionKind): (Section | null)[] {
  switch (kind) {
    case 'outline':
      return viewOutline(facts);
    case 'roadmap':
      return viewRoadmap(facts);
    case 'schedule':
      return viewSchedule(facts);
    case 'rfc':
      return viewPattern(facts);
    case 'questions':
      return [viewQuestions(facts), viewOffers(facts)];
    case 'escalation':
      return [viewRelaxations(facts)];
    case 'running':
    case 'budget':
    case 'answer':
    case 'plan':
    case 'answered':
    case 'aborted':
      return [];
    default:
      return kind satisfies never;
  }
}

function detailsOf(facts: SessionCardFacts, kind: SessionKind): Details | null {
  if (kind === 'outline') return viewOutlineDetails(facts);
  if (kind === 'roadmap') return viewRoadmapDetails(facts);
  return kind === 'schedule' ? viewScheduleDetails(facts) : null;
}

function viewFacts(facts: SessionCardFacts, kind: SessionKind): string {
  const { cost_usd: cost, planner, confidence, digest, pause } = facts;
  const done = kind === 'answered' || kind === 'aborted' || facts.over !== null;
  const spent = done ? '' : ' so far';
  return [
    cost === 0 ? 'no cost' : `${formatCost(cost)}${spent}`,
    ...(planner === null ? [] : [quoteName(planner, 80)]),
    ...(confidence === null ? [] : [`confidence ${confidenceWord(confidence)}`]),
    ...(pause?.kind === 'gate' ? [`digest ${digest.slice(0, 8)}`] : []),
  ].join(' · ');
}

/** More to show than the message. */
export function hasCard({ kind }: SessionView): boolean {
  return kind !== 'running' && kind !== 'plan' && kind !== 'answered';
}

export function viewSession(facts: SessionCardFacts): SessionView {
  const kind = kindOf(facts);
  const view: SessionView = {
    run_id: facts.run_id,
    turn: facts.turn,
    digest: facts.digest,
    kind,
    title: viewTitle(facts),
    planner: facts.planner === null ? '' : quoteName(facts.planner, 80),
    state: viewSessionState(facts, kind),
    asks: [],
    asks_more: 0,
    sentence: viewSentence(facts, kind),
    quotes: viewQuotes(facts, kind),
    progress: null,
    tasks: null,
    sections: sectionsOf(facts, kind).filter((section) => section !== null),
    approvals:
      gates.has(kind) && facts.over === null
        ? 'Nothing runs until the plan itself is approved.'
        : '',
    facts: viewFacts(facts, kind),
    buttons: facts.over === null ? viewSessionButtons(facts, kind) : [],
    details: detailsOf(facts, kind),
    link: facts.link,
  };
  return mapShown(view, isolateText);
}

/** `proposed:daily_health` → `daily health` */
function readable(name: string): string {
  return showTitle(name.replace(/^proposed:/, '').replaceAll('_', ' '), 120);
}

function viewPattern({ pattern, rfc }: SessionCardFacts): (Section | null)[] {
  const proposes = rfc?.proposes ?? pattern?.subtype ?? pattern?.pattern_type;
  const isSubtype = pattern !== null && !pattern.pattern_type.startsWith('proposed:');
  const kind = isSubtype ? 'Proposed subtype' : 'Proposed pattern';
  const nearest = isSubtype ? pattern?.pattern_type : pattern?.source_pattern;
  return [
    proposes === undefined
      ? null
      : makeSection('pattern', kind, [plainLine(readable(proposes))], 1),
    nearest === undefined
      ? null
      : makeSection('options', 'Nearest known pattern', [plainLine(readable(nearest))], 1),
  ];
}
