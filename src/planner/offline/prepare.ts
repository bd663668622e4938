// From readings to valid steps, or to what must be said before there can be any: a question, a refusal, an answer.
import type { Clock } from '#contracts/clock.ts';
import type { PlanningRequest, TraceEntry } from '#contracts/run.ts';
import type { JsonObject } from '#contracts/text.ts';
import { type Result, traceStep } from '../outcomes.ts';
import type { PlannerTools } from '../ports.ts';
import { describeAbilities, describeCannot, joinWords } from './abilities.ts';
import type { RiskNote } from './describe.ts';
import { findProblems } from './draft.ts';
import { FileHistory } from './file-history.ts';
import { describeSet } from './file-sets.ts';
import type { NamedPattern } from './named-pattern.ts';
import type { PlannedStep } from './planned-step.ts';
import { questions } from './questions.ts';
import type { FileSet, Intent, Understood } from './reading.ts';
import { type FoundSet, findSet, resolveEdit, resolveSet } from './resolve.ts';
import { buildSteps, type Unit } from './steps.ts';
import { understand } from './understand.ts';

export type Decision = {
  result: Result;
  reason: string;
  /** What `generate_nodes` is given where the work is more than a list of steps. */
  outline?: JsonObject;
  /** The pattern of such work. */
  pattern?: NamedPattern;
  /** What was asked for, where the latest message only answers a question about it. */
  asked?: string;
};

export type Work = {
  request: PlanningRequest;
  tools: PlannerTools;
  clock: Clock;
  signal: AbortSignal;
  answers: ReadonlyMap<string, string>;
  trace: TraceEntry[];
  /** Ideas and options that were put before the person. */
  offered?: readonly JsonObject[];
};

export function read(work: Work, text: string, paths: string[]): Understood[] {
  const { request, tools, clock, answers, trace } = work;
  const startedAt = clock.now();
  const readings = understand(text, {
    manifest: tools.manifest(),
    focus: { paths, output: false },
    now: request.now,
    timezone: request.timezone,
    answers,
  });
  const kinds = readings.map(({ reading }) =>
    reading.kind === 'intents'
      ? reading.intents.map((intent) => intent.act).join('+')
      : reading.kind,
  );
  trace.push(
    traceStep({
      stage: 'understand',
      tool: 'offline',
      startedAt,
      endedAt: clock.now(),
      ok: true,
      explanation: `${readings.length} clauses: ${kinds.join(', ')}`,
    }),
  );
  return readings;
}

type Prepared = { steps: PlannedStep[]; cautions: RiskNote[]; notes: string[] };

/** From readings to valid steps, or to what must be said before there can be any. */
export async function prepare(
  work: Work,
  readings: Understood[],
): Promise<Prepared | { decision: Decision }> {
  const { request, tools, answers } = work;
  const found = await answerFinds(work, readings);
  if (found) return { decision: found };
  const early = decideByReadings(work, readings);
  if (early) return { decision: early };
  const resolved = await resolveUnits(work, readings);
  if ('decision' in resolved) return resolved;
  const built = buildSteps(resolved.units, {
    manifest: tools.manifest(),
    now: request.now,
    timezone: request.timezone,
    answers,
  });
  if (built.missing.length > 0) {
    const wanted = joinWords(built.missing);
    if (built.steps.length === 0) return { decision: refuse(work, wanted, readings) };
    const question = questions.withoutRest(wanted);
    if (!isYes(answers.get(question))) return { decision: askOrStop(work, [question]) };
  }
  if (built.questions.length > 0)
    return { decision: askThese(work, built.questions, 'the request leaves something open') };
  const fixed = fixArguments(work, built.steps);
  if (fixed) return { decision: fixed };
  if (built.steps.length === 0) {
    return {
      decision: {
        result: { kind: 'answer', text: 'There is nothing to do.' },
        reason: 'nothing was asked for',
      },
    };
  }
  const cautions = [...resolved.cautions, ...built.assumptions.map((text) => ({ text }))];
  return { steps: built.steps, cautions, notes: resolved.notes };
}

