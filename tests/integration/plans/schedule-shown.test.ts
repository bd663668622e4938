// With a stored schedule, people read when a plan's work starts and ends, and its working days.
import { beforeAll, describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { readMarkdown } from '#plans/views/markdown.ts';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance({ work: true });

const madrid = 'Europe/Madrid';
let plan: Plan;

beforeAll(async () => {
  const text = 'Ask Ana "Please review notes.md" takes 3 days.';
  const { run_id } = await instance.service.startRun({ text, conversation: 'api:review' }, ana);
  const id = await waitFor('the plan', async () => (await instance.service.getRun(run_id)).plan_id);
  plan = await instance.service.getPlan(id);
});

async function storedBlock() {
  const [block] = (await instance.service.planning(plan.id)).schedule?.blocks ?? [];
  if (block === undefined) throw new Error('nothing is scheduled');
  return block;
}

const partsOf = (iso: string) =>
  new Intl.DateTimeFormat('en-GB', { timeZone: madrid, hour: '2-digit', minute: '2-digit' }).format(
    new Date(iso),
  );

describe('a task of three working days', () => {
  test('says so on its card, with the start and end of its block', async () => {
    const block = await storedBlock();
    const facts = await instance.service.card(plan.id, { user: 'ana', timezone: madrid });
    expect(facts).toMatchObject({
      expected_minutes: 1440,
      working_day_minutes: 480,
      scheduled: { starts_at: block.starts_at, ends_at: block.ends_at },
    });
    const line = viewPlan(facts).facts;
    expect(line).toContain(' · 3 working days · ');
    expect(line).toContain(`${partsOf(block.starts_at)} – `);
    expect(line).toContain(`${partsOf(block.ends_at)} · `);
    expect(line).not.toContain(' d ·');
  });

  test('says start and end in the Markdown export, which is read back without loss', async () => {
    const block = await storedBlock();
    let text = '';
    for await (const chunk of instance.service.exportMarkdown(plan.id)) text += chunk;
    const line = text.split('\n').find((one) => one.startsWith('`human_task` · '));
    expect(line).toContain(' · scheduled ');
    expect(line).toContain(`${partsOf(block.starts_at)} – `);
    expect(line).toContain(`${partsOf(block.ends_at)} (${madrid})`);
    expect((await readMarkdown(text)).steps).toMatchObject([
      { tool: 'human', operation: 'task', duration_minutes: 1440 },
    ]);
  });
});
