// The sections of a report.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { referencesOf } from '#domain/plan/arguments.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { conditionsOf } from '#domain/plan/condition.ts';
import { asksYesOrNo, isHumanTask } from '#domain/plan/human-task.ts';
import type { Step, StepStatus } from '#domain/plan/plan.ts';
import { showResult } from '#domain/plan/step-words.ts';
import { quoteWords, showLine, showTitle } from '#domain/shown-text.ts';
import { isObject } from '#domain/text.ts';
import { listOf } from '#domain/words.ts';
import { makeSection, plainLine, viewBlocked, viewFindings } from './findings.ts';
import { quote, showPerson } from './plain.ts';
import { viewCalendar } from './proposal.ts';
import { nameOf, notesOf, personOf, retriedOf } from './step-lines.ts';
import {
  describeDone,
  describeExpected,
  describeRepeats,
  formatDuration,
  tellTime,
} from './times.ts';
import type { Line, Progress, Section } from './view.ts';

const maxLines = 5;
const maxResults = 8;
const maxSummary = 240;
const cells = 10;

function lineOf(step: ShownStep, facts: PlanCardFacts): Line {
  return plainLine(nameOf(step), {
    lead: step.label,
    note: notesOf(step, facts).join(' · '),
    quotes: retriedOf(step),
  });
}

/** `Ana for Ben` if it was Ben's. */
function answererOf({ output }: Step, facts: PlanCardFacts): string | null {
  const { by = null, for: instead = null } = isObject(output) ? output : {};
  if (typeof by !== 'string') return null;
  const name = showPerson(facts, by, 60);
  return typeof instead === 'string' ? `${name} for ${showPerson(facts, instead, 60)}` : name;
}

function failedLine(step: ShownStep, facts: PlanCardFacts): Line {
  const by = step.error?.code === 'blocked' ? (answererOf(step, facts) ?? 'Someone') : null;
  return plainLine(nameOf(step), {
    lead: `✕ ${step.label}`,
    note: step.error === null ? 'no reason was recorded' : by === null ? '' : `${by} is blocked`,
    quotes: quote(by ?? 'Error', step.error?.message, 400),
  });
}