/** Which files there are is an answer; beside other instructions it is not understood. */
async function answerFinds(work: Work, readings: Understood[]): Promise<Decision | null> {
  const finds = readings.flatMap(({ reading }) => (reading.kind === 'find' ? [reading] : []));
  if (finds.length === 0) return null;
  const other = readings.some(({ reading }) => !['find', 'nothing'].includes(reading.kind));
  if (other) {
    const words = readings.find(({ reading }) => reading.kind === 'find')?.words ?? '';
    return askThese(work, [questions.unclear(words.slice(0, 80))], 'a look-up beside a plan');
  }
  const texts: string[] = [];
  for (const { files } of finds) {
    const found = await findSet(files, work.tools, undefined, work.signal);
    texts.push(found.ok ? describeFound(files, found) : found.text);
  }
  return {
    result: { kind: 'answer', text: texts.join('\n\n') },
    reason: 'answered without a plan: it only looks which files there are',
  };
}

function describeFound(files: FileSet, found: FoundSet): string {
  const all = [...found.entries, ...found.below];
  const name = files.pattern?.includes('*') ? describeSet(files) : files.pattern;
  if (all.length === 0)
    return `There is no ${name ?? 'file'} in ${found.place}.`.replace('no files', 'no file');
  const lines = all.slice(0, 200).map((entry) => `- ${entry.path}${entry.folder ? '/' : ''}`);
  const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
  const count = `${all.length} ${all.length === 1 ? 'entry' : 'entries'}`;
  return [`In ${found.place}, ${count}:`, ...lines, ...more].join('\n');
}

/** What can be decided before anything is looked up: questions, refusals, small talk. */
function decideByReadings(work: Work, readings: Understood[]): Decision | null {
  const kinds = new Set(readings.map(({ reading }) => reading.kind));
  const acts = kinds.has('intents') || kinds.has('for_each') || kinds.has('question');
  const cannots = readings.flatMap(({ reading }) =>
    reading.kind === 'cannot' ? [reading.wanted] : [],
  );
  const talks = readings.filter(({ reading }) => reading.kind === 'talk');
  if (!acts && cannots.length === 0) {
    if (talks.length > 0) {
      const text = `I can't answer that: no language model is configured, and no connected tool can look it up. I can ${describeAbilities(work.tools.manifest())}.`;
      return {
        result: { kind: 'answer', text },
        reason: 'answered without a plan: a question that no tool answers',
      };
    }
    const forbids = readings.some(
      ({ reading }) => reading.kind === 'nothing' && reading.note !== '',
    );
    const text = forbids
      ? 'Understood: I change nothing.'
      : 'Tell me what to do, or ask what is in the workspace.';
    return {
      result: { kind: 'answer', text },
      reason: 'answered without a plan: nothing was asked for',
    };
  }
  if (!acts) return refuse(work, joinWords(cannots), readings);
  const asked: string[] = [];
  for (const wanted of cannots) {
    const question = questions.withoutRest(wanted);
    const answer = work.answers.get(question);
    if (answer === undefined) asked.push(question);
    else if (!isYes(answer)) return askOrStop(work, [question]);
  }
  for (const { words } of talks) asked.push(questions.unclear(words.slice(0, 80)));
  asked.push(
    ...readings.flatMap(({ reading }) => (reading.kind === 'question' ? reading.questions : [])),
  );
  return asked.length > 0 ? askThese(work, asked, 'the request leaves something open') : null;
}

function isYes(answer: string | undefined): boolean {
  return (
    answer !== undefined &&
    /^\s*(?:y|yes|yep|yeah|sure|ok|okay|please|do|go ahead|fine|right|correct)\b/i.test(answer)
  );
}

/** Asks, or stops when the person has already said no. */
function askOrStop(work: Work, asked: string[]): Decision {
  if (asked.some((question) => work.answers.has(question))) {
    return {
      result: { kind: 'answer', text: 'Then I plan nothing.' },
      reason: 'the person did not want a part of the request alone',
    };
  }
  return askThese(work, asked, 'a part of the request is beyond the tools');
}

/** At least one question, at most as many as the person wants at a time. */
export function askThese(work: Work, asked: string[], reason: string): Decision {
  const list = [...new Set(asked)].slice(0, Math.max(1, work.request.policy.probing_depth));
  return {
    result: { kind: 'question', text: list.join('\n'), questions: list },
    reason: `asked, because ${reason}`,
  };
}

function refuse(work: Work, wanted: string, readings: Understood[]): Decision {
  const words = readings
    .map((reading) => reading.words)
    .join('; ')
    .slice(0, 500);
  return {
    result: {
      kind: 'cannot',
      text: describeCannot(wanted, work.tools.manifest()),
      wanted: wanted || words,
    },
    reason: `no plan: no operation of the manifest can ${wanted}`,
  };
}

type Units = { units: Unit[]; notes: string[]; cautions: RiskNote[] };

