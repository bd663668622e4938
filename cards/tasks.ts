// A running plan as a task list; partly loaded ones by partition.
import type { PartProgress, PlanCardFacts } from '#domain/chat/card.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Plan, StepStatus } from '#domain/plan/plan.ts';
import { cutShown, quoteName, quoteWords } from '#domain/shown-text.ts';
import { capitalise, countOf } from '#domain/words.ts';

import { nameOf, personOf } from './step-lines.ts';
import { describeDone } from './times.ts';
import type { Task, TaskList, TaskStatus } from './view.ts';
import { andMore, stepWords } from './words.ts';

const maxNote = 160;

/** An unknown outcome needs attention too. */
const statuses: Record<StepStatus, TaskStatus> = {
  pending: 'pending',
  ready: 'pending',
  stale: 'pending',
  skipped: 'pending',
  cancelled: 'pending',
  running: 'in_progress',
  waiting: 'in_progress',
  succeeded: 'complete',
  failed: 'error',
  unknown: 'error',
};

function noteOf(step: ShownStep, facts: PlanCardFacts): string {
  switch (step.status) {
    case 'waiting': {
      const person = personOf(step, facts);
      return person === null ? 'Waits for a decision' : `Waits for ${person}`;
    }
    case 'failed':
      return quoteWords(step.error?.message ?? '', maxNote);
    case 'unknown':
    case 'skipped':
    case 'cancelled':
    case 'stale':
      return capitalise(stepWords[step.status]);
    case 'succeeded':
      return quoteWords(step.result_summary ?? '', maxNote);
    default:
      return '';
  }
}

function taskOf(step: ShownStep, facts: PlanCardFacts): Task {
  return {
    id: step.id,
    title: `${step.label}  ${nameOf(step)}`,
    status: statuses[step.status],
    note: noteOf(step, facts),
  };
}

const sumOf = (counts: PartProgress['counts'], wanted: StepStatus[]): number =>
  wanted.reduce((sum, status) => sum + (counts[status] ?? 0), 0);

function statusOfPart(counts: PartProgress['counts'], total: number): TaskStatus {
  if (sumOf(counts, ['failed', 'unknown']) > 0) return 'error';
  const done = sumOf(counts, ['succeeded']);
  const over = done + sumOf(counts, ['skipped', 'cancelled']);
  if (over === total) return 'complete';
  return done + sumOf(counts, ['running', 'waiting']) > 0 ? 'in_progress' : 'pending';
}

function taskOfPart({ name, counts }: PartProgress): Task {
  const total = sumOf(counts, Object.keys(statuses) as StepStatus[]);
  const failed = sumOf(counts, ['failed']);
  const waiting = sumOf(counts, ['waiting', 'unknown']);
  const done = sumOf(counts, ['succeeded']).toLocaleString('en-US');
  const notes = [
    ...(failed === 0 ? [] : [`${failed.toLocaleString('en-US')} failed`]),
    ...(waiting === 0 ? [] : [`${waiting.toLocaleString('en-US')} waiting for a person`]),
  ];
  return {
    id: name,
    title: `${quoteName(name, 100)}: ${done} of ${countOf(total, 'step')}`,
    status: statusOfPart(counts, total),
    note: notes.join(', '),
  };
}

function listTasks(facts: PlanCardFacts): { tasks: Task[]; hidden: number; unit: string } {
  const { plan, steps, parts, running, failed, next, unknown, waiting } = facts;
  if (parts !== undefined) {
    const tasks = parts.shown.map(taskOfPart);
    return { tasks, hidden: parts.total - tasks.length, unit: 'part' };
  }
  if (plan.total_steps <= steps.length) {
    const tasks = steps.map((step) => taskOf(step, facts));
    return { tasks, hidden: 0, unit: 'step' };
  }
  const known = [...failed, ...unknown, ...waiting, ...running, ...next];
  const once = [...new Map(known.map((step) => [step.id, step])).values()];
  const hidden = Math.max(0, plan.total_steps - once.length);
  return { tasks: once.map((step) => taskOf(step, facts)), hidden, unit: 'step' };
}

function titleOf(facts: PlanCardFacts): string {
  const { counts } = facts.plan;
  const done = describeDone(facts);
  return counts.failed === 0 ? done : `${done} · ${counts.failed.toLocaleString('en-US')} failed`;
}

const shownIn = new Set<Plan['status']>(['executing', 'stalled']);

/** Null if it isn't running. */
export function viewTasks(facts: PlanCardFacts): TaskList | null {
  if (!shownIn.has(facts.plan.status)) return null;
  const { tasks, hidden, unit } = listTasks(facts);
  return tasks.length === 0 ? null : { title: titleOf(facts), tasks, hidden, unit };
}

/** `… and 8 more steps`, or empty. */
export function moreTasks({ hidden, unit }: TaskList): string {
  return hidden === 0 ? '' : `${andMore(hidden)} ${unit}${hidden === 1 ? '' : 's'}`;
}

export function shrinkTasks(list: TaskList, most: number, characters: number): TaskList | null {
  if (most === 0) return null;
  const tasks = list.tasks.slice(0, most).map((task) => ({
    ...task,
    title: cutShown(task.title, characters),
    note: cutShown(task.note, characters),
  }));
  return { ...list, tasks, hidden: list.hidden + list.tasks.length - tasks.length };
}
