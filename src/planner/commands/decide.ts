// What a request comes to: steps of a plan, an answer, a question, or what no tool can do. Never throws.
import { isDatabaseAway } from '#db/transient.ts';
import type { Clock } from '#domain/clock.ts';
import { errorMessage } from '#domain/errors.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { TraceEntry } from '#domain/planning/trace.ts';
import { isSliceOver, nextTurn } from '#domain/slices.ts';
import { endSentence, listOf } from '#domain/words.ts';
import type { PlannerTools } from '../ports.ts';
import { isPartial, tellPart } from '../reads/list-pages.ts';
import { traceStep } from '../trace-step.ts';
import { answerAboutPlans, answerTalk, describeCannot } from './abilities.ts';
import { buildSteps, findSet, type RiskNote } from './build.ts';
import { buildRows, type RowsPlan } from './build-rows.ts';
import type { Clause, Question, Request } from './command.ts';
import { needsOutline } from './draft.ts';
import { familyOf } from './families.ts';
import { describeSet } from './files.ts';
import { lookUp } from './look-up.ts';
import { parseRequest } from './parse.ts';
import type { Step } from './step.ts';

export type Decision = { reason: string } & (
  | { kind: 'plan'; request: Request; steps: Step[]; cautions: RiskNote[] }
  /** One step for each row of a table, by for_each. */
  | { kind: 'rows'; request: Request; plan: RowsPlan }
  | { kind: 'answer'; text: string }
  | { kind: 'cannot'; text: string; wanted: string }
  | { kind: 'questions'; questions: Question[] }
  | { kind: 'failed'; text: string; code: string }
);

export type Work = {
  request: Pick<PlanningRequest, 'runId' | 'now' | 'timezone'>;
  tools: PlannerTools;
  clock: Clock;
  signal: AbortSignal;
  trace: TraceEntry[];
};

/** A request with the answers that were given to questions about it. */
export type Asked = { text: string; answers: ReadonlyMap<string, string>; paths: string[] };

const lookUpsAtMost = 20;

/** @param firstId the number of the first step, where others are there already */
export async function decide(work: Work, asked: Asked, firstId = 1): Promise<Decision> {
  try {
    work.signal.throwIfAborted();
    return await decideOn(work, asked, firstId);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    if (work.signal.aborted)
      return {
        kind: 'failed',
        code: 'cancelled',
        text: 'Planning was stopped. Nothing has changed; ask again.',
        reason: 'planning was stopped',
      };
    const text = `Planning failed: ${errorMessage(error)} Nothing has changed; try rephrasing.`;
    return { kind: 'failed', code: 'internal', text, reason: errorMessage(error) };
  }
}

const answer = (text: string, reason: string): Decision => ({ kind: 'answer', text, reason });
const asks = (questions: Question[], reason: string): Decision => ({
  kind: 'questions',
  questions,
  reason: `asked, because ${reason}`,
});

async function decideOn(
  work: Work,
  { text, answers, paths }: Asked,
  firstId: number,
): Promise<Decision> {
  const { tools, request, clock, signal } = work;
  const { now, timezone } = request;
  const manifest = tools.manifest();
  const talk = answerTalk(text, manifest, now, timezone);
  if (talk !== null) return answer(talk, 'answered without a plan: nothing was asked for');
  const about = await answerAboutPlans(text, tools, request.runId);
  if (about !== null) return answer(about, 'answered without a plan: a question about plans');
  const startedAt = clock.now();
  const parsed = parseRequest(text, { manifest, now, timezone, answers, paths });
  const clauses = parsed.kind === 'request' ? parsed.request.clauses : [];
  const acts = clauses.map(({ command }) => command.do);
  work.trace.push(
    traceStep({
      stage: 'understand',
      tool: 'offline',
      startedAt,
      endedAt: clock.now(),
      ok: true,
      explanation:
        parsed.kind === 'request' ? `${acts.length} clauses: ${acts.join(', ')}` : parsed.kind,
    }),
  );
  if (parsed.kind === 'questions')
    return asks(parsed.questions, 'the request leaves something open');
  if (parsed.kind === 'cannot') return cannot(work, parsed.wanted);
  if (parsed.kind === 'declined')
    return answer('Then I plan nothing.', 'the person did not want a part of the request alone');
  const finds = clauses.flatMap(({ command }) => (command.do === 'find' ? [command.set] : []));
  if (finds.length > 0 && finds.length === clauses.length) return answerFinds(work, finds);
  if (clauses.length === 0) return answer('There is nothing to do.', 'nothing was asked for');
  const rows = clauses.find((clause) => clause.command.do === 'rows');
  if (rows !== undefined) return decideOnRows(work, rows, parsed.request);
  const built = await buildSteps(clauses, { tools, timezone, answers, signal }, firstId);
  if (built.kind === 'questions') return asks(built.questions, 'the request leaves something open');
  if (built.kind === 'cannot') return cannot(work, listOf(built.wanted));
  if (built.kind === 'nothing')
    return answer(built.text, 'no plan: what was asked for has nothing to act on');
  const problem = await findProblem(work, built.steps, answers);
  if (problem !== null) return asks([problem], 'an argument does not fit its operation');
  if (canLookUp(clauses, built.steps, tools)) return answerByReading(work, built.steps);
  const writes = new Set(
    built.steps.filter(({ spec }) => spec.effect !== 'read').map(({ spec }) => spec.name),
  );
  const why =
    writes.size > 0
      ? `it changes something: ${[...writes].join(', ')}`
      : 'it runs operations that are not look-ups';
  const { steps, cautions } = built;
  return {
    kind: 'plan',
    request: parsed.request,
    steps,
    cautions,
    reason: `a plan, because ${why}`,
  };
}