/** Enumerates sets and reads what is to be edited; prohibitions become notes and limits. */
async function resolveUnits(
  work: Work,
  readings: Understood[],
): Promise<Units | { decision: Decision }> {
  const { tools, signal } = work;
  const units: Unit[] = [];
  const forbidden = readings.flatMap(({ reading }) =>
    reading.kind === 'nothing' && reading.note !== '' ? [reading.note] : [],
  );
  const keep = forbidden.some((note) => /\b(?:overwrite|replace)\b/i.test(note));
  const nothing: string[] = [];
  const asked: string[] = [];
  const cautions: RiskNote[] = [];
  const history = new FileHistory();
  for (const { reading, link, tool, part, needs } of readings) {
    const intents: Intent[] = [];
    const raw = reading.kind === 'intents' ? reading.intents : [];
    if (reading.kind === 'for_each') {
      const startedAt = work.clock.now();
      const resolved = await resolveSet(
        reading.files,
        reading.make,
        tools,
        tool,
        work.answers,
        signal,
      );
      const explanation = resolved.ok
        ? `${resolved.intents.length} files`
        : resolved.ok === null
          ? resolved.question
          : resolved.text;
      work.trace.push(
        traceStep({
          stage: 'enumerate',
          tool: 'list',
          startedAt,
          endedAt: work.clock.now(),
          ok: resolved.ok !== false,
          explanation,
        }),
      );
      if (resolved.ok) {
        intents.push(...resolved.intents);
        for (const made of resolved.intents) history.apply(made);
      } else if (resolved.ok === null) asked.push(resolved.question);
      else nothing.push(resolved.text);
    }
    for (const intent of raw) {
      if (intent.act !== 'edit') {
        history.apply(intent);
        intents.push(
          keep && (intent.act === 'write' || intent.act === 'move')
            ? { ...intent, overwrite: false }
            : intent,
        );
        continue;
      }
      const resolved = await resolveEdit(
        intent.path,
        intent.edit,
        history.stateOf(intent.path),
        tools,
        tool,
        signal,
      );
      if (resolved.ok) {
        intents.push(...resolved.intents);
        if (history.stateOf(intent.path).kind === 'as_now')
          cautions.push(changedSince(intent.path));
        for (const made of resolved.intents) history.apply(made);
      } else if (resolved.ok === false) nothing.push(resolved.text);
    }
    const start = 'start' in reading ? reading.start : undefined;
    if (start && reading.kind === 'for_each') cautions.push(listedNow);
    if (intents.length > 0)
      units.push({
        intents,
        sequence: link === 'sequence',
        tool,
        start: start ?? null,
        part,
        needs,
      });
  }
  if (asked.length > 0)
    return { decision: askThese(work, asked, 'the request leaves something open') };
  if (nothing.length > 0) {
    return {
      decision: {
        result: { kind: 'answer', text: nothing.join('\n') },
        reason: 'no plan: what was asked for has nothing to act on',
      },
    };
  }
  return { units, cautions, notes: forbidden.map((note) => `Asked not to: ${note}`) };
}

/** There is no way to add to a file at run time: its whole new text is fixed here. */
function changedSince(path: string): RiskNote {
  return {
    text: `${path} is rewritten as a whole from what it said when this was planned; a change made to it since is lost.`,
    sign: `${path} was changed after this plan was made.`,
  };
}

const listedNow: RiskNote = {
  text: 'The files were listed when this was planned; files that come later are not included.',
  sign: 'A file like these was added after this plan was made.',
};

/** Arguments that their schema refuses are asked for again, or taken from the answer. */
function fixArguments(work: Work, steps: PlannedStep[]): Decision | null {
  const asked: string[] = [];
  for (const { step, problem } of findProblems(steps, work.tools.validate)) {
    const name = step.spec.targetArgument ?? Object.keys(step.args)[0] ?? 'arguments';
    const question = questions.fix(endSentence(problem), name);
    const answer = work.answers.get(question);
    if (answer === undefined) asked.push(question);
    else step.args = { ...step.args, [name]: answer.trim() };
  }
  if (asked.length === 0 && findProblems(steps, work.tools.validate).length === 0) return null;
  const left =
    asked.length > 0
      ? asked
      : findProblems(steps, work.tools.validate).map(({ step, problem }) =>
          questions.fix(endSentence(problem), step.spec.targetArgument ?? 'arguments'),
        );
  return askThese(work, left, 'an argument does not fit its operation');
}

function endSentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
