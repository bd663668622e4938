// Plan versions and their differences at any size.
import { sql } from 'drizzle-orm';
import { describe, expect, test } from 'vitest';
import { viewPlan } from '#cards/view-model.ts';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { Plan, PlanDraft } from '#domain/plan/plan.ts';
import type { PlanningRequest } from '#domain/planning/run.ts';
import { refusalCode } from '../../fixtures/refusal.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop, scriptedPlanner } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

// By feedback.
let drafts: Record<string, PlanDraft>;
let requests: PlanningRequest[];

const instance = useInstance({
  planner: scriptedPlanner((request) => {
    requests.push(request);
    const draft = drafts[request.text];
    return draft === undefined
      ? { kind: 'question', text: 'Which?', questions: [{ id: 'which', text: 'Which?' }] }
      : { kind: 'proposal', draft };
  }),
});

async function sendBack(plan: Plan, version: number, feedback: string): Promise<Plan> {
  await instance.service.proposeChanges(plan.id, { version, feedback }, ana);
  return waitFor(`the version after ${version}`, async () => {
    const now = await instance.service.getPlan(plan.id);
    return now.version === version + 1 ? now : null;
  });
}

const write = (id: string, path: string, content: string, more: object = {}) => ({
  ...draftStep(id, `Write ${path}`, 'workspace_write', { path, content }),
  ...more,
});

describe('the difference between two versions', () => {
  test('names steps, values, operations, times, risks and costs', async () => {
    requests = [];
    const first: PlanDraft = {
      title: 'Notes',
      steps: [
        write('a', 'a.md', 'A', { duration_minutes: 30 }),
        write('b', 'b.md', 'B', { after: ['a'], duration_minutes: 30 }),
        noop('gone'),
        noop('same', 'gone', 'a'),
      ],
      risks: ['It may rain'],
    };
    const second: PlanDraft = {
      title: 'Notes',
      steps: [
        noop('same', 'a', 'gone'),
        { ...noop('gone'), description: 'Do nothing (gone)' },
        write('a', 'notes/a.md', 'A', { duration_minutes: 30 }),
        write('b', 'b.md', 'B', {
          after: ['a', { id: 'same', type: 'SS', lag_minutes: 5 }],
          duration_minutes: 60,
          not_before: '2030-01-02T10:00:00+01:00',
        }),
        draftStep('new', 'Delete it', 'workspace_delete', { path: 'x.md' }),
      ],
      risks: ['It may snow'],
    };
    drafts = { second, third: { ...second, steps: second.steps.slice(0, 4), risks: [] } };
    const plan = await instance.service.propose(first, { user: 'ana' }, ana);
    await sendBack(plan, 1, 'second');
    expect(await instance.service.versionDiff(plan.id, 1, 2)).toMatchObject({
      from: 1,
      to: 2,
      added: [{ id: 'new', description: 'Delete it' }],
      removed: [],
      changed: [
        {
          id: 'a',
          description: 'Write notes/a.md',
          fields: ['description', 'target', 'args'],
          changes: [
            { field: 'description', from: 'Write a.md', to: 'Write notes/a.md' },
            { field: 'target', from: 'a.md', to: 'notes/a.md' },
            { field: 'args.path', from: 'a.md', to: 'notes/a.md' },
          ],
        },
        {
          id: 'b',
          description: 'Write b.md',
          fields: ['after', 'not_before', 'duration_minutes'],
          changes: [
            { field: 'after', from: '1b', to: '1b, 2a (SS +5 min)' },
            { field: 'not_before', from: null, to: '2030-01-02T09:00:00.000Z' },
            { field: 'duration_minutes', from: '30 min', to: '1 h' },
          ],
        },
      ],
      counts: { added: 1, removed: 0, changed: 2 },
      operations_added: ['workspace_delete'],
      operations_removed: [],
      terms: [],
      title_changed: false,
      approvers: null,
      risks_added: ['It may snow'],
      risks_removed: ['It may rain'],
      total: { from: 4, to: 5 },
      cost_usd: { from: 0, to: 0.01 },
      minutes: { from: 60, to: 95 },
      earliest: { from: null, to: '2030-01-02T09:00:00.000Z' },
    });
    const facts = await instance.service.card(plan.id, { user: 'ana', timezone: 'UTC' });
    const changes = viewPlan(facts).sections.find(({ kind }) => kind === 'changes');
    expect(changes?.lines.map(({ lead, text }) => `${lead} ${text}`.trim())).toEqual([
      expect.stringMatching(/^~ Creates notes\/a\.md: path: a\.md → notes\/a\.md$/),
      expect.stringMatching(/^~ .*after: 1b → 1b, 2a \(SS \+5 min\)/),
      expect.stringMatching(/^\+ Permanently deletes /),
      'takes 1 h 35 min instead of 1 h · first date 2 Jan 2030, 09:00 instead of right away' +
        ' · 1 new risk · 1 risk fewer · planning cost $0.01, before $0.00',
    ]);
    await sendBack(plan, 2, 'third');
    expect(await instance.service.versionDiff(plan.id, 1, 3)).toMatchObject({
      counts: { added: 0, removed: 0, changed: 2 },
      risks_removed: ['It may rain'],
      minutes: { from: 60, to: 95 },
    });
    expect(await instance.service.versionDiff(plan.id, 3, 2)).toMatchObject({
      added: [{ id: 'new' }],
      changed: [],
    });
    expect(await refusalCode(instance.service.versionDiff(plan.id, 3, 4))).toBe('not_found');
  });

  test('holds across changes that kept only what they touched', async () => {
    const draft = { title: 'Patched', steps: [noop('a'), noop('b', 'a'), noop('c'), noop('d')] };
    const { id } = await instance.service.propose(draft, {}, ana);
    const patch = async (operation: PatchOperation) => {
      const { revision } = await instance.service.overview(id);
      await instance.service.patch(id, { base_revision: revision, operations: [operation] }, ana);
    };
    // Version 2 changes b; version 3 has no c.
    await patch({ op: 'update_steps', steps: { ids: ['b'] }, set: { description: 'Other' } });
    await patch({ op: 'remove_steps', steps: { ids: ['c'] } });
    const diff = async (a: number, to: number) => {
      const { counts, changed, removed, added } = await instance.service.versionDiff(id, a, to);
      return { counts, ids: [...changed, ...removed, ...added].map((step) => step.id) };
    };
    const counts = { added: 0, removed: 0, changed: 0 };
    expect(await diff(1, 2)).toEqual({ counts: { ...counts, changed: 1 }, ids: ['b'] });
    expect(await diff(2, 3)).toEqual({ counts: { ...counts, removed: 1 }, ids: ['c'] });
    expect(await diff(1, 3)).toEqual({
      counts: { ...counts, changed: 1, removed: 1 },
      ids: ['b', 'c'],
    });
    expect(await diff(3, 1)).toEqual({
      counts: { ...counts, changed: 1, added: 1 },
      ids: ['b', 'c'],
    });
    // Archives version 3; its patches' history still counts.
    drafts = { new: { title: 'New', steps: [noop('d'), noop('e')] } };
    await sendBack(await instance.service.getPlan(id), 3, 'new');
    expect(await diff(1, 3)).toEqual({
      counts: { ...counts, changed: 1, removed: 1 },
      ids: ['b', 'c'],
    });
    expect(await diff(2, 4)).toEqual({
      counts: { ...counts, removed: 3, added: 1 },
      ids: ['a', 'b', 'c', 'e'],
    });
  });

  test('of many steps gives counts and the first hundred', async () => {
    const total = 500;
    const steps = (word: string) =>
      Array.from({ length: total }, (_, n) => ({ ...noop(`s${n}`), description: `${word} ${n}` }));
    drafts = {
      more: {
        title: 'Many',
        steps: [
          ...steps('Second').slice(0, 350),
          ...steps('New')
            .slice(0, 120)
            .map((step) => ({ ...step, id: `n${step.id}` })),
        ],
      },
    };
    const plan = await instance.service.propose({ title: 'Many', steps: steps('First') }, {}, ana);
    await sendBack(plan, 1, 'more');
    const diff = await instance.service.versionDiff(plan.id, 1, 2);
    expect(diff.counts).toEqual({ added: 120, removed: 150, changed: 350 });
    expect([diff.added.length, diff.removed.length, diff.changed.length]).toEqual([100, 100, 100]);
    expect(diff.changed[99]).toMatchObject({ id: 's99', description: 'Second 99' });
    expect(diff.removed[0]).toMatchObject({ id: 's350', description: 'First 350' });
    await expect(
      instance.service.approve(plan.id, { version: 1, digest: plan.digest }, ana),
    ).rejects.toMatchObject({
      code: 'stale_version',
      details: { changes: { counts: diff.counts } },
    });
  });
});

