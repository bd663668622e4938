// Lists of plans for one reader.
import type { InboxGroup, InboxPlan } from '#domain/plan/inbox.ts';
import { isolateText, quoteName, quoteWords } from '#domain/shown-text.ts';
import { showRequester } from './plain.ts';

import { drawBar } from './report.ts';
import { formatAge, titleListed } from './times.ts';
import { groupTitles, nothingWaiting, statusSymbols, statusWords } from './words.ts';

export type PlanListView = {
  title: string;
  /** `more`: how to show the rest. */
  sections: { heading: string; plans: InboxPlan[]; more: string }[];
  inbox: boolean;
  more: string;
  /** If others read the list too. */
  reader: string | null;
  /** Name in the command. */
  list: string;
  /** `Plans: 4`, for notifications. */
  text: string;
};

/** `find`: a search; `all`: any status. */
type PlanListKind = 'inbox' | 'find' | InboxGroup | 'all' | 'mine';

const groupCommands: Record<InboxGroup, string> = {
  needs_you: 'waiting',
  running: 'running',
  failed: 'failed',
  others: 'others',
  done: 'done',
};

const showReader = (reader: string): string => isolateText(quoteName(reader, 120));

/** @param reader replaces `you` if others read it */
export function titleGroup(group: InboxGroup, reader: string | null): string {
  return group === 'needs_you' && reader !== null
    ? `Needs ${showReader(reader)}`
    : groupTitles[group];
}

/** `And 4 more: /plans running` @param command as typed */
export function sayMore(group: InboxGroup | null, rest: string, command: string): string {
  if (group === null || rest === '') return '';
  return `And ${rest} more: ${command} ${groupCommands[group]}`;
}

const emptyGroups: Record<InboxGroup, string> = {
  needs_you: 'Nothing needs you.',
  running: 'Nothing is running.',
  failed: 'Nothing has failed.',
  others: 'Nothing is waiting for anyone else.',
  done: 'Nothing is done yet.',
};

/** @param reader the owner if others read it @param words of the search */
export function titleList(
  which: PlanListKind,
  reader: string | null,
  words = '',
): { title: string; empty: string } {
  const name = reader === null ? null : showReader(reader);
  const forReader = (title: string) => (name === null ? title : `${title}, for ${name}`);
  const quoted = isolateText(quoteWords(words, 80));
  switch (which) {
    case 'inbox':
      return { title: forReader('Plans'), empty: nothingWaiting('by mentioning me') };
    case 'find':
      return {
        title: forReader(`Plans with ${quoted}`),
        empty: `No plan has ${quoted} in its title, its summary or its id.`,
      };
    case 'all':
      return { title: forReader('All plans'), empty: 'No plans yet.' };
    case 'mine':
      return name === null
        ? { title: 'Your plans', empty: "You haven't asked for anything yet." }
        : { title: `Plans of ${name}`, empty: `${name} hasn't asked for anything yet.` };
    case 'needs_you':
      return {
        title: titleGroup(which, reader),
        empty: name === null ? emptyGroups[which] : `Nothing needs ${name}.`,
      };
    default:
      return { title: forReader(groupTitles[which]), empty: emptyGroups[which] };
  }
}

/** On one screen. @param command as typed: `/plans` */
export function describeCommands(command: string, more: [string, string][] = []): string {
  const lines: [string, string][] = [
    ['', 'plans that need you, run, failed or wait for others'],
    ['find WORDS', 'plans with these words in their title, summary or id'],
    ['mine', 'plans you asked for'],
    ['running', 'running plans; also: waiting, failed, others, done'],
    ['all', 'all plans, newest first; “all 2” is the next page'],
    ['reminders', 'your reminders and recurring steps: skip once, change, end'],
    ['stats', 'counts by status, and requests that no tool could handle'],
    ['PLAN-…', 'one plan in full; “PLAN-… dry run”: what it would do today'],
    ...more,
    ['link', 'link your Slack, Teams and terminal accounts'],
  ];
  const width = command.length + 3 + Math.max(...lines.map(([word]) => word.length));
  return [
    'Mention me or message me directly, and say what you want done. I draft a plan; nothing runs until it is approved.',
    '',
    ...lines.map(([word, what]) => `${`${command} ${word}`.padEnd(width)}${what}`),
    '',
    'In the thread of a plan: approve · approve 1-3 · reject · propose changes: … · cancel · status',
  ].join('\n');
}

/** `approval`, `a decision about step 3a` @param own `your approval` */
function nameWait({ waits, waits_step: step, status, revising }: InboxPlan, own: boolean): string {
  const at = step === null ? '' : `step ${quoteName(step, 60)}`;
  const behind = at === '' ? '' : `, ${at}`;
  const your = own ? 'your ' : '';
  switch (waits) {
    case null:
      return '';
    case 'approval':
      return `${your}approval`;
    case 'change':
      return `${your}approval of a change`;
    case 'task':
      return `${own ? 'your' : 'a'} task${behind}`;
    case 'outcome':
      if (revising) return `${own ? 'your' : 'an'} answer about the changes`;
      if (at !== '') return `a decision about ${at}`;
      return status === 'stalled' ? 'a decision: it has stalled' : 'a decision';
    case 'problem':
      return `a decision about a problem${behind}`;
    default:
      return waits satisfies never;
  }
}

/** @param bar progress, not for stale lists such as a Home tab @param reader replaces `you` if others read it */
export function describeState(
  plan: InboxPlan,
  { bar, reader }: { bar: boolean; reader: string | null },
): string {
  const { counts, total_steps: total, status } = plan;
  if (plan.waits !== null)
    return reader === null
      ? `◷ needs ${nameWait(plan, true)}`
      : `◷ needs ${showReader(reader)}: ${nameWait(plan, false)}`;
  if (plan.revising) return '⟳ drafting a new version';
  if (plan.paused && status === 'executing') return '‖ paused';
  // The title has the repetition.
  if (status === 'executing' && bar && plan.repeats === undefined)
    return `${drawBar(counts.succeeded, total)} ${counts.succeeded} of ${total}`;
  if (status === 'failed' && counts.failed > 0)
    return `${statusSymbols.failed} ${counts.failed} of ${total} failed`;
  return `${statusSymbols[status]} ${statusWords[status]}`;
}

export function describeGuard({ guarded_operations: guarded }: InboxPlan): string {
  return guarded.length === 0 ? '' : '🛡 guarded';
}

/** Waiting time if it waits for the reader. */
export function describeAge({ waits_since: since, created_at: made }: InboxPlan, now: string) {
  return formatAge(since ?? made, now);
}

export function describePlan(
  plan: InboxPlan,
  now: string,
  view: { bar: boolean; reader: string | null },
): string {
  const facts = [
    plan.id,
    describeState(plan, view),
    describeAge(plan, now),
    showRequester(plan),
    describeGuard(plan),
  ];
  return isolateText(`${titleListed(plan)}\n${facts.filter((fact) => fact !== '').join(' · ')}`);
}
