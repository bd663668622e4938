// Texts with earlier steps' values, from entry to sending.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { readDraft, readPatch } from '#domain/plan/templates.ts';
import { exportMarkdown, readMarkdown } from '#plans/views/markdown.ts';
import { ana, reach, settleAsRead } from '../../setup/instance.ts';
import { readsOf } from '../../setup/reads.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({ settings: { executor: { max_attempts: 1 } } });

const step = (id: string, name: string, args: StepDraft['args']): StepDraft => {
  const [tool = '', operation = ''] = name.split('_');
  return { id, description: `Do ${id}`, tool, operation, ...(args === undefined ? {} : { args }) };
};
const status = step('2', 'workspace_read', { path: 'status.txt' });

const propose = (...steps: StepDraft[]) =>
  instance.service.propose(readDraft({ title: 'Templates', steps }), {}, ana);

async function start(...steps: StepDraft[]): Promise<string> {
  const { id, version, digest } = await propose(...steps);
  await instance.service.approve(id, { version, digest }, ana);
  return id;
}

const { stepOf } = readsOf(() => instance);

const get = (path: string) => readFile(join(instance.workspace, path), 'utf8');
const put = (path: string, text: string) => writeFile(join(instance.workspace, path), text);

describe('a text with a value in it', () => {
  test('waits for the step, is shown as what it is, and is written with the value', async () => {
    await put('status.txt', 'green {{2/text}}');
    const args = { path: 'report.md', content: 'Status: {{2/text}} ({{2/path}}), \\{{2/text}}' };
    const id = await start(status, step('3', 'workspace_write', args));
    expect((await stepOf(id, '3')).after).toEqual([{ id: '2', type: 'FS', lag_minutes: 0 }]);
    const { sections } = viewPlan(
      await instance.service.card(id, { user: 'ana', timezone: 'UTC' }),
    );
    expect(JSON.stringify(sections)).not.toContain('$template');
    await reach(instance, id, 'completed');
    expect(await get('report.md')).toBe('Status: green {{2/text}} (status.txt), {{2/text}}');
  });

  test('is confirmed where it decides what is touched', async () => {
    await put('status.txt', 'payroll');
    await put('payroll.csv', 'x');
    const id = await start(status, step('3', 'workspace_delete', { path: '{{2/text}}.csv' }));
    expect((await stepOf(id, '3')).target).toBeNull();
    const asked = await waitFor('step 3 to ask', async () => {
      const found = await stepOf(id, '3');
      return found.status === 'waiting' ? found : null;
    });
    expect(asked.final_args).toEqual({ path: 'payroll.csv' });
    expect(await get('payroll.csv')).toBe('x');
    await settleAsRead(instance, id, { '3': 'retry' });
    await reach(instance, id, 'completed');
    await expect(get('payroll.csv')).rejects.toThrow('ENOENT');
  });

  test('is shown with where its values come from', async () => {
    const args = { path: 'report.md', content: 'Status: {{2/text}}' };
    const { id } = await propose(status, step('3', 'workspace_write', args));
    const { steps } = await instance.service.listSteps(id, { limit: 10 });
    expect(steps[1]?.call.parts).toEqual([
      // Steps 2 and 3 are labelled 1 and 2.
      { label: 'content', text: 'Status: {text of step 1}', later: true, payload: true },
    ]);
  });

  test('comes through an export, a patch and another proposal without loss', async () => {
    const args = { path: 'a.md', content: 'Status: {{2/text}}, \\{{2/text}}' };
    const stored = {
      $template: ['Status: ', { $from: '2', path: '/text' }, ', {{2/text}}'],
    };
    const { id } = await propose(status, step('3', 'workspace_write', args));
    expect((await stepOf(id, '3')).args.content).toEqual(stored);
    const parts: string[] = [];
    for await (const part of exportMarkdown(instance.db.query, id)) parts.push(part);
    const draft = await readMarkdown(parts.join(''));
    expect(draft.steps[1]?.args?.content).toEqual(stored);
    const copy = await instance.service.propose(draft, {}, ana);
    const { revision } = await instance.service.getPlan(copy.id);
    const set = { args: { path: 'b.md', content: 'Now {{2/path}}' } };
    await instance.service.patch(
      copy.id,
      readPatch({
        base_revision: revision,
        operations: [{ op: 'update_steps', steps: { ids: ['3'] }, set }],
      }),
      ana,
    );
    expect((await stepOf(copy.id, '3')).args.content).toEqual({
      $template: ['Now ', { $from: '2', path: '/path' }],
    });
  });
});

describe('a text is refused with the proposal', () => {
  test.each<[string, StepDraft, RegExp]>([
    [
      'for a step that is not there',
      step('3', 'workspace_write', { path: 'a', content: 'a {{9/text}}' }),
      /Step 3 uses the output of step "9", which is not in the plan\. Where \{\{9\/text\}\} is meant as text, write \\\{\{9\/text\}\}\./,
    ],
    [
      'for what the output cannot have',
      step('3', 'workspace_write', { path: 'a', content: 'a {{2/colour}}' }),
      /content takes \/colour of step 2 \(workspace_read\), but/,
    ],
    [
      'where the argument takes no text',
      step('3', 'control_wait', { seconds: '{{2/size}}' }),
      /seconds needs a (whole )?number, but \{\{2\/size\}\} in a text gives text; write \{"\$from":"2","path":"\/size"\} for the value itself/,
    ],
    [
      'where it names itself',
      step('3', 'workspace_write', { path: 'a', content: '{{3/path}}' }),
      /uses the output of itself/,
    ],
  ])('%s', async (_, wrong, message) => {
    await expect(propose(status, wrong)).rejects.toThrow(message);
  });

  test('where it names a step and no value of it', async () => {
    const ask = step('ask', 'human_confirm', { question: 'Ship it?' });
    const wrong = step('3', 'workspace_write', { path: 'a', content: 'They said {{ask}}' });
    await expect(propose(ask, wrong)).rejects.toThrow(
      /\{\{ask\}\} names a step and no value of it/,
    );
  });
});