describe('a plan that is refused', () => {
  const draftOf = (title: string): PlanDraft => ({ title, steps: [noop('1')] });

  test('goes back with all earlier feedback, and after the third refusal waits for a person', async () => {
    requests = [];
    drafts = { two: draftOf('two'), three: draftOf('three') };
    const plan = await instance.service.propose(draftOf('one'), {}, ana);
    await sendBack(plan, 1, 'two');
    await sendBack(plan, 2, 'three');
    expect(requests.at(-1)?.revision?.feedback).toEqual(['two', 'three']);
    const refused = { version: 3, feedback: 'four' };
    const last = await instance.service.proposeChanges(plan.id, refused, ana);
    expect(last).toMatchObject({ status: 'needs_review', revising: false, decided_by: null });
    expect(last.rejection_history.map(({ version, feedback }) => [version, feedback])).toEqual([
      [1, 'two'],
      [2, 'three'],
      [3, 'four'],
    ]);
    expect(requests).toHaveLength(2);
    const { digest } = await instance.service.getPlan(plan.id);
    const decided = await instance.service.approve(plan.id, { version: 3, digest }, ana);
    expect(decided.status).toBe('approved');
  });

  test('counts proposals that were sent back, not version numbers', async () => {
    drafts = { again: draftOf('again') };
    const plan = await instance.service.propose(draftOf('one'), {}, ana);
    await instance.db.query.execute(sql`
      with v as (update countersign.plan_versions set version = 4 where plan_id = ${plan.id})
      update countersign.plans set version = 4 where id = ${plan.id}`);
    expect((await sendBack(plan, 4, 'again')).status).toBe('proposed');
  });

  test('can be given more feedback while its planner asks, which uses up no proposal', async () => {
    drafts = { two: draftOf('two'), three: draftOf('three') };
    const plan = await instance.service.propose(draftOf('one'), {}, ana);
    await instance.service.proposeChanges(plan.id, { version: 1, feedback: 'hm' }, ana);
    for (const words of ['well', 'so']) {
      await instance.service.proposeChanges(plan.id, { version: 1, feedback: words }, ana);
    }
    await sendBack(plan, 1, 'two');
    await sendBack(plan, 2, 'three');
    expect(
      await instance.service.proposeChanges(plan.id, { version: 3, feedback: 'four' }, ana),
    ).toMatchObject({ status: 'needs_review' });
  });
});
