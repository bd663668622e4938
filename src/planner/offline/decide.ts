// The planner without a model: deterministic, no network, and it says what it is. It reads plain instructions,
// names only operations of the manifest, looks things up instead of planning where nothing changes, and asks when it can't tell.
import { errorMessage } from '#contracts/errors.ts';
import type { PlanningRequest } from '#contracts/run.ts';
import { shorten } from '#contracts/words.ts';
import { abort, traceStep } from '../outcomes.ts';
import type { PlannerTools } from '../ports.ts';
import { draftPlan } from './draft.ts';
import { toArgs } from './end-stage.ts';
import { familyOf } from './families.ts';
import { readGates } from './gates.ts';
import { type Conversation, mergeHistory } from './history.ts';
import { lookUp } from './look-up.ts';
import { expandChoice } from './offer-ideas.ts';
import { findLeftOut, planGated } from './plan-gated.ts';
import { planScheme } from './plan-scheme.ts';
import type { PlannedStep } from './planned-step.ts';
import { askThese, type Decision, prepare, read, type Work } from './prepare.ts';
import { questions } from './questions.ts';
import { readRecurrence } from './recurrences.ts';
import { applyFeedback, revisionHelp } from './revise/apply-feedback.ts';
import { finishRevision } from './revise/finish-revision.ts';
import { loadWork } from './revise/work.ts';
import { spellOrder } from './reword.ts';
import { readScheme } from './scheme.ts';
import { instructionsAtMost, isTooLong, quoteLongText, restoreQuotes, shield } from './shield.ts';
import { findHalfPath, findSwallowed, findUnclearTime } from './swallowed.ts';
import { answerAboutPlans, talk } from './talk.ts';
import { readClockTime } from './times.ts';
import { findZones, isSameZone } from './zones.ts';

/** Look-ups of one answer; more than this is a plan. */
const lookUpsAtMost = 20;

/** What the rules make of a request. Never throws. */
export async function decideSafely(work: Work): Promise<Decision> {
  try {
    work.signal.throwIfAborted();
    return await decide(work);
  } catch (error) {
    if (work.signal.aborted) {
      return {
        result: abort('cancelled', 'Planning was stopped. Nothing has changed; ask again.'),
        reason: 'planning was stopped',
      };
    }
    const text = `Planning failed: ${errorMessage(error)} Nothing has changed; try rephrasing.`;
    return { result: abort('internal', text), reason: errorMessage(error) };
  }
}

async function decide(work: Work): Promise<Decision> {
  const { request } = work;
  const merged = mergeHistory(request.text, request.history);
  const picked = expandChoice(merged.text, work.offered ?? [], request.history);
  const conversation = picked === null ? merged : { ...merged, text: picked };
  const decision = await decideOn(work, conversation);
  return { ...decision, asked: conversation.text };
}

async function decideOn(work: Work, conversation: Conversation): Promise<Decision> {
  const { request, tools } = work;
  if (conversation.withdrawn) {
    return {
      result: { kind: 'answer', text: 'Dropped. Nothing has changed.' },
      reason: 'the person took the request back',
    };
  }
  const with_ = { ...work, answers: conversation.answers };
  if (request.revision) return revise(with_, conversation, request.revision);
  const said = talk(conversation.text, {
    manifest: tools.manifest(),
    now: request.now,
    timezone: request.timezone,
  });
  if (said)
    return {
      result: { kind: 'answer', text: said.text },
      reason: `answered without a plan: ${said.reason}`,
    };
  const about = await answerAboutPlans(conversation.text, tools, request.runId);
  if (about)
    return {
      result: { kind: 'answer', text: about.text },
      reason: `answered without a plan: ${about.reason}`,
    };
  return planRequest(with_, conversation);
}

function askForShorter(work: Work): Decision {
  const question = `That is too long to read as instructions: I read ${instructionsAtMost.toLocaleString('en-US')} characters at most. What should I do, with long texts in quotation marks?`;
  return askThese(work, [question], 'the request is too long');
}

