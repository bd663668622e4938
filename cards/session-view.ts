// From the facts of a planning session to everything that is said about it. Pure: the same facts give the same words.
import type { SessionCardFacts } from '#contracts/session-card.ts';
import { makeSection, plainLine } from './lines.ts';
import { cleanLine, showLine } from './plain.ts';
import { viewSessionButtons } from './session-buttons.ts';
import { viewOutline, viewOutlineDetails } from './session-outline.ts';
import { viewPattern } from './session-pattern.ts';
import { viewRoadmap, viewRoadmapDetails } from './session-roadmap.ts';
import { viewSchedule, viewScheduleDetails } from './session-schedule.ts';
import { kindOf, viewSessionState } from './session-state.ts';
import type { Details, Section, SessionKind, SessionView } from './view.ts';
import { confidenceWord, formatCost } from './words.ts';

const sentenceAtMost = 500;
const titleAtMost = 200;

function viewTitle({ outline, request }: SessionCardFacts): string {
  const title = showLine(outline?.title ?? request, titleAtMost);
  return cleanLine(title) === '' ? 'Planning' : title;
}

/** What the card says in a sentence: of an artifact what it aims at, of anything else what the bot said. */
function viewSentence(facts: SessionCardFacts, kind: SessionKind): string {
  const said = showLine(facts.text, sentenceAtMost);
  switch (kind) {
    case 'outline':
    case 'roadmap':
    case 'schedule':
      return facts.outline === null ? said : showLine(facts.outline.summary, sentenceAtMost);
    case 'rfc':
      return facts.rfc === null ? said : showLine(facts.rfc.text, sentenceAtMost);
    case 'escalation':
      return showLine(facts.infeasible?.reason ?? facts.reason ?? facts.text, sentenceAtMost);
    case 'aborted':
      return said === '' ? showLine(facts.reason ?? '', sentenceAtMost) : said;
    case 'running':
      return 'Drafting. Nothing runs until you approve it.';
    case 'questions':
      return showLine(openingOf(facts), sentenceAtMost);
    case 'budget':
    case 'plan':
    case 'answered':
      return said;
    default:
      return kind satisfies never;
  }
}

/** The first line of what was asked; questions and offers follow in lines of their own. */
function openingOf({ text }: SessionCardFacts): string {
  return text.trim().split(/[\r\n]/, 1)[0] ?? '';
}

function viewQuestions(facts: SessionCardFacts): Section | null {
  const opening = openingOf(facts);
  const open = facts.questions.filter((question) => !opening.includes(question));
  const lines = open.map((question, i) =>
    plainLine(showLine(question, 900), { lead: open.length > 1 ? `${i + 1}` : '' }),
  );
  return makeSection('questions', open.length > 1 ? 'Questions' : 'Question', lines, 10);
}

function viewOffers({ offers }: SessionCardFacts): Section | null {
  const lines = offers.map(({ name, text }, i) =>
    plainLine(showLine(name, 120), { lead: `${i + 1}`, note: showLine(text, 300) }),
  );
  return makeSection('offers', 'To choose from', lines, 5);
}

function viewRelaxations({ infeasible }: SessionCardFacts): Section | null {
  const lines = (infeasible?.relaxations ?? []).map(({ text }, i) =>
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
    ...(planner === null ? [] : [showLine(planner, 80)]),
    ...(confidence === null ? [] : [`confidence ${confidenceWord(confidence)}`]),
    ...(pause?.kind === 'gate' ? [`digest ${digest.slice(0, 8)}`] : []),
  ].join(' · ');
}

const gates = new Set<SessionKind>(['outline', 'roadmap', 'schedule']);

/** Whether there is more to see of a session than what the bot says. */
export function hasCard({ kind }: SessionView): boolean {
  return kind !== 'running' && kind !== 'plan' && kind !== 'answered';
}

/** Everything a card, its text twin or a terminal says about a planning session. */
export function viewSession(facts: SessionCardFacts): SessionView {
  const kind = kindOf(facts);
  return {
    run_id: facts.run_id,
    turn: facts.turn,
    digest: facts.digest,
    kind,
    title: viewTitle(facts),
    planner: facts.planner === null ? '' : showLine(facts.planner, 80),
    state: viewSessionState(facts, kind),
    asks: [],
    asks_more: '',
    sentence: viewSentence(facts, kind),
    progress: null,
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
}
