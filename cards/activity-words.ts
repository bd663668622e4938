// A planner's activity in words, shown until its answer.
import type { Activity } from '#domain/planning/activity.ts';
import { cleanLine, showLine } from '#domain/shown-text.ts';
import { capitalise, countOf } from '#domain/words.ts';

const maxWhat = 80;

/** First match wins, against words of operation names such as `files_read_text`. */
const verbs: [RegExp, string][] = [
  [/search|find|query|lookup/, 'searching for'],
  [/list|tree|browse/, 'looking through'],
  [/describe|info|stat/, 'checking'],
  [/read|get|fetch|open|load|download|view/, 'reading'],
];

const own: Record<string, string> = {
  plan_list: 'looking through plans',
  show_steps: 'going over the draft',
};

function verbOf(operation: string): string {
  const name = operation.toLowerCase();
  return verbs.find(([words]) => words.test(name))?.[1] ?? 'looking at';
}

/** `files_read_text` → `files read text` */
const nameOf = (operation: string) => operation.replace(/[_.-]+/g, ' ').trim();

/** `reading notes/brief.md`, after “Countersign is”. */
export function describeActivity(activity: Activity): string {
  switch (activity.kind) {
    case 'waiting':
      return 'waiting: no worker is running';
    case 'thinking':
      return 'thinking';
    case 'reading': {
      const { operation, what } = activity;
      const phrase = own[operation];
      if (phrase !== undefined) return phrase;
      if (what === null) return `looking things up with ${cleanLine(nameOf(operation))}`;
      return `${verbOf(operation)} ${showLine(what, maxWhat)}`;
    }
    case 'drafting':
      return activity.steps === 0
        ? 'drafting the plan'
        : `drafting: ${countOf(activity.steps, 'step')} so far`;
    case 'parts':
      return `planning: ${activity.planned} of ${countOf(activity.total, 'part')} planned`;
    default:
      return activity satisfies never;
  }
}

/** `Reading notes/brief.md …` */
export function writeActivity(activity: Activity): string {
  const words = describeActivity(activity);
  return `${capitalise(words)} …`;
}

/** For platforms that can't show activity. */
export const stillPlanning = 'This takes longer than usual. The answer follows below.';
