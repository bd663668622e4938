// Details of a plan's steps.
import {
  boundsOf,
  headlineOf,
  marksOf,
  markWords,
  shortenCall,
  type WholePart,
  wholeParts,
} from '#cards/calls.ts';
import { drawQuote, maxFullText, quote } from '#cards/plain.ts';
import { formatTime } from '#cards/times.ts';
import { describeCut, describeFields, describeOthers } from '#cards/version-words.ts';
import type { PlanView } from '#cards/view.ts';
import { confidenceWord, describeRetry, stepWords } from '#cards/words.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Step } from '#domain/plan/plan.ts';
import { describeDependency, labelSteps, maxNumbered } from '#domain/plan/step-numbers.ts';
import type { StepPage } from '#domain/plan/views.ts';
import { cleanLine, quoteWords } from '#domain/shown-text.ts';
import { operationName } from '#domain/tool.ts';
import { countOf } from '#domain/words.ts';
import { hangText, type Screen } from './screen.ts';
import type { Session } from './session.ts';

const pageSize = 100;

const effects: Record<Step['effect'], string> = {
  read: 'reads only',
  idempotent: 'changes something; safe to repeat',
  write: 'changes something',
};

type Names = ReadonlyMap<string, string>;

function sortByName(steps: ShownStep[], names: Names): ShownStep[] {
  const order = [...names.keys()];
  return steps.toSorted((a, b) => order.indexOf(a.id) - order.indexOf(b.id));
}

const signs: Record<string, 'green' | 'red'> = { '+': 'green', '-': 'red' };

/** Inline if short, else below its label. */
function drawPart({ label, text, inline, aid }: WholePart, screen: Screen): string[] {
  const width = screen.width();
  if (inline) return hangText(`${label}: ${text}`, '     │ ', '     │   ', width);
  const shown = (line: string) => {
    const color = aid === true ? signs[line.charAt(0)] : undefined;
    return color === undefined ? line : screen.style(color, line);
  };
  const lines = text
    .split('\n')
    .flatMap((line) => hangText(shown(line), '     │   ', '     │   ', width));
  return [...hangText(`${label}:`, '     │ ', '     │ ', width), ...lines];
}

function drawStep(
  step: ShownStep,
  names: Names,
  { screen, options: { timezone } }: Session,
  now: string,
): string[] {
  const formatAt = (iso: string) => formatTime(iso, now, timezone);
  const width = screen.width();
  const retry = describeRetry(step, formatAt);
  const after = step.after
    .map((one) => cleanLine(describeDependency({ ...one, id: names.get(one.id) ?? one.id })))
    .join(', ');
  const facts = [
    operationName(step.tool, step.operation),
    ...(step.guarded ? ['🛡 guarded'] : []),
    effects[step.effect],
    ...(after === '' ? [] : [after]),
    stepWords[step.status],
  ].join(' · ');
  const head = screen.style('bold', names.get(step.id) ?? cleanLine(step.id));
  const headline = screen.style('bold', headlineOf(step.call, now));
  const marks = marksOf(step.call).map((mark) => screen.style('red', markWords[mark]));
  const bounds = boundsOf(step, (id) => names.get(id) ?? cleanLine(id), formatAt).join(' · ');
  const lines = [
    ...quote('Planner', step.description, maxFullText),
    ...quote('Result', step.result_summary, maxFullText),
    ...quote('Error', step.error?.message, maxFullText),
  ].map(drawQuote);
  return [
    ...hangText([`${head}  ${headline}`, ...marks].join(' · '), '  ', '     ', width),
    ...(bounds === '' ? [] : hangText(bounds, '     ', '     ', width)),
    ...wholeParts(step.call).flatMap((part) => drawPart(part, screen)),
    ...[...lines, facts, ...(retry === null ? [] : [retry])].flatMap((text) =>
      hangText(screen.style('dim', text), '     ', '     ', width),
    ),
  ];
}

async function drawChanges(session: Session, { version, plan_id }: PlanView): Promise<string[]> {
  if (version < 2) return [];
  const diff = await session.service.versionDiff(plan_id, version - 1, version);
  const { screen, options } = session;
  const now = new Date().toISOString();
  const width = screen.width();
  const line = (sign: string, text: string) => hangText(`${sign} ${text}`, '  ', '    ', width);
  const field = (text: string) => hangText(text, '    ', '      ', width);
  return [
    '',
    screen.style('bold', `  Changed since version ${diff.from}`),
    ...diff.added.flatMap(({ call }) => line('+', shortenCall(call, 200).text)),
    ...diff.removed.flatMap(({ call }) => line('−', shortenCall(call, 200).text)),
    ...diff.changed.flatMap((step) => [
      ...line('~', shortenCall(step.call, 200).text),
      ...describeFields(step, now, options.timezone).flatMap(field),
    ]),
    ...describeOthers(diff, now, options.timezone).flatMap((text) => line('·', text)),
    ...diff.risks_added.flatMap((text) => line('+', `Risk: ${quoteWords(text, maxFullText)}`)),
    ...diff.risks_removed.flatMap((text) => line('−', `Risk: ${quoteWords(text, maxFullText)}`)),
    ...describeCut(diff).flatMap((text) => hangText(text, '  ', '  ', width)),
  ];
}

/** Counts at least one. */
function countFitting(drawn: string[][], start: number, height: number): number {
  let left = height - 2;
  let count = 0;
  for (const lines of drawn.slice(start)) {
    left -= lines.length;
    if (left < 0 && count > 0) break;
    count += 1;
  }
  return count;
}

/** Numbered plans in order, larger ones by review rank. @param above lines already taken */
async function showSteps(
  session: Session,
  planId: string,
  total: number,
  above: number,
): Promise<void> {
  const { service, screen } = session;
  const small = total <= maxNumbered;
  const now = new Date().toISOString();
  let shown = 0;
  const askForMore = async () => {
    const count = `${shown.toLocaleString('en-US')} of ${countOf(total, 'step')}`;
    const line = await session.ask(`  ${count} shown  [Enter] more  [q] back › `);
    return line !== null && !line.trim().toLowerCase().startsWith('q');
  };
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page: StepPage = await service.listSteps(planId, {
      limit: pageSize,
      order: 'review',
      ...(cursor === '' ? {} : { cursor }),
    });
    session.event('steps', { plan_id: planId, steps: page.steps });
    const names = labelSteps(page.steps, total);
    const steps = small ? sortByName(page.steps, names) : page.steps;
    const drawn = steps.map((step) => ['', ...drawStep(step, names, session, now)]);
    for (let start = 0; start < drawn.length; ) {
      if (shown > 0 && session.interactive && !(await askForMore())) return;
      const height = screen.height() - (shown === 0 ? above : 0);
      const count = session.interactive ? countFitting(drawn, start, height) : drawn.length;
      session.say(...drawn.slice(start, start + count).flat(), '');
      start += count;
      shown += count;
    }
    cursor = page.next_cursor;
  }
}

export async function showDetails(session: Session, view: PlanView): Promise<void> {
  const { confidence, total_steps } = await session.service.getPlan(view.plan_id);
  const { screen } = session;
  session.event('details', { plan_id: view.plan_id, digest: view.digest });
  const head = [
    '',
    ...hangText(`Digest ${view.digest}`, '  ', '  ', screen.width()),
    ...(confidence === null
      ? []
      : [`  Confidence ${confidence.toFixed(2)} (${confidenceWord(confidence)})`]),
    ...(await drawChanges(session, view)),
  ];
  session.say(...head);
  await showSteps(session, view.plan_id, total_steps, head.length);
}
