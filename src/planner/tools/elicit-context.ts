// elicit_context: asks for missing facts, none twice.
import { z } from 'zod';
import { introduceQuestions } from '#cards/calls-to-action.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import {
  type AnswerOption,
  askedQuestion,
  joinLines,
  type MessageLine,
} from '#domain/planning/asked-question.ts';
import type { PlanOutline } from '#domain/planning/outline.ts';
import type { Stage } from '#domain/planning/stages.ts';
import type { PlanningState } from '#domain/planning/state.ts';
import { type JsonObject, line } from '#domain/text.ts';
import { endSentence } from '#domain/words.ts';
import { defineTool } from '../define-tool.ts';
import { asksAbout, detailOf, questionsAllowed } from '../policy/effects.ts';
import { areAlike, meaningfulWords } from '../policy/options.ts';
import {
  fail,
  type StateChanges,
  succeed,
  type Tool,
  type ToolContext,
  type ToolOutcome,
} from '../tool.ts';

const Question = z.strictObject({
  id: line(200).nullable().default(null),
  question: line(500),
  why: line(300).nullable(),
  default: line(500).nullable().describe('assumed without an answer'),
  essential: z.boolean().describe('a wrong guess would make the plan wrong'),
  options: z.array(line(80)).max(4).nullable().default(null).describe('at least 2'),
  recommended: line(80).nullable().default(null).describe('one of them'),
});
export type Question = z.infer<typeof Question>;

const ElicitContext = z.strictObject({ questions: z.array(Question).min(1).max(10) });
const Shown = z.strictObject({ questions: z.array(Question.omit({ id: true })).max(10) });
export type ElicitContext = z.infer<typeof ElicitContext>;

export const askingStages: Stage[] = [
  'COLLECT_CONTEXT',
  'DRAFT_OUTLINE',
  'VALIDATE_OUTLINE',
  'VALIDATE_ROADMAP',
  'VALIDATE_SCHEDULE',
];

/** The stage after the answers. */
const resumes: Partial<Record<Stage, Stage>> = {
  COLLECT_CONTEXT: 'COLLECT_CONTEXT',
  DRAFT_OUTLINE: 'DRAFT_OUTLINE',
  VALIDATE_OUTLINE: 'DRAFT_OUTLINE',
  VALIDATE_ROADMAP: 'DRAFT_ROADMAP',
  VALIDATE_SCHEDULE: 'DRAFT_SCHEDULE',
};

const alike = 0.8;
const mostAssumptions = 50;
const mostOffered = 20;

function dropRepeated(questions: Question[], asked: string[]): Question[] {
  const kept: Question[] = [];
  for (const one of questions) {
    const known = [...asked, ...kept.map(({ question }) => question)];
    if (!known.some((other) => areAlike(other, one.question, alike))) kept.push(one);
  }
  return kept;
}

function findAsked({ offered, result }: Readonly<PlanningState>): string[] {
  const kept = offered.flatMap(({ kind, question }) =>
    kind === 'question' && typeof question === 'string' ? [question] : [],
  );
  return result?.kind === 'question'
    ? [...kept, ...result.questions.map(({ text }) => text)]
    : kept;
}

/** Fewer than two are no choice. */
function optionsOf({ options, recommended }: Question): AnswerOption[] {
  const different = [...new Set(options ?? [])];
  if (different.length < 2) return [];
  return different.map((text) => ({
    text,
    ...(text === recommended ? { recommended: true } : {}),
  }));
}

type Sorted = { ask: Question[]; assume: Question[]; open: Question[] };

function sortQuestions(questions: Question[], { policy, state }: ToolContext): Sorted {
  const wanted = questions
    .filter((one) => asksAbout(policy, one))
    // Without a default first, then essential ones.
    .toSorted(
      (a, b) =>
        Number(b.default === null) - Number(a.default === null) ||
        Number(b.essential) - Number(a.essential),
    );
  const ask = wanted.slice(0, questionsAllowed(policy, state.questions_asked));
  const rest = questions.filter((one) => !ask.includes(one));
  return {
    ask: questions.filter((one) => ask.includes(one)),
    assume: rest.filter((one) => one.default !== null),
    open: rest.filter((one) => one.default === null),
  };
}

function assumptionOf({ question, default: taken }: Question): string {
  return `${question.trimEnd()} I assume: ${taken ?? ''}`.slice(0, 1000);
}

export function noteAssumptions(
  { outline, assumed: known }: Readonly<PlanningState>,
  assumed: string[],
): StateChanges {
  if (assumed.length === 0) return {};
  if (outline !== null) return { outline: addAssumptions(outline, assumed) };
  const fresh = assumed.filter((one) => !known.includes(one));
  return { assumed: [...known, ...fresh].slice(0, mostAssumptions) };
}

function addAssumptions(outline: PlanOutline, assumed: string[]): PlanOutline {
  const fresh = assumed.filter((one) => !outline.assumptions.includes(one));
  return { ...outline, assumptions: [...outline.assumptions, ...fresh].slice(0, mostAssumptions) };
}

export function addOffered(state: Readonly<PlanningState>, entries: JsonObject[]): JsonObject[] {
  return [...state.offered, ...entries].slice(-mostOffered);
}

