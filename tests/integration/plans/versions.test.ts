// Every plan version keeps its content through all changes.
import fc from 'fast-check';
import { beforeEach, expect, test } from 'vitest';
import type { PatchOperation } from '#domain/plan/patch.ts';
import type { PlanDraft } from '#domain/plan/plan.ts';
import { expectSoundPlan } from '../../fixtures/sound-plan.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { rounds } from '../../rounds.ts';
import { ana, scriptedPlanner } from '../../setup/instance.ts';
import { expectVersions, readVersion } from '../../setup/kept-versions.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

let next: PlanDraft | null = null;
beforeEach(() => {
  next = null;
});
const instance = useInstance({
  planner: scriptedPlanner(() =>
    next === null
      ? { kind: 'question', text: 'Which?', questions: [{ id: 'which', text: 'Which?' }] }
      : { kind: 'proposal', draft: next },
  ),
});

// The first holds all others back.
type Said = { priority: number; content: string; tags: string[]; after: string[] };
type Model = Map<string, Said>;

const hold = draftStep('hold', 'Wait for ana', 'human_task', { question: 'Go?', assignee: 'ana' });
const draftOf = (model: Model, order: string[]): PlanDraft => ({
  title: 'Versions',
  steps: [
    hold,
    ...order.map((id) => {
      const { content, after, priority, tags } = model.get(id) ?? fresh(0, []);
      const path = `${id}.md`;
      return {
        ...draftStep(id, 'Write', 'workspace_write', { path, content }, 'hold', ...after),
        priority,
        tags,
      };
    }),
  ],
});
const fresh = (priority: number, after: string[]): Said => ({
  priority,
  content: `${priority}`,
  tags: priority % 2 === 0 ? ['even'] : [],
  after,
});
const copyOf = (model: Model): Model =>
  new Map([...model].map(([id, said]) => [id, { ...said, after: [...said.after] }]));
const numberOf = (id: string) => Number(id.slice(1));

type Choice = { what: number; step: number; other: number };
const choices = fc.array(fc.record({ what: fc.nat(), step: fc.nat(), other: fc.nat() }), {
  minLength: 1,
  maxLength: 4,
});
const command = fc.oneof(
  { weight: 4, arbitrary: fc.record({ do: fc.constant('patch' as const), choices }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('revise' as const), choices }) },
);

class Story {
  readonly versions: Model[] = [];
  model: Model = new Map();
  #number = 0;
  #begun = 0;
  #value = 0;

