// Conditions on people, as they are said: a person is asked first, or the planner asks; no condition is ever dropped.
import { describe, expect, it } from 'vitest';
import type { StepDraft } from '#contracts/plan.ts';
import { builtins, toolsOf } from './manifest.ts';
import { createOfflinePlanner } from './planners.ts';
import { converse, plan, proposalOf } from './requests.ts';

const planner = createOfflinePlanner({ tools: toolsOf(builtins) });

const operationOf = ({ tool, operation }: StepDraft) => `${tool}_${operation}`;
const needs = (id: string, value: 'Yes' | 'No') => ({
  step: id,
  path: '/fields/answer',
  is: 'equals',
  value,
});

/** `?Ana May I …?` for a task, `operation target if 1=Yes` for what runs behind it. */
async function stepsOf(text: string): Promise<string[]> {
  const draft = proposalOf(await plan(planner, text));
  return draft.steps.map((step) => {
    const when = [step.when ?? []].flat();
    for (const one of when)
      expect(one).toMatchObject(needs(one.step, one.value === 'No' ? 'No' : 'Yes'));
    const on = when.map((one) => `${one.step}=${String(one.value)}`).join(',');
    const asked =
      step.tool === 'human'
        ? ` ${String(step.args?.assignee ?? 'you')}: ${String(step.args?.question)}`
        : '';
    const form = step.args?.form === undefined ? '' : ' [Yes/No]';
    return `${operationOf(step)}${asked}${form}${on === '' ? '' : ` if ${on}`}`;
  });
}

describe('what waits for a person', () => {
  const gated: [string, string[]][] = [
    [
      'Delete todo.txt only after Ana has confirmed',
      ['human_task Ana: May I delete todo.txt? [Yes/No]', 'workspace_delete if 1=Yes'],
    ],
    [
      "Don't do anything until Ana replies, then delete draft.md",
      [
        'human_task Ana: Please reply, so that this can be done: delete draft.md.',
        'workspace_delete',
      ],
    ],
    [
      'POST {"go":true} to https://hooks.example.com/deploy after Kim has confirmed',
      [
        'human_task Kim: May I POST {"go":true} to https://hooks.example.com/deploy? [Yes/No]',
        'http_request if 1=Yes',
      ],
    ],
    [
      'Archive draft.md, but only if Ana says ok',
      ['human_task Ana: May I archive draft.md? [Yes/No]', 'workspace_move if 1=Yes'],
    ],
    [
      'Ask Sam whether we should ship; if he says yes, post "shipping" here',
      ['human_task Sam: Whether we should ship? [Yes/No]', 'chat_post if 1=Yes'],
    ],
    [
      'Ask Sam whether we should ship. If he says no, post "waiting" here.',
      ['human_task Sam: Whether we should ship? [Yes/No]', 'chat_post if 1=No'],
    ],
    [
      'Ask Sam whether we should ship; if he says yes, post "shipping" here, otherwise write no to log.txt',
      [
        'human_task Sam: Whether we should ship? [Yes/No]',
        'chat_post if 1=Yes',
        'workspace_write if 1=No',
      ],
    ],
    [
      'Ask Tom to approve the budget, and once he has, write approved to budget/status.txt',
      ['human_task Tom: Approve the budget? [Yes/No]', 'workspace_write if 1=Yes'],
    ],
    [
      'Have Priya and Sam both sign off on draft.md before you publish it to public/draft.md',
      [
        'human_task Priya: Sign off on draft.md? [Yes/No]',
        'human_task Sam: Sign off on draft.md? [Yes/No]',
        'workspace_read if 1=Yes,2=Yes',
        'workspace_write if 1=Yes,2=Yes',
      ],
    ],
    [
      'Ask Ana whether it is ready, and after she has answered post "Ready" here',
      ['human_task Ana: Whether it is ready?', 'chat_post'],
    ],
    [
      'Once Ana and Ben have approved, delete a.txt',
      [
        'human_task Ana: May I delete a.txt? [Yes/No]',
        'human_task Ben: May I delete a.txt? [Yes/No]',
        'workspace_delete if 1=Yes,2=Yes',
      ],
    ],
    [
      'Delete a.txt only if I confirm',
      ['human_task you: May I delete a.txt? [Yes/No]', 'workspace_delete if 1=Yes'],
    ],
    [
      "Delete a.txt with Ana's approval. Then create b.txt saying done.",
      [
        'human_task Ana: May I delete a.txt? [Yes/No]',
        'workspace_delete if 1=Yes',
        'workspace_write',
      ],
    ],
  ];
  it.each(gated)('is asked first: %s', async (text, steps) => {
    expect(await stepsOf(text)).toEqual(steps);
  });

  it('waits for the answer, also where any answer will do', async () => {
    const draft = proposalOf(
      await plan(planner, "Don't do anything until Ana replies, then delete draft.md"),
    );
    expect(draft.steps[1]?.after).toEqual(['1']);
  });
});

describe('a condition that is no gate', () => {
  it.each([
    'Delete a.txt unless somebody objects',
    'Delete todo.txt once everybody has voted',
    'Delete todo.txt as soon as the release is out',
    'Delete todo.txt only after the meeting',
    'Delete todo.txt after Ana has finished the review',
    'Create a.txt saying hi, provided that the build is green',
    "Don't delete draft.md until Ana replies. Move a.txt to b.txt",
    'Post we ship after Kim has confirmed',
    'Delete a.txt if the weather is good',
  ])('is asked about and never dropped: %s', async (text) => {
    const { result } = await plan(planner, text);
    expect(result.kind).not.toBe('proposal');
  });

  it('is replaced by what the person answers', async () => {
    const settled = await converse(planner, [
      'Delete a.txt only after the meeting',
      'Delete a.txt now',
    ]);
    expect(proposalOf(settled).steps.map(operationOf)).toEqual(['workspace_delete']);
  });

  it.each([
    'Create a.txt saying "only after Ana has confirmed"',
    'Create a.txt saying ask me if unsure',
    'Ask Ana if the report is ready',
  ])('is text where it is dictated: %s', async (text) => {
    expect((await plan(planner, text)).result.kind).toBe('proposal');
  });
});