/** Null unless it leads where it says. */
function readAddress(text: unknown): string | null {
  if (typeof text !== 'string' || !/^https?:\/\//i.test(text) || !URL.canParse(text)) return null;
  const { href, username, password } = new URL(text);
  // Text before an @ can pose as the host.
  return username === '' && password === '' && href.length <= 2000 ? href : null;
}

/** Output fields that may hold the result's address. */
const addressFields = ['permalink', 'html_url', 'web_url', 'webUrl', 'url', 'link', 'href'];

/** From output, resource links or target. */
function addressOf({ target, output }: Step): string | null {
  if (isObject(output)) {
    for (const field of addressFields) {
      const address = readAddress(output[field]);
      if (address !== null) return address;
    }
    const { attachments } = output;
    for (const link of Array.isArray(attachments) ? attachments : []) {
      const address = isObject(link) ? readAddress(link.uri) : null;
      if (address !== null) return address;
    }
  }
  return readAddress(target);
}

/** Answers come with their question. */
function tellResult(step: ShownStep, facts: PlanCardFacts): string {
  if (step.result_summary === null) return nameOf(step);
  const summary = showResult(step, maxSummary);
  if (!isHumanTask(step)) return summary;
  const { question } = step.args;
  const asked = typeof question === 'string' ? ` (${quoteWords(question, 120)})` : '';
  return `${answererOf(step, facts) ?? personOf(step, facts) ?? 'A person'}: ${summary}${asked}`;
}

/** Links show their address, so text can't lie. */
function doneLine(step: ShownStep, facts: PlanCardFacts): Line {
  const text = tellResult(step, facts);
  const lead = `✓ ${step.label}`;
  const url = addressOf(step);
  if (url === null) return plainLine(text, { lead });
  return plainLine(showLine(url, maxSummary), {
    lead,
    ...(step.result_summary === null ? { note: text } : {}),
    quotes:
      step.result_summary === null || step.result_summary === url ? [] : [{ by: '', words: text }],
    url,
  });
}

function withStatus(facts: PlanCardFacts, statuses: StepStatus[]): ShownStep[] {
  return facts.steps.filter((step) => statuses.includes(step.status));
}

const untouched: StepStatus[] = ['pending', 'ready', 'skipped', 'cancelled', 'stale'];

function countUntouched({ plan }: PlanCardFacts): number {
  return untouched.reduce((sum, status) => sum + plan.counts[status], 0);
}

function viewFailed(facts: PlanCardFacts): Section | null {
  return makeSection(
    'failed',
    'Failed',
    facts.failed.map((step) => failedLine(step, facts)),
    maxLines,
    facts.plan.counts.failed,
  );
}

/** Findings, without changes. */
function viewDone(facts: PlanCardFacts, label: string): Section | null {
  const succeeded = withStatus(facts, ['succeeded']);
  const wrote = succeeded.filter((step) => step.effect !== 'read');
  // Only the first steps are loaded.
  const beyond = facts.plan.counts.succeeded - succeeded.length;
  const shown = wrote.length > 0 ? wrote : succeeded;
  return makeSection(
    'done',
    label,
    shown.map((step) => doneLine(step, facts)),
    maxResults,
    shown.length + beyond,
  );
}

function viewLeft(facts: PlanCardFacts): Section | null {
  const lines = withStatus(facts, untouched).map((step) => lineOf(step, facts));
  return makeSection('left', 'Not run', lines, maxLines, countUntouched(facts));
}

function present(sections: (Section | null)[]): Section[] {
  return sections.filter((section) => section !== null);
}

/** Ends later than scheduled, before → now. */
function viewMoved(facts: PlanCardFacts): Section | null {
  const lines = (facts.moved ?? []).map(({ title, ends_at, moved_to }) =>
    plainLine(
      `${showTitle(title, 120)}: ${tellTime(ends_at, facts)} → ${tellTime(moved_to, facts)}`,
    ),
  );
  return makeSection('times', 'Ends later than scheduled', lines, maxLines);
}

export function viewRunning(facts: PlanCardFacts): Section[] {
  const { counts } = facts.plan;
  const running = facts.running.map((step) => lineOf(step, facts));
  const next = facts.next.map((step) => lineOf(step, facts));
  const agreed = facts.terms.map((term) => plainLine(showLine(term, 300)));
  return present([
    viewBlocked(facts, true),
    viewFindings(facts),
    makeSection('running', 'Now', running, maxLines, Math.max(counts.running, running.length)),
    makeSection('next', 'Next', next, maxLines),
    viewMoved(facts),
    viewCalendar(facts),
    makeSection('terms', 'Also part of this approval', agreed, maxLines),
    viewFailed(facts),
  ]);
}

/** Unused reads. */
function viewFound(facts: PlanCardFacts): Section | null {
  const needed = new Set(facts.steps.flatMap(({ after }) => after.map(({ id }) => id)));
  const found = withStatus(facts, ['succeeded']).filter(
    ({ id, effect, operation }) => effect === 'read' && !needed.has(id) && operation !== 'noop',
  );
  return makeSection(
    'done',
    'Found',
    found.map((step) => doneLine(step, facts)),
    maxResults,
  );
}

export function viewCompleted(facts: PlanCardFacts): Section[] {
  const wrote = withStatus(facts, ['succeeded']).some(({ effect }) => effect !== 'read');
  return present(
    wrote ? [viewDone(facts, 'Results'), viewFound(facts)] : [viewDone(facts, 'Found')],
  );
}

export function viewStopped(facts: PlanCardFacts): Section[] {
  return present([
    viewFailed(facts),
    viewFindings(facts),
    viewDone(facts, 'Done already'),
    viewLeft(facts),
  ]);
}

/** Users of a step's output, indirect ones included. */
function findNeeding(only: Step, steps: Step[]): string[] {
  const isQuestion = asksYesOrNo(only);
  const without = new Set([only.id]);
  const needing: string[] = [];
  // Steps use outputs of earlier ones only.
  for (const step of steps) {
    const sources = [
      ...referencesOf(step.args).map(({ $from }) => $from),
      ...conditionsOf(step.when).map((one) => one.step),
      // Without a Yes, steps behind the question don't run.
      ...(isQuestion ? step.after.map((edge) => edge.id) : []),
    ];
    if (without.has(step.id) || !sources.some((source) => without.has(source))) continue;
    without.add(step.id);
    needing.push(step.label);
  }
  return needing;
}

function tellWithout({ plan, steps, failed: [only] }: PlanCardFacts): string {
  const step = `step ${only?.label ?? ''}`.trim();
  const needing = only === undefined ? [] : findNeeding(only, steps);
  const more =
    plan.total_steps > steps.length ? ' Later steps that need its output are left out too.' : '';
  const rest = plan.total_steps > plan.counts.succeeded + 1 ? ', and the other steps run' : '';
  if (needing.length === 0) return `Continue without it: ${step} is skipped${rest}.${more}`;
  const them = `${needing.length === 1 ? 'Step' : 'Steps'} ${listOf(needing)}`;
  const [need, are] = needing.length === 1 ? ['needs', 'is'] : ['need', 'are'];
  const what = only !== undefined && asksYesOrNo(only) ? 'answer' : 'output';
  return `Continue without it: ${step} is skipped. ${them} ${need} its ${what} and ${are} left out.${more}`;
}

/** Least effort first. */
export function viewOptions(facts: PlanCardFacts): Section | null {
  if (facts.plan.status !== 'failed') return null;
  const again = 'Or ask again and say what should change.';
  const { failed } = facts.plan.counts;
  const retry = `Retry the ${failed === 1 ? 'step' : 'failed steps'} once the cause is fixed.`;
  const texts = [
    ...(failed > 0 ? [retry] : []),
    ...(failed === 1 ? [tellWithout(facts)] : []),
    again,
  ];
  return makeSection(
    'options',
    'What you can do',
    texts.map((text) => plainLine(text)),
    3,
  );
}

/** Full only when all is done. */
export function drawBar(done: number, total: number): string {
  const full = total === 0 ? 0 : Math.min(cells, Math.floor((done / total) * cells));
  return '▰'.repeat(full) + '▱'.repeat(cells - full);
}

/** Null before the start. */
export function viewProgress(facts: PlanCardFacts): Progress | null {
  const { plan } = facts;
  if (plan.execution_started_at === null) return null;
  const elapsed = Date.parse(facts.now) - Date.parse(plan.execution_started_at);
  const done = plan.counts.succeeded;
  const failed =
    plan.counts.failed > 0 ? ` · ${plan.counts.failed.toLocaleString('en-US')} failed` : '';
  const total = plan.total_steps;
  const count =
    describeRepeats(facts.repeats) === null
      ? `${drawBar(done, total)} ${done.toLocaleString('en-US')} of ${total.toLocaleString('en-US')}`
      : describeDone(facts);
  const expected = describeExpected(facts).map((text) => ` · ${text} expected`);
  const ends = facts.scheduled?.ends_at ?? facts.now;
  const until = ends > facts.now ? ` · until ${tellTime(ends, facts)} by its schedule` : '';
  return {
    done,
    total,
    text: count + failed,
    // The footer then has the duration.
    pace:
      plan.execution_ended_at === null
        ? `${formatDuration(elapsed)} so far${expected.join('')}${until}`
        : '',
  };
}