async function planRequest(work: Work, conversation: Conversation): Promise<Decision> {
  const { text: long, tooLong } = quoteLongText(conversation.text);
  if (tooLong) return askForShorter(work);
  const hidden = shield(long);
  const ordered = spellOrder(hidden.text);
  const said = ordered === hidden.text ? long : restoreQuotes(ordered, hidden.quotes);
  const { text, asked } = settleZones(said, work);
  if (asked.length > 0) return askThese(work, asked, 'a time zone has no plain reading');
  const pieces = readGates(text);
  if (pieces !== null) {
    const decision = await planGated(work, pieces, conversation.paths);
    const left = pieces.flatMap((piece) => (piece.kind === 'gate' ? [] : [piece.text]));
    return settleLeftOut(work, conversation, left.join('\n'), decision);
  }
  return settleLeftOut(work, conversation, text, await planPlain(work, text, conversation));
}

/** No condition is dropped: what has no place in the plan is asked about, and the answer is planned instead. */
async function settleLeftOut(
  work: Work,
  conversation: Conversation,
  text: string,
  decision: Decision,
): Promise<Decision> {
  const left = findLeftOut(work, text, decision) ?? findUnsure(work, text, decision);
  if (left === null) return decision;
  const { question, answer } = left;
  const why = 'a part of the request has no place in the plan';
  if (answer === undefined || answer === text) return askThese(work, [question], why);
  const answers = new Map([...work.answers].filter(([key]) => key !== question));
  return planRequest({ ...work, answers }, { ...conversation, text: answer });
}

/** What would be planned, but may be meant otherwise. */
function findUnsure(
  { answers }: Work,
  text: string,
  { result, outline = {} }: Decision,
): { question: string; answer: string | undefined } | null {
  if (result.kind !== 'proposal') return null;
  const swallowed = findSwallowed(text, [toArgs(result.draft), outline]);
  const half = findHalfPath(text);
  const time = findUnclearTime(text);
  const question =
    swallowed !== null
      ? questions.exact(shorten(swallowed, 80))
      : half !== null
        ? questions.whole(half)
        : time !== null
          ? questions[time.kind](time.words)
          : null;
  return question === null ? null : { question, answer: answers.get(question) };
}

/**
 * The text with times of zones that can't be told replaced by what the person said of them, or the questions about them. So
 * are times that come again: their rule is read in the person's zone.
 */
function settleZones(text: string, { request, answers }: Work): { text: string; asked: string[] } {
  const { text: shielded, quotes } = shield(text);
  const comesAgain = readRecurrence(shielded) !== null;
  const asked: string[] = [];
  let settled = shielded;
  for (const { zone, words } of findZones(shielded)) {
    const isOwn = zone !== null && isSameZone(zone, request.timezone, request.now);
    if (zone !== null && !comesAgain) continue;
    const question = questions.zone(words, request.timezone);
    const answer = isOwn ? readClockTime(words)?.words : answers.get(question);
    if (answer === undefined) asked.push(question);
    else settled = settled.replace(words, () => answer.trim());
  }
  return { text: settled === shielded ? text : restoreQuotes(settled, quotes), asked };
}

async function planPlain(work: Work, text: string, conversation: Conversation): Promise<Decision> {
  const { request, tools } = work;
  const scheme = readScheme(text, {
    manifest: tools.manifest(),
    now: request.now,
    timezone: request.timezone,
    answers: work.answers,
  });
  if (scheme !== null) return planScheme(work, scheme, conversation.paths);
  const readings = read(work, text, conversation.paths);
  const drafted = await prepare(work, readings);
  if ('decision' in drafted) return drafted.decision;
  const { steps, cautions, notes } = drafted;
  if (canLookUp(steps, tools)) return answerByReading(work, steps);
  const draft = draftPlan(steps, cautions, notes, request.timezone);
  const writes = [
    ...new Set(steps.filter((step) => step.spec.effect !== 'read').map((step) => step.spec.name)),
  ];
  const why =
    writes.length > 0
      ? `it changes something: ${writes.join(', ')}`
      : 'it runs operations that are not look-ups';
  return { result: { kind: 'proposal', draft }, reason: `a plan, because ${why}` };
}

