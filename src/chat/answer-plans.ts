// Answers a chat's plans command.
import { commandWords, describeLink, describeStats } from '#cards/chat-words.ts';
import { viewDryRun, writeDryRun } from '#cards/dry-run.ts';
import { type PlanListView, sayMore, titleGroup, titleList } from '#cards/plan-list.ts';
import { type RecurringView, viewRecurring } from '#cards/recurring.ts';
import { findPlans } from '#conversation/find-plans.ts';
import { readExport } from '#conversation/read-record.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { CountersignError } from '#domain/errors.ts';
import type { Actor } from '#domain/people/actor.ts';
import type { Export, PlanReads, Service, Simulation } from '#domain/service.ts';

export type PlansDrawing<T> = {
  note(text: string): T;
  plan(facts: PlanCardFacts): T;
  list(list: PlanListView, now: string): T;
  /** If the platform has tables. */
  dryRun?(simulation: Simulation, now: string): T;
  recurring(view: RecurringView): T;
  record(wanted: Export): Promise<T>;
};

export type PlansQuestion = {
  /** The text after the command. */
  text: string;
  /** As typed: `/plans`. */
  command: string;
  help: string;
  id: string;
  timezone: string;
  account: Actor;
  once?: string;
  /** Null if nobody else sees the answer. */
  readBy: string | null;
  now: Date;
};

const rowsInChat = 20;

async function answer<T>(
  plans: { read: PlanReads; service: Service },
  question: PlansQuestion,
  draw: PlansDrawing<T>,
): Promise<T> {
  const { text, command, help, readBy } = question;
  const now = question.now.toISOString();
  const wanted = readExport(text);
  if (wanted !== null) return draw.record(wanted);
  const found = await findPlans(plans, text, question);
  switch (found.kind) {
    case 'list': {
      const { which, words, query: list, page, next } = found;
      const { title: first, empty } = titleList(which, readBy, words);
      const title = page === 1 ? first : commandWords.page({ title: first, page });
      if (found.sections.length === 0)
        return draw.note(page === 1 ? empty : commandWords.noPage({ page }));
      const sections = found.sections.map(({ group, plans: shown, more }) => ({
        heading: group === null ? '' : titleGroup(group, readBy),
        plans: shown,
        more: sayMore(group, more, command),
      }));
      const more = next === null ? '' : commandWords.nextPage({ command: `${command} ${next}` });
      const count = sections.reduce((sum, section) => sum + section.plans.length, 0);
      const view = { title, sections, inbox: which === 'inbox', more, reader: readBy, list };
      return draw.list({ ...view, text: `${title}: ${count}` }, now);
    }
    case 'stats':
      return draw.note(describeStats(found.stats, now));
    case 'plan':
      return draw.plan(found.facts);
    case 'link':
      return draw.note(describeLink(found.outcome, `${command} link`));
    case 'dry_run':
      return (
        draw.dryRun?.(found.simulation, now) ??
        draw.note(writeDryRun(viewDryRun(found.simulation, now, rowsInChat)))
      );
    case 'recurring': {
      const { timezone } = question;
      return draw.recurring(viewRecurring(found.entries, { timezone, now }));
    }
    case 'help':
      return draw.note(help);
    case 'unknown':
      return draw.note(commandWords.unknown({ command: `${command} ${found.word}`, help }));
    default:
      return found satisfies never;
  }
}

/** @throws transient errors */
export async function answerPlans<T>(
  plans: { read: PlanReads; service: Service },
  question: PlansQuestion,
  draw: PlansDrawing<T>,
): Promise<T> {
  try {
    return await answer(plans, question, draw);
  } catch (error) {
    if (error instanceof CountersignError && error.passesAfterMs === null)
      return draw.note(error.message);
    throw error;
  }
}