function elicit({ questions }: ElicitContext, toolContext: ToolContext): ToolOutcome {
  const { state } = toolContext;
  const resume = resumes[state.stage];
  if (resume === undefined)
    return {
      result: fail(
        'Nothing can be asked now. Assume what is likeliest, and note it among the risks.',
      ),
    };
  const fresh = dropRepeated(questions, findAsked(state));
  const { ask, assume, open } = sortQuestions(fresh, toolContext);
  const assumed = assume.map(assumptionOf);
  const data = {
    asked: ask.map(({ question }) => question),
    assumed,
    open: open.map(({ question }) => question),
    dropped: questions.length - fresh.length,
  };
  const noted = noteAssumptions(state, assumed);
  if (ask.length === 0) {
    return {
      result: succeed(
        data,
        fresh.length === 0
          ? 'All of this was asked before. Go on with what is known.'
          : 'Nothing is asked: take what is assumed, note it among the assumptions, and go on.',
        ...(open.length === 0
          ? []
          : ['What is open has no default: choose the most likely and note it as an assumption.']),
      ),
      changes: noted,
      heuristics: open.length === 0 ? 0.8 : 0.5,
    };
  }
  const put = putQuestions(ask, resume, toolContext);
  return {
    ...put,
    result: succeed(data, `Asks ${ask.length} of ${questions.length}.`),
    changes: { ...noted, ...put.changes },
  };
}

export function putQuestions(
  ask: Question[],
  resume: Stage,
  { state, policy }: Pick<ToolContext, 'state' | 'policy'>,
): ToolOutcome {
  const lines = writeQuestions(ask, policy);
  const entries = ask.map((one) => ({
    kind: 'question',
    question: one.question,
    default: one.default,
    ...(optionsOf(one).length === 0 ? {} : { options: optionsOf(one).map(({ text }) => text) }),
  }));
  return {
    result: succeed(null, 'The person is asked.'),
    changes: {
      offered: addOffered(state, entries),
      questions_asked: state.questions_asked + ask.length,
      pause: { kind: 'questions', resume, gate: null, digest: null },
      result: {
        kind: 'question',
        text: joinLines(lines),
        lines,
        questions: ask.map((one) => ({
          ...askedQuestion(one.question, one.id),
          ...(optionsOf(one).length === 0 ? {} : { options: optionsOf(one) }),
        })),
      },
    },
    ends: 'needs_clarification',
  };
}

/** Name the action, not its object. */
const lookupVerbs = new Set('check find get list read query search show view'.split(' '));

/** `crm_list_customers` for “Which customer?”. */
function findReader(questions: Question[], { tools }: ToolContext): string | null {
  const asked = meaningfulWords(questions.map(({ question }) => question).join(' '));
  const reader = tools
    .readable()
    .find(({ name }) =>
      [...meaningfulWords(name.replaceAll(/[_-]/g, ' '))].some(
        (word) => word.length > 3 && !lookupVerbs.has(word) && asked.has(word),
      ),
    );
  return reader?.name ?? null;
}

/** Once a turn, unless something was read. */
function sendToLook({ questions }: ElicitContext, toolContext: ToolContext): string | null {
  const { reads, trace } = toolContext.state;
  if (reads.length > 0 || trace.some(({ tool, ok }) => tool === 'elicit_context' && !ok))
    return null;
  const reader = findReader(questions, toolContext);
  return reader === null
    ? null
    : `Look first: ${reader} may answer that. If it does not, ask again, with what you found as options.`;
}

/** @param looksFirst refuses once what can be looked up, since models ask too soon */
export function createElicitContext(looksFirst: boolean): Tool<ElicitContext> {
  return defineTool({
    name: 'elicit_context',
    description: 'Asks the person; you are told what to assume instead.',
    input: ElicitContext,
    shown: Shown,
    stages: askingStages,
    revision: 2,
    async execute(input, toolContext) {
      const refused = looksFirst ? sendToLook(input, toolContext) : null;
      return refused === null ? elicit(input, toolContext) : { result: fail(refused) };
    },
  });
}

// One question per line.
function writeQuestions(questions: Question[], policy: InteractionPolicy): MessageLine[] {
  const detail = detailOf(policy);
  const numbered = questions.length > 1;
  const lines = questions.flatMap((one, index): MessageLine[] => {
    const { question, why, default: taken } = one;
    return [
      { text: numbered ? `${index + 1}. ${question}` : question, on_card: true },
      ...(detail === 'short' || why === null ? [] : [{ text: `   ${endSentence(why)}` }]),
      ...(detail !== 'full' || taken === null
        ? []
        : [{ text: `   If you don't answer, I'll assume: ${endSentence(taken)}` }]),
      ...optionsOf(one).map(({ text, recommended }, place) => ({
        text: `   ${place + 1}) ${text}${recommended === true ? ' (recommended)' : ''}`,
        on_card: true,
      })),
    ];
  });
  // One plain question needs no lead unless the tone does.
  if (!numbered && (detail === 'short' || policy.tone === 'neutral')) return lines;
  return [{ text: introduceQuestions(questions.length, policy.tone), on_card: true }, ...lines];
}