/** Only reading, only with operations the planner may call, and nothing that passes time or asks people. */
function canLookUp(steps: PlannedStep[], tools: PlannerTools): boolean {
  const readable = new Set(tools.readable().map((spec) => spec.name));
  return (
    steps.length <= lookUpsAtMost &&
    steps.every((step) => step.start === null) &&
    steps.every((step) => {
      const family = familyOf(step.spec);
      const acts =
        family !== null && ['wait', 'nothing', 'ask', 'compose', 'summarize'].includes(family);
      return (
        step.spec.effect === 'read' &&
        readable.has(step.spec.name) &&
        !acts &&
        step.spec.human !== true
      );
    })
  );
}

async function answerByReading(work: Work, steps: PlannedStep[]): Promise<Decision> {
  const { tools, clock, request, signal, trace } = work;
  const texts: string[] = [];
  for (const step of steps) {
    const startedAt = clock.now();
    const looked = await lookUp(step, tools, request.timezone, signal);
    trace.push(
      traceStep({
        stage: 'look_up',
        tool: step.spec.name,
        startedAt,
        endedAt: clock.now(),
        ok: looked.ok,
        explanation: looked.text.slice(0, 200),
      }),
    );
    texts.push(looked.text);
  }
  const names = [...new Set(steps.map((step) => step.spec.name))].join(', ');
  return {
    result: { kind: 'answer', text: texts.join('\n\n') },
    reason: `answered without a plan: it only reads (${names})`,
  };
}

async function revise(
  work: Work,
  conversation: Conversation,
  revision: NonNullable<PlanningRequest['revision']>,
): Promise<Decision> {
  const { request, tools } = work;
  const lastSaid = request.history.findLast((item) => item.author === 'bot')?.text ?? '';
  const answered = conversation.answers.size > 0 || lastSaid.includes(revisionHelp.slice(0, 30));
  const feedback =
    conversation.answers.size > 0
      ? conversation.text
      : answered
        ? request.text
        : (revision.feedback.at(-1) ?? request.text);
  if (isTooLong(feedback)) return askForShorter(work);
  const context = { manifest: tools.manifest(), now: request.now, timezone: request.timezone };
  const { asked } = settleZones(feedback, work);
  if (asked.length > 0) return askThese(work, asked, 'a time zone has no plain reading');
  const revised = applyFeedback(loadWork(revision.previous, context.manifest), feedback, context);
  if (revised.kind === 'unclear')
    return askThese(work, [revised.text], 'the feedback has no reading');
  const paths = revised.work
    .flatMap((item) =>
      item.draft.target !== undefined && /[./]/.test(item.draft.target) ? [item.draft.target] : [],
    )
    .slice(-1);
  const added: Parameters<typeof finishRevision>[2] = [];
  for (const addition of revised.additions) {
    const prepared = await prepare(work, read(work, addition.text, paths));
    if ('decision' in prepared) return reviseInstead(work, prepared.decision);
    added.push({
      steps: prepared.steps,
      cautions: prepared.cautions,
      place: addition.place,
    });
  }
  const draft = finishRevision(revision.previous, revised.work, added, context);
  const decision: Decision = {
    result: { kind: 'proposal', draft },
    reason: `a new version, because of the feedback "${feedback.slice(0, 200)}"`,
  };
  const left = findLeftOut(work, feedback, decision);
  return left === null
    ? decision
    : askThese(work, [left.question], 'a condition has no place in the plan');
}

/** Feedback that is no instruction either: say what is understood rather than answer beside the point. */
function reviseInstead(work: Work, decision: Decision): Decision {
  const { result } = decision;
  const beside =
    result.kind === 'answer' ||
    (result.kind === 'question' && /^I didn't understand/.test(result.text));
  return beside ? askThese(work, [revisionHelp], 'the feedback has no reading') : decision;
}