/** A command about rows stands alone: what is to be done before or after it is a request of its own. */
async function decideOnRows(work: Work, clause: Clause, request: Request): Promise<Decision> {
  const { command, start, lag, takes, deadline, rule, gate, if: decided } = clause;
  const modified = [start, lag, takes, deadline, rule, gate, decided].some((one) => one !== null);
  if (request.clauses.length > 1 || modified || needsOutline(request)) {
    const text =
      'Files for the rows of a table need a request of their own, with at most a summary and without other commands, times or conditions. What should I do?';
    return asks([{ id: 'rows', text }], 'rows of a table need a request of their own');
  }
  if (command.do !== 'rows') return answer('There is nothing to do.', 'nothing was asked for');
  const built = await buildRows(command, work);
  if ('cannot' in built) return cannot(work, built.cannot);
  if ('refused' in built)
    return answer(built.refused, 'no plan: the table does not fit what was asked for');
  return { kind: 'rows', request, plan: built.plan, reason: 'a plan, because it writes files' };
}

function cannot({ tools }: Work, wanted: string): Decision {
  const text = describeCannot(wanted, tools.manifest());
  const reason = `no plan: no operation of the manifest can ${wanted}`;
  return { kind: 'cannot', text, wanted, reason };
}

async function answerFinds(
  { tools, signal }: Work,
  sets: Parameters<typeof findSet>[0][],
): Promise<Decision> {
  const texts: string[] = [];
  for (const set of sets) {
    const found = await findSet(set, { tools, signal });
    if (typeof found === 'string') {
      texts.push(found);
      continue;
    }
    const all = [...found.entries, ...found.below];
    const isOpen = set.pattern === null || set.pattern.includes('*');
    const none = isOpen ? `are no ${describeSet(set)}` : `is no ${set.pattern}`;
    const lines = all.slice(0, 200).map(({ path, folder }) => `- ${path}${folder ? '/' : ''}`);
    const more = all.length > lines.length ? [`and ${all.length - lines.length} more`] : [];
    const part = isPartial(found.coverage)
      ? [`Only ${tellPart(found.coverage)} entries could be listed, so there may be more.`]
      : [];
    const count = `${all.length} ${all.length === 1 ? 'entry' : 'entries'}`;
    texts.push(
      all.length === 0
        ? [`There ${none} in ${found.place}.`, ...part].join(' ')
        : [`In ${found.place}, ${count}:`, ...lines, ...more, ...part].join('\n'),
    );
  }
  return answer(texts.join('\n\n'), 'answered without a plan: it only looks which files there are');
}

/** An argument that its schema refuses is asked for again, or taken from the answer. */
async function findProblem(
  { tools }: Work,
  steps: Step[],
  answers: Asked['answers'],
): Promise<Question | null> {
  for (const step of steps) {
    if (isSliceOver()) await nextTurn();
    const later = Object.entries(step.args)
      .filter(([, value]) => typeof value === 'object' && value !== null && '$from' in value)
      .map(([name]) => name);
    const known = () =>
      Object.fromEntries(Object.entries(step.args).filter(([name]) => !later.includes(name)));
    const home = Object.values(step.args).find(
      (value) => typeof value === 'string' && /^~\//.test(value),
    );
    const check = () =>
      home === undefined
        ? tools.validate(step.spec.name, known(), later)
        : [`The path "${String(home)}" leads outside the workspace.`];
    const [first] = check();
    if (first === undefined) continue;
    const name = step.spec.targetArgument ?? Object.keys(step.args)[0] ?? 'arguments';
    const answer = answers.get(`fix ${step.id}`);
    // A value, and no other wish: "leave it, delete good.txt".
    const given = answer !== undefined && !/,|\s\S+\s/.test(answer.trim()) ? answer.trim() : null;
    if (given !== null) step.args = { ...step.args, [name]: given };
    const [left] = given === null ? [first] : check();
    if (left !== undefined)
      return {
        id: `fix ${step.id}`,
        text: `${endSentence(left)} What should "${name}" be instead?`,
      };
  }
  return null;
}

/** Only reading, only with operations the planner may call, and nothing that passes time or asks people. */
function canLookUp(clauses: Clause[], steps: Step[], tools: PlannerTools): boolean {
  const readable = new Set(tools.readable().map(({ name }) => name));
  const plain = clauses.every(({ start, rule, gate, lag, deadline, takes }) =>
    [start, rule, gate, lag, deadline, takes].every((one) => one === null),
  );
  return (
    plain &&
    steps.length <= lookUpsAtMost &&
    steps.every(({ spec }) => {
      const family = familyOf(spec);
      const acts = family === 'wait' || family === 'nothing' || family === 'ask';
      return spec.effect === 'read' && readable.has(spec.name) && !acts && spec.human !== true;
    })
  );
}

async function answerByReading(work: Work, steps: Step[]): Promise<Decision> {
  const { tools, clock, request, signal, trace } = work;
  const texts: string[] = [];
  for (const step of steps) {
    const startedAt = clock.now();
    const looked = await lookUp(step, tools, request.timezone, signal);
    const entry = { stage: 'look_up', tool: step.spec.name, startedAt, endedAt: clock.now() };
    trace.push(traceStep({ ...entry, ok: looked.ok, explanation: looked.text.slice(0, 200) }));
    texts.push(looked.text);
  }
  const names = [...new Set(steps.map(({ spec }) => spec.name))].join(', ');
  return answer(texts.join('\n\n'), `answered without a plan: it only reads (${names})`);
}
