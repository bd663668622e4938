// Interprets a request as steps, loop, answer, questions or suggestions.
import { isDatabaseAway } from '#db/transient.ts';
import { postTargetOf } from '#domain/chat/post-target.ts';
import { errorMessage } from '#domain/errors.ts';
import { openArguments } from '#domain/plan/arguments.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import type { JsonObject } from '#domain/text.ts';
import { endSentence, listOf, shorten } from '#domain/words.ts';
import { findNoDay } from '#timeline/spoken-times.ts';
import type { Question } from '../commands/answers.ts';
import { isAnswer, type Reading } from '../commands/match.ts';
import { type ReadRequest, type Request, readRequest, type Unread } from '../commands/request.ts';
import { suggestForms } from '../commands/suggest.ts';
import { tokenize } from '../commands/tokens.ts';
import type { PlannerTools } from '../ports.ts';
import { buildSteps } from './build.ts';
import { showCall } from './call-arguments.ts';
import { unreadId } from './conversation.ts';
import type { Setting, Step } from './describe.ts';
import { connectModel, writeHelp } from './help.ts';
import { answerItself, lookUp } from './look-up.ts';
import { buildLoop, type Group } from './loops.ts';
import { settleTargets } from './order-steps.ts';

export type Interpretation = { reason: string } & (
  | { kind: 'plan'; request: Request; steps: Step[] }
  | { kind: 'group'; request: Request; group: Group }
  | { kind: 'answer'; text: string }
  /** `wanted`: the missing operation, or null if the request can't be planned. */
  | { kind: 'cannot'; text: string; wanted: string | null }
  | { kind: 'questions'; questions: Question[] }
  /** `options` can be planned unchanged. */
  | { kind: 'unread'; text: string; options: string[] }
  | { kind: 'failed'; text: string; code: string }
);

export type Work = {
  request: Pick<PlanningRequest, 'runId' | 'user' | 'now' | 'timezone' | 'plans'>;
  tools: PlannerTools;
  signal: AbortSignal;
  answers: ReadonlyMap<string, string>;
};

const refuse = (why: string, reason: string): Interpretation => ({
  kind: 'cannot',
  text: `${why}${why.endsWith('\n') ? '' : ' '}Nothing was planned.`,
  wanted: null,
  reason,
});

const maxCharacters = 40_000;
const maxLookUps = 20;

const answer = (text: string, reason: string): Interpretation => ({ kind: 'answer', text, reason });

function readingOf(
  source: string,
  { request: { now, timezone }, tools }: Pick<Work, 'request' | 'tools'>,
  it: string | null = null,
): Reading {
  const operations = new Map(tools.manifest().map(({ name }) => [name.toLowerCase(), name]));
  return { source, tokens: tokenize(source), now, timezone, operations, it };
}

function readText(
  text: string,
  work: Pick<Work, 'request' | 'tools'>,
  it: string | null = null,
): ReadRequest {
  if (text.length > maxCharacters) return { kind: 'unread', from: 0, to: text.length, reached: 0 };
  return readRequest(readingOf(text, work, it));
}

const settingOf = ({ request, tools, answers }: Work): Setting => ({
  manifest: tools.manifest(),
  now: request.now,
  timezone: request.timezone,
  answers,
});

export function isWhole(text: string, work: Pick<Work, 'request' | 'tools'>): boolean {
  const read = readText(text, work);
  return (
    read.kind === 'request' && read.request.commands.every(({ slots }) => slots.lacks.length === 0)
  );
}