  begin(): void {
    this.#begun = this.#number;
  }
  #pick(nth: number): string {
    const ids = [...this.model.keys()];
    return ids[nth % ids.length] ?? '';
  }
  #earlier(id: string): string[] {
    return [...this.model.keys()].filter((one) => numberOf(one) < numberOf(id));
  }
  #behind(id: string): string[] {
    const found = [id];
    for (const one of found)
      for (const [other, { after }] of this.model)
        if (after.includes(one) && !found.includes(other)) found.push(other);
    return found;
  }
  add(nth: number): string {
    const id = `s${++this.#number}`;
    const earlier = this.#earlier(id);
    const after = earlier.length === 0 ? [] : [earlier[nth % earlier.length] ?? ''];
    this.model.set(id, fresh(++this.#value, after));
    return id;
  }
  remove(id: string): void {
    this.model.delete(id);
    for (const step of this.model.values()) step.after = step.after.filter((one) => one !== id);
  }
  operate({ what, step, other }: Choice, narrowing: boolean): PatchOperation[] {
    const id = this.#pick(step);
    const current = this.model.get(id);
    const kind = narrowing ? 'remove' : ['set', 'args', 'add', 'remove', 'link', 'cut'][what % 6];
    if (current === undefined) return [];
    if (kind === 'remove') {
      // Starting dependents without the step would widen the plan.
      const ids = narrowing ? this.#behind(id) : [id];
      // Steps added by the same patch stay.
      if (this.model.size === ids.length || numberOf(id) > this.#begun) return [];
      for (const one of ids) this.remove(one);
      return [{ op: 'remove_steps', steps: { ids }, release: !narrowing }];
    }
    if (kind === 'add') {
      const added = this.add(other);
      const step = draftOf(this.model, [added]).steps[1];
      return step === undefined ? [] : [{ op: 'add_step', step: { ...step, id: added } }];
    }
    if (kind === 'link' || kind === 'cut') {
      const among = kind === 'cut' ? current.after : this.#earlier(id);
      const before = among[other % among.length] ?? '';
      const link = { id: before, type: 'FS', lag_minutes: 0 } as const;
      if (before === '' || (kind === 'link' && current.after.includes(before))) return [];
      current.after = current.after.filter((one) => one !== before);
      if (kind === 'cut') return [{ op: 'remove_dependency', step: id, after: link }];
      current.after.push(before);
      return [{ op: 'add_dependency', step: id, after: link }];
    }
    const value = ++this.#value;
    if (kind === 'set') {
      current.priority = value;
      current.tags = [`t${value % 3}`];
      return [
        {
          op: 'update_steps',
          steps: { ids: [id] },
          set: { priority: value, tags: [...current.tags] },
        },
      ];
    }
    current.content = `${value}`;
    const args = { path: `${id}.md`, content: current.content };
    return [{ op: 'update_steps', steps: { ids: [id] }, set: { args } }];
  }
}

function differ(a: Model, b: Model) {
  const text = (step: Said | undefined) =>
    JSON.stringify(step === undefined ? null : { ...step, after: step.after.toSorted() });
  const both = [...b.keys()].filter((id) => a.has(id));
  return {
    added: b.size - both.length,
    removed: a.size - both.length,
    changed: both.filter((id) => text(a.get(id)) !== text(b.get(id))).length,
  };
}

// Waiting versions too.
async function expectAsModelled(id: string, story: Story): Promise<void> {
  const { db, service } = instance;
  expect(await expectVersions(db.query, id)).toBe(story.versions.length);
  for (const [nth, model] of story.versions.entries()) {
    const steps = await readVersion(db.query, id, nth + 1);
    const rows = steps.slice(1).map(({ id: step, priority, args, tags, after }): [string, Said] => [
      step,
      {
        priority,
        tags,
        content: `${args.content}`,
        after: after.flatMap((link) => (link.id === 'hold' ? [] : [link.id])).sort(),
      },
    ]);
    const kept = [...model].map(([step, is]) => [step, { ...is, after: is.after.toSorted() }]);
    expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(kept));
    for (const other of [0, nth - 1, story.versions.length - 1]) {
      const now = story.versions[other];
      if (now === undefined || other === nth) continue;
      const { counts } = await service.versionDiff(id, nth + 1, other + 1);
      expect([nth + 1, other + 1, counts]).toEqual([nth + 1, other + 1, differ(model, now)]);
    }
  }
}

test('any changes and revisions leave every version as it was, and their differences are those of a model', async () => {
  const { service } = instance;
  const inputs = [choices, fc.array(command, { maxLength: 7 }), choices] as const;
  const run = async (
    begin: Choice[],
    commands: { do: 'patch' | 'revise'; choices: Choice[] }[],
    removals: Choice[],
  ) => {
    const story = new Story();
    for (const { step } of [...begin, ...begin]) story.add(step);
    const first = draftOf(story.model, [...story.model.keys()]);
    const { id } = await service.propose(first, { user: 'ana' }, ana);
    story.versions.push(copyOf(story.model));
    const patch = async (chosen: Choice[], narrowing: boolean) => {
      story.begin();
      const operations = chosen.flatMap((choice) => story.operate(choice, narrowing));
      if (operations.length === 0) return null;
      const { revision, version } = await service.getPlan(id);
      const outcome = await service.patch(id, { base_revision: revision, operations }, ana);
      const after = await service.getPlan(id);
      expect(outcome.version).toBe(version + 1);
      expect(after.version).toBe(outcome.status === 'applied' ? version + 1 : version);
      story.versions.push(copyOf(story.model));
      return outcome;
    };
    let revisions = 0;
    for (const one of commands) {
      const { version } = await service.getPlan(id);
      if (one.do === 'patch') {
        // Ensures a change, even if the others cancel out.
        await patch([{ what: 0, step: 0, other: 0 }, ...one.choices], false);
        continue;
      }
      if (++revisions > 2) continue;
      for (const choice of one.choices) story.operate(choice, false);
      const order = [...story.model.keys()];
      next = draftOf(story.model, (one.choices[0]?.what ?? 0) % 2 === 0 ? order : order.reverse());
      await service.proposeChanges(id, { version, feedback: 'Otherwise' }, ana);
      await waitFor('the next version', async () => {
        return (await service.getPlan(id)).version === version + 1;
      });
      story.versions.push(copyOf(story.model));
    }
    const { version, digest } = await service.getPlan(id);
    await service.approve(id, { version, digest }, ana);
    await waitFor('ana’s step', async () => (await service.getPlan(id)).counts.waiting === 1);
    for (const removal of removals) await patch([removal], true);
    await expectAsModelled(id, story);
    // Changed arguments always widen an approved plan.
    const waiting = await patch([...removals, { what: 1, step: 0, other: 0 }], false);
    expect(waiting?.status).toBe('needs_approval');
    await expectAsModelled(id, story);
    await service.approve(
      id,
      { version: waiting?.version ?? 0, digest: waiting?.digest ?? '' },
      ana,
    );
    expect(await service.getPlan(id)).toMatchObject({
      version: waiting?.version,
      digest: waiting?.digest,
    });
    await expectAsModelled(id, story);
    const dropped = await patch([...removals, { what: 1, step: 0, other: 0 }], false);
    await service.reject(id, { version: dropped?.version ?? 0 }, ana);
    story.versions.pop();
    await expectAsModelled(id, story);
    await expectSoundPlan(instance, id);
    await service.cancel(id, { version: (await service.getPlan(id)).version }, ana);
  };
  await fc.assert(fc.asyncProperty(...inputs, run), { numRuns: rounds(40), endOnFailure: true });
}, 600_000);
