// Feedback on a refused plan: what it is about changes, everything else keeps its id and its words.
import { describe, expect, it } from 'vitest';
import type { OperationSpec } from '#contracts/tool.ts';
import { builtins, fsServer, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { listSteps, plan, proposalOf } from './requests.ts';

const standup =
  'Create notes/standup.md saying Standup at 9:30, then move it to archive/standup.md';
const created = '1 workspace_write {"path":"notes/standup.md","content":"Standup at 9:30"}';
const moved = '2 workspace_move {"from":"notes/standup.md","to":"archive/standup.md"} <- 1';

async function revise(first: string, feedback: string, manifest: OperationSpec[] = builtins) {
  const planner = createOfflinePlanner({ tools: toolsOf(manifest) });
  const previous = proposalOf(await plan(planner, first));
  return plan(planner, feedback, { revision: { previous, feedback: ['earlier words', feedback] } });
}

describe('feedback', () => {
  it.each([
    ['without step 2', [created]],
    ['skip the move', [created]],
    ['leave out the last step', [created]],
    ['propose changes: drop the move', [created]],
    [
      'use notes/daily.md instead of notes/standup.md',
      [
        created.replace('standup.md', 'daily.md'),
        moved.replace('notes/standup.md', 'notes/daily.md'),
      ],
    ],
    ['rename archive to old', [created, moved.replace('archive/', 'old/')]],
    ['move it to old/ instead', [created, moved.replace('archive/', 'old/')]],
    ['call it daily.md', [created, moved.replace('archive/standup.md', 'archive/daily.md')]],
    [
      'call it daily.md instead of standup.md',
      [created, moved].map((step) => step.replaceAll('standup.md', 'daily.md')),
    ],
    ['move it to old/ instead of archive/', [created, moved.replace('archive/', 'old/')]],
    ['put it in old/ instead of archive/', [created, moved.replace('archive/', 'old/')]],
    ['change the text to Standup at 10:00', [created.replace('9:30', '10:00'), moved]],
    ['it should say "Hi, all"', [created.replace('Standup at 9:30', 'Hi, all'), moved]],
    ['also list the workspace', [created, moved, '3 workspace_list {} <- 1,2']],
    ['then post "done" here', [created, moved, '3 chat_post {"text":"done"} <- 2']],
    [
      'first create readme.md saying hi',
      ['3 workspace_write {"path":"readme.md","content":"hi"}', `${created} <- 3`, moved],
    ],
    ['skip the move and change the text to Hi', [created.replace('Standup at 9:30', 'Hi')]],
  ])('%s', async (feedback, steps) => {
    expect(listSteps(proposalOf(await revise(standup, feedback)))).toEqual(steps);
  });

  it('says the outcome of the new version', async () => {
    const draft = proposalOf(await revise(standup, 'skip the move'));
    expect(draft).toMatchObject({
      title: 'Create notes/standup.md',
      summary: 'Creates notes/standup.md containing "Standup at 9:30".',
    });
  });

  it('leaves steps it is not about exactly as they were', async () => {
    const planner = createOfflinePlanner({ tools: toolsOf(builtins) });
    const previous = proposalOf(await plan(planner, standup));
    const [first, second] = previous.steps;
    if (!first || !second) throw new Error('two steps are expected');
    previous.steps = [
      { ...first, description: 'In the words of a person', tags: ['kept'] },
      { ...second, after: [{ id: '1', type: 'FS', lag_minutes: 5 }] },
    ];
    const draft = proposalOf(
      await plan(planner, 'move it to old/ instead', {
        revision: { previous, feedback: ['move it to old/ instead'] },
      }),
    );
    expect(draft.steps[0]).toEqual(previous.steps[0]);
    expect(draft.steps[1]?.after).toEqual([{ id: '1', type: 'FS', lag_minutes: 5 }]);
  });

  it.each([
    ['at 10:00 instead', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=10;BYMINUTE=0;BYSECOND=0'],
    ['make it 10:15', 'FREQ=WEEKLY;BYDAY=MO,TU,WE,TH,FR;BYHOUR=10;BYMINUTE=15;BYSECOND=0'],
    ['every Monday instead', 'FREQ=WEEKLY;BYDAY=MO;BYHOUR=9;BYMINUTE=30;BYSECOND=0'],
    ['every Tuesday at 8 instead', 'FREQ=WEEKLY;BYDAY=TU;BYHOUR=8;BYMINUTE=0;BYSECOND=0'],
  ])('moves a reminder: %s', async (feedback, rrule) => {
    const draft = proposalOf(
      await revise('Remind me every weekday at 9:30 to post the standup', feedback),
    );
    expect(draft.steps[0]?.args).toMatchObject({ text: 'Post the standup', rrule });
  });

  it('keeps the folders that an MCP server needs in step with the files', async () => {
    const moves = proposalOf(await revise(standup, 'move it to old/ instead', fsServer));
    expect(listSteps(moves).map((step) => step.slice(2))).toEqual([
      'fs_create_directory {"path":"notes"}',
      'fs_write_file {"path":"notes/standup.md","content":"Standup at 9:30"} <- 1',
      'fs_create_directory {"path":"old"}',
      'fs_move_file {"source":"notes/standup.md","destination":"old/standup.md"} <- 2,5',
    ]);
    expect(listSteps(proposalOf(await revise(standup, 'skip the move', fsServer)))).toHaveLength(2);
  });

  it.each([
    ['bananas', 'I can change this plan when you say it like this:'],
    ['remove step 7', 'There is no such step; the plan has 2.'],
    ['without step 1 and step 2', 'Nothing would be left of the plan.'],
    ['also create x.txt', 'What should x.txt contain?'],
  ])('asks when it cannot tell: %s', async (feedback, question) => {
    const { result } = await revise(standup, feedback);
    expect(result.kind).toBe('question');
    expect(result.kind === 'question' && result.text).toContain(question);
  });

  it('does not cut a step off from what it needs', async () => {
    const { result } = await revise('Read a.txt and write it to b.txt', 'without step 1');
    expect(result).toMatchObject({
      kind: 'question',
      text: expect.stringContaining('Step 2 needs what a removed step gives.'),
    });
  });

  it('invents nothing for an addition either', async () => {
    expect((await revise(standup, 'also book a flight')).result).toMatchObject({
      kind: 'cannot',
      wanted: 'book flights',
    });
  });

  it('takes the answer to its own question as new feedback', async () => {
    const planner = createOfflinePlanner({ tools: toolsOf(builtins) });
    const previous = proposalOf(await plan(planner, standup));
    const revision = { previous, feedback: ['bananas'] };
    const asked = await plan(planner, 'bananas', { revision });
    if (asked.result.kind !== 'question') throw new Error('a question is expected');
    const history = [
      { author: 'person' as const, text: 'propose changes: bananas' },
      { author: 'bot' as const, text: asked.result.text },
    ];
    expect(
      listSteps(proposalOf(await plan(planner, 'skip the move', { revision, history }))),
    ).toEqual([created]);
  });
});
