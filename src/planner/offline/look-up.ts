// Answers requests by reading only.
import { statusWords } from '#cards/words.ts';
import { isDatabaseAway } from '#db/transient.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import type { PlanStatus, PlanSummary } from '#domain/plan/plan.ts';
import { type Json, objectIn } from '#domain/text.ts';
import { countOf, showName } from '#domain/words.ts';
import type { Command } from '../commands/request.ts';
import type { PlannerTools } from '../ports.ts';
import { saysMore } from '../reads/list-pages.ts';
import { describeStep, type Step } from './describe.ts';
import { writeHelp } from './help.ts';

const maxShown = 4000;
const maxEntries = 200;

/** A tool that fails is part of the answer. */
export async function lookUp(
  step: Step,
  tools: PlannerTools,
  { user, timezone }: { user: string; timezone: string },
  signal: AbortSignal,
): Promise<{ text: string; ok: boolean }> {
  try {
    const { data, summary } = await tools.call(step.spec.name, step.args, signal, { user });
    return { ok: true, text: format(step, data, summary) };
  } catch (error) {
    signal.throwIfAborted();
    if (isDatabaseAway(error)) throw error;
    return {
      ok: false,
      text: `${describeStep(step, timezone)} failed: ${errorMessage(error)}`,
    };
  }
}

function format({ command: { form }, args }: Step, data: Json, summary: string): string {
  const path = typeof args.path === 'string' ? args.path : '';
  const fields = objectIn(data) ?? {};
  const { entries, text, events, body, matches } = fields;
  if (form.id === 'files' && Array.isArray(entries)) {
    const name = path === '' || path === '.' ? 'The workspace' : path;
    if (entries.length === 0) return `${name} is empty.`;
    const lines = entries.map(objectIn).slice(0, maxEntries);
    const more = entries.length - lines.length;
    const count = countOf(entries.length, 'item');
    return [
      `${name} has ${saysMore(data) ? 'at least ' : ''}${count}:`,
      ...lines.map((one) => `- ${showName(String(one?.path))}${one?.kind === 'folder' ? '/' : ''}`),
      ...(more > 0 ? [`and ${more} more`] : []),
    ].join('\n');
  }
  if (form.id === 'read' && typeof text === 'string')
    return text === '' ? `${path} is empty.` : `${path} says:\n\n${cut(text)}`;
  if (form.id === 'find' && Array.isArray(matches)) {
    const lines = matches.map(objectIn).flatMap((one) => [
      `${showName(String(one?.path))}, from line ${String(one?.line)}:`,
      ...String(one?.text)
        .split('\n')
        .map((line) => `  ${line}`),
    ]);
    const more = fields.truncated === true ? ['There is more. Search one folder or file.'] : [];
    return lines.length === 0 && more.length === 0
      ? 'Nothing was found.'
      : cut([...lines, ...more].join('\n'));
  }
  if (form.id === 'calendar' && Array.isArray(events)) {
    const lines = events.map((event) => {
      const { start, title, summary: name } = objectIn(event) ?? {};
      const at = typeof start === 'string' ? `${start.slice(0, 16).replace('T', ' ')} ` : '';
      return `- ${at}${String(title ?? name ?? '')}`;
    });
    return lines.length === 0 ? 'Your calendar is empty for that time.' : cut(lines.join('\n'));
  }
  const plain = [text, body].find((one) => typeof one === 'string');
  if (plain !== undefined) return cut(plain);
  return cut(data === null ? summary : `${summary}\n${JSON.stringify(data, null, 2)}`);
}

function cut(text: string): string {
  return text.length <= maxShown
    ? text
    : `${text.slice(0, maxShown)}\n… (${countOf(text.length - maxShown, 'more character')})`;
}

const open: PlanStatus[] = ['proposed', 'needs_review', 'approved', 'executing', 'stalled'];
const lists: Record<string, { status: PlanStatus[]; none: string }> = {
  plans: { status: open, none: 'There are no open plans.' },
  status: { status: ['approved', 'executing', 'stalled'], none: 'Nothing is running.' },
  waiting: { status: ['proposed', 'needs_review', 'stalled'], none: 'Nothing is waiting.' },
};

export async function answerItself(
  { form, slots, words }: Command,
  tools: PlannerTools,
  runId: string,
): Promise<string> {
  const { plan, word } = slots.values;
  if (form.id === 'help') return writeHelp(tools.manifest(), word);
  if (form.id === 'reminders') return 'Send “reminders” as a message of its own to list yours.';
  if (typeof plan === 'string') {
    try {
      return describePlan(await tools.getPlan(runId, plan));
    } catch (error) {
      if (!(error instanceof CountersignError)) throw error;
      if (error.code === 'plan_not_found') return `There is no ${plan}.`;
      if (error.code === 'plan_deleted') return error.message;
      throw error;
    }
  }
  const { status, none } = lists[form.id] ?? { status: open, none: 'Nothing is waiting.' };
  const isAll = /\ball\b/i.test(words);
  const { plans } = await tools.listPlans(runId, { ...(isAll ? {} : { status }), limit: 20 });
  return plans.length === 0
    ? none
    : [`${countOf(plans.length, 'plan')}:`, ...plans.map((one) => `- ${describePlan(one)}`)].join(
        '\n',
      );
}

function describePlan({ id, title, status, result_summary }: PlanSummary): string {
  return `${id} "${title}": ${statusWords[status]}${result_summary === null ? '' : `. ${result_summary}`}`;
}