/** Texts with # or @ are not tried: resolving the place could open a chat. */
function plans(text: string, work: Work): boolean {
  const read = readText(text, work);
  if (read.kind === 'unread') return false;
  const [only, ...more] = read.request.commands;
  if (only?.form.operation === null && only.form.looks === true) return more.length === 0;
  const built = buildSteps(read.request, { ...settingOf(work), answers: new Map() });
  if (built.kind !== 'steps' || findProblem(built.steps, work) !== null) return false;
  const targets = built.steps.flatMap(
    ({ spec, args }) => postTargetOf({ tool: spec.tool, operation: spec.operation, args }) ?? [],
  );
  return targets.every((one) => /^<?[#@]/.test(one));
}

export async function interpret(
  text: string,
  work: Work,
  firstId = 1,
  it: string | null = null,
): Promise<Interpretation> {
  try {
    work.signal.throwIfAborted();
    return await interpretText(text, work, firstId, it);
  } catch (error) {
    if (isDatabaseAway(error)) throw error;
    const reason = errorMessage(error);
    const [code, text] = work.signal.aborted
      ? ['cancelled', 'Planning was stopped. Nothing has changed; ask again.']
      : ['internal', `Planning failed: ${reason} Nothing has changed; try again.`];
    return { kind: 'failed', code, text, reason };
  }
}

async function interpretText(
  text: string,
  work: Work,
  firstId: number,
  it: string | null,
): Promise<Interpretation> {
  const { request, tools, signal } = work;
  if (text.trim() === '')
    return answer(writeHelp(tools.manifest()), 'answered: nothing was asked for');
  const read = readText(text, work, it);
  if (read.kind === 'unread') return tellUnread(text, read, work);
  const { commands } = read.request;
  const own = commands.find(({ form }) => form.operation === null && form.looks === true);
  if (own !== undefined) {
    if (commands.length > 1)
      return refuse(`“${own.words}” must be sent on its own.`, 'no plan: a look-up among commands');
    return answer(await answerItself(own, tools, request.runId), 'answered without a plan');
  }
  const built = buildSteps(read.request, settingOf(work), firstId);
  if (built.kind === 'questions')
    return {
      kind: 'questions',
      questions: built.questions,
      reason: 'asked, because a slot is open',
    };
  if (built.kind === 'missing')
    return { ...built, kind: 'cannot', reason: `no plan: ${built.wanted} is not connected` };
  if (built.kind === 'refused') return refuse(built.text, 'no plan: it cannot be planned so');
  const { steps } = built;
  const loop = commands.find((command) => command.loop !== null);
  if (loop !== undefined) return interpretLoop(read.request, steps, work);
  const problem = findProblem(steps, work);
  if (problem !== null) return refuse(problem, 'no plan: an argument does not fit its operation');
  const questions = await settleTargets(steps, settingOf(work), work);
  if (questions.length > 0)
    return { kind: 'questions', questions, reason: 'asked, because a target exists already' };
  if (steps.length <= maxLookUps && canLookUp(steps, tools)) {
    const texts: string[] = [];
    for (const step of steps) texts.push((await lookUp(step, tools, request, signal)).text);
    return answer(
      texts.join('\n\n'),
      `answered without a plan: it only reads (${listOf([...new Set(steps.map(({ spec }) => spec.name))])})`,
    );
  }
  return { kind: 'plan', request: read.request, steps, reason: `a plan of ${steps.length} steps` };
}

/** Work before or after a loop is a separate request. */
async function interpretLoop(
  request: Request,
  steps: Step[],
  { request: { timezone }, tools, signal }: Work,
): Promise<Interpretation> {
  const [step, ...more] = steps;
  const loop = step?.command.loop ?? null;
  const isPlain =
    step !== undefined &&
    [step.start, step.takes, step.deadline, step.recurs].every((one) => one === null);
  if (
    step === undefined ||
    loop === null ||
    more.length > 0 ||
    !isPlain ||
    step.when.length > 0 ||
    request.outline ||
    request.parts.length > 0
  )
    return refuse(
      "“for each …” can't be combined with other commands, times or conditions. Send it alone.",
      'no plan: a loop among others',
    );
  const group = await buildLoop(step, loop, { tools, timezone, signal });
  return typeof group === 'string'
    ? refuse(group, 'no plan: the list does not fit what was asked for')
    : { kind: 'group', request, group, reason: 'a plan, one step for each item' };
}

function findProblem(steps: Step[], { tools }: Work): string | null {
  for (const { spec, args, command } of steps) {
    const later = openArguments(args);
    const known: JsonObject = Object.fromEntries(
      Object.entries(args).filter(([name]) => !later.includes(name)),
    );
    const [first] = command.loop === null ? tools.validate(spec.name, known, later) : [];
    if (first === undefined) continue;
    const problem = endSentence(first);
    return command.form.id === 'call'
      ? `${problem} For example:\n\n${showCall(spec)}\n\n`
      : problem;
  }
  return null;
}

function canLookUp(steps: Step[], tools: PlannerTools): boolean {
  const readable = new Set(tools.readable().map(({ name }) => name));
  return steps.every(({ spec, start, recurs, deadline, takes, command: { form, modifiers } }) => {
    const plain = [start, recurs, deadline, takes, modifiers.lag].every((one) => one === null);
    return (
      plain &&
      readable.has(spec.name) &&
      (form.looks === true || form.id === 'call') &&
      spec.human !== true
    );
  });
}

const maxOption = 80;

const maxRepairs = 3;
/** Characters of a request that is repaired: each repair is read again as a whole. */
const maxRepaired = 1000;

/** Possible ends of the leading command: the whole text, or before a joining word. */
function endsOf(text: string): number[] {
  const tokens = tokenize(text);
  const ends = tokens.flatMap(({ value }, at) => {
    const isJoint =
      value === 'and' ||
      value === 'then' ||
      isAnswer(tokens, at) ||
      (value === '.' && at < tokens.length - 1);
    const before = tokens[/^(?:,|;|\.|and)$/.test(tokens[at - 1]?.value ?? '') ? at - 2 : at - 1];
    return isJoint && before !== undefined ? [before.end] : [];
  });
  return [text.length, ...new Set(ends.slice(0, maxRepairs))];
}

const quoted = '"[^"]*(?:"|$)|“[^”]*(?:”|$)';
const agreed = new RegExp(
  `${quoted}|\\bif (?:he|she|they|\\p{Lu}\\p{L}*) (?:(?:says?|answers?) (yes|no)|agrees?|approves?|confirms?)\\b`,
  'gu',
);
const otherwise = new RegExp(`${quoted}|[,;]? (?:otherwise|else|if not)\\b[,:]?`, 'g');

/** `if she agrees` as `if yes`, and `otherwise` after it as `if no`; texts stay. */
function plainAnswers(text: string): string {
  const isText = (found: string) => /^["“]/.test(found);
  const plain = text.replaceAll(agreed, (found, answer?: string) =>
    isText(found) ? found : `if ${answer ?? 'yes'}`,
  );
  if (!/\bif yes\b/i.test(plain)) return plain;
  return plain.replaceAll(otherwise, (found) => (isText(found) ? found : ', if no:'));
}

/** Up to two, with the commands around the unread part. */
function suggest(text: string, work: Work, repairs = maxRepairs): string[] {
  const read = readText(text, work);
  if (read.kind === 'request') return plans(text, work) ? [text] : [];
  const { from, to } = read;
  const plain = plainAnswers(text);
  const again = plain === text || repairs === 0 ? [] : suggest(plain, work, repairs - 1);
  if (again.length > 0) return again;
  const found: string[] = [];
  const it = from > 0 ? 'it' : null;
  for (const end of repairs === 0 ? [] : endsOf(text.slice(from, to)))
    for (const ways of suggestForms(readingOf(text.slice(from, from + end), work, it)))
      for (const way of ways) {
        const whole = (text.slice(0, from) + way + text.slice(from + end)).trim();
        const [planned] = suggest(whole, work, repairs - 1);
        if (planned === undefined || found.includes(planned)) continue;
        if (found.push(planned) === 2) return found;
        break;
      }
  return found;
}

function tellUnread(text: string, unread: Unread, work: Work): Interpretation {
  const { from, to, reached } = unread;
  const options = text.length > maxRepaired ? [] : suggest(text, work);
  const wordsIn = (one: string) => (/[\p{L}\p{N}]/u.test(one) ? one.trim() : '');
  const fitted = wordsIn(text.slice(from, reached));
  const rest = wordsIn(text.slice(reached, to));
  const upTo =
    fitted === ''
      ? `I can't read “${shorten(text.slice(from, to), 120)}”: no command starts that way.`
      : rest === ''
        ? `I read “${shorten(fitted, 120)}”, but something is missing after it.`
        : `I read “${shorten(fitted, 120)}”, but not “${shorten(rest, 120)}” after it.`;
  const nearest = options.map((one) => (one.includes('\n') ? `\n${one}` : `“${one}”`)).join(' or ');
  const reading = readingOf(text, work);
  const at = reading.tokens.findIndex(({ start }) => start >= reached);
  const noDay = at < 0 || text.length > maxRepaired ? null : findNoDay(reading, at);
  const sentences = [
    upTo,
    ...(noDay === null
      ? []
      : [`There is no “${noDay.replace(/^on /i, '')}” that year; name another day.`]),
    ...(nearest === '' ? [] : [`The nearest commands: ${nearest}.`]),
    ...(work.request.plans?.some(({ waits }) => waits !== undefined) === true
      ? ['“help changes” lists the ways to change the waiting plan.']
      : []),
    `“help all” lists all commands. ${connectModel}`,
  ];
  const isShort = options.every((one) => one.length <= maxOption && !one.includes('\n'));
  // One option is no choice.
  const short = !isShort ? [] : options.length === 1 ? [...options, 'help'] : options;
  return {
    kind: 'unread',
    text: sentences.join(short.length > 0 ? ' ' : '\n'),
    options: short,
    reason: `asked, because it could not be read (${unreadId})`,
  };
}
