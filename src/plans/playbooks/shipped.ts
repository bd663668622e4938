// Playbooks that ship with Countersign: the README's examples.
import { CountersignError } from '#domain/errors.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import type { Playbook, PlaybookParameter } from '#domain/plan/playbook.ts';
import { countPlaces } from '#domain/plan/playbook.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import type { JsonObject } from '#domain/text.ts';

export type WholePlaybook = { playbook: Playbook; draft: PlanDraft };

const owner = 'Countersign';
const at = '2026-01-01T00:00:00.000Z';

function step(
  id: string,
  description: string,
  operation: string,
  args: JsonObject,
  after: StepDraft['after'] = [],
): StepDraft {
  const [tool = '', ...rest] = operation.split('_');
  return { id, description, tool, operation: rest.join('_'), args, after };
}

const write = (id: string, path: string, content: string, after: StepDraft['after'] = []) =>
  step(id, `Write ${path}`, 'workspace_write', { path, content, overwrite: true }, after);

/** @param defaults replaceable texts, by parameter */
function ship(name: string, defaults: Record<string, string>, draft: PlanDraft): WholePlaybook {
  const texts = Object.values(defaults);
  const places = countPlaces(draft, texts);
  const params = Object.entries(defaults).map(
    ([param, text], index): PlaybookParameter => ({
      ...{ name: param, text, optional: true, places: places[index] ?? 0 },
    }),
  );
  const total_steps = draft.steps.length + (draft.series ?? []).length;
  const playbook: Playbook = {
    ...{ name, title: draft.title, owner, plan_id: '', version: 1, params, total_steps },
    ...{ created_at: at, updated_at: at },
  };
  return { playbook, draft };
}

const twoDays = 2 * 24 * 60;

/** By name. @param timezone for repetitions */
export function shippedPlaybooks(timezone: string): WholePlaybook[] {
  return [
    ship(
      'two-files',
      { first: 'Apples', second: 'Pears' },
      {
        title: 'Write two files, then list the workspace',
        summary: 'a.txt and b.txt are written, and the files are listed.',
        steps: [
          write('a', 'a.txt', 'Apples'),
          write('b', 'b.txt', 'Pears'),
          step('list', 'List the workspace', 'workspace_list', {}, ['a', 'b']),
        ],
      },
    ),
    ship(
      'standup-note',
      { text: 'Standup at 9:30' },
      {
        title: 'Write a note, then move it to the archive',
        summary: 'archive/standup.md has the note.',
        steps: [
          write('note', 'notes/standup.md', 'Standup at 9:30'),
          step(
            'move',
            'Move the note to the archive',
            'workspace_move',
            { from: 'notes/standup.md', to: 'archive/standup.md', overwrite: true },
            ['note'],
          ),
        ],
      },
    ),
    ship(
      'standup-reminder',
      { text: 'Post the standup' },
      {
        title: 'Remind me every weekday at 9:30',
        summary: 'A reminder comes every weekday at 9:30.',
        steps: [
          step('remind', 'Set the reminder', 'reminder_set', {
            text: 'Post the standup',
            rrule: 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=9;BYMINUTE=30;BYSECOND=0',
          }),
        ],
      },
    ),
    ship(
      'weekly-report',
      { text: 'done' },
      {
        title: 'Write a report every Monday at 9:00',
        summary: 'reports/week.md is written again every Monday.',
        steps: [],
        series: [
          {
            ...{ id: 'report', title: 'Weekly report', timezone, until: null, starts_at: at },
            rrule: 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=0;BYSECOND=0',
            steps: [write('report', 'reports/week.md', 'done')],
          },
        ],
      },
    ),
    ship(
      'follow-up',
      { first: 'Draft', second: 'Final' },
      {
        title: 'Write a draft, and the final text two days later',
        summary: 'draft.txt is written at once, final.txt after two days.',
        steps: [
          write('draft', 'draft.txt', 'Draft'),
          write('final', 'final.txt', 'Final', [{ id: 'draft', type: 'FS', lag_minutes: twoDays }]),
        ],
      },
    ),
  ];
}

export const findShipped = (name: string, timezone: string): WholePlaybook | null =>
  shippedPlaybooks(timezone).find(({ playbook }) => playbook.name === name) ?? null;

export function cannotRemove(name: string): CountersignError {
  return new CountersignError(
    'not_allowed',
    `The playbook ${name} ships with Countersign and can't be removed. Save your own under that name to replace it.`,
  );
}
