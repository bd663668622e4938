// Exports and streams: resumable events and diffs, logs, Markdown.
import { describe, expect, it } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { Change, Diff } from '#domain/plan/views.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useServedInstance } from '../../setup/use-instance.ts';

const instance = useServedInstance();

const write = (id: string, after: string[] = []) =>
  draftStep(id, `Write ${id}`, 'workspace_write', { path: `${id}.txt`, content: id }, ...after);
const draft = { title: 'Three files', steps: [write('a'), write('b', ['a']), write('c', ['b'])] };

type Event = { id: number | null; change: Change };

async function follow(
  planId: string,
  lastEventId: number | null,
  enough: (events: Event[]) => boolean,
): Promise<Event[]> {
  const hangUp = new AbortController();
  const response = await fetch(`${instance.api.url}/api/plans/${planId}/events`, {
    headers: lastEventId === null ? {} : { 'last-event-id': String(lastEventId) },
    signal: hangUp.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events: Event[] = [];
  let buffer = '';
  for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    buffer += text;
    const blocks = buffer.split('\n\n');
    buffer = blocks.pop() ?? '';
    for (const block of blocks) {
      const fields = new Map(
        block.split('\n').map((line) => {
          const [name = '', ...value] = line.split(': ');
          return [name, value.join(': ')] as const;
        }),
      );
      if (fields.get('event') !== 'change') continue;
      const id = fields.get('id');
      events.push({
        id: id === undefined ? null : Number(id),
        change: JSON.parse(fields.get('data') ?? ''),
      });
    }
    if (enough(events)) break;
  }
  hangUp.abort();
  return events;
}

const ended = (events: Event[]) => events.some(({ change }) => change.kind === 'completed');

async function readDiffs(planId: string, limit: number): Promise<Change[]> {
  const changes: Change[] = [];
  for (let since = 0; ; ) {
    const { body } = await instance.api.get<Diff>(
      `/api/plans/${planId}/diff?since=${since}&limit=${limit}`,
    );
    expect(body.from).toBe(since);
    changes.push(...body.changes);
    if (!body.more) return changes;
    expect(body.to).toBeGreaterThan(since);
    since = body.to;
  }
}

async function runPlan(): Promise<Plan> {
  const plan = await instance.api.propose(draft);
  expect((await instance.api.approve(plan)).status).toBe(200);
  return await instance.api.reach(plan.id, 'completed');
}

describe('the event stream of a plan', () => {
  it('is the same as the diffs', async () => {
    const plan = await runPlan();
    const events = (await follow(plan.id, null, ended)).map(({ change }) => change);
    expect(await readDiffs(plan.id, 1000)).toEqual(events);
    expect(await readDiffs(plan.id, 2)).toEqual(events);
    const { body } = await instance.api.get<Diff>(
      `/api/plans/${plan.id}/diff?since=${plan.revision}`,
    );
    expect(body).toMatchObject({
      from: plan.revision,
      to: plan.revision,
      changes: [],
      more: false,
    });
  });
});

describe('plan.md', () => {
  const rich = {
    title: 'A plan with `everything` in it: *stars*, [links](x) and "quotes"',
    summary: 'After this, two files are there.',
    context: 'The person said: keep it short.\n\n# not a heading',
    risks: ['Plain risk', { text: 'A risk with a sign', sign: 'a.txt is larger than 1 MB' }],
    approvers: { kind: 'named', people: ['ana', 'local'] },
    steps: [
      {
        ...write('a'),
        description: 'Write a,\nover two lines with ```a fence```',
        args: {
          path: 'a.txt',
          content: '---\ntitle: front matter?\n---\n```json\n{}\n```\n# Ünïcode 語 🙂',
        },
        priority: 7,
        partition: 'north',
        tags: ['x', 'y'],
        resources: { printer: 1.5 },
        capabilities: ['files'],
        notes: { why: ['because', 1, null] },
        duration_minutes: 12.5,
        not_before: '2026-02-03T09:30:00.000Z',
      },
      {
        ...write('b'),
        args: { path: 'b.txt', content: { $from: 'a', path: '/path' } },
        after: [{ id: 'a', type: 'SS', lag_minutes: 5 }],
      },
    ],
  };

  it('reads as a page, and imports as the same plan', async () => {
    const plan = await instance.api.propose(rich);
    const markdown = await instance.api.text(`/api/plans/${plan.id}/plan.md`);
    expect(markdown).toMatch(/^---\n/);
    expect(markdown).toContain(plan.id);
    const imported = await instance.api.send('/api/plans/import', markdown, 'text/markdown');
    expect(imported.status).toBe(201);
    const copy = await instance.api.plan(String(imported.body.id));
    expect(copy.id).not.toBe(plan.id);
    for (const key of [
      'title',
      'summary',
      'context',
      'risks',
      'approver_policy',
      'tools_required',
    ] as const)
      expect(copy[key]).toEqual(plan[key]);
    const [steps, copies] = [await instance.api.steps(plan.id), await instance.api.steps(copy.id)];
    expect(copies).toEqual(steps);
    expect(copies[1]?.after).toEqual([
      { id: 'a', type: 'FS', lag_minutes: 0 },
      { id: 'a', type: 'SS', lag_minutes: 5 },
    ]);
  });

  it('exports the imported plan as the same page, but for its names and times', async () => {
    const plan = await instance.api.propose(rich);
    const markdown = await instance.api.text(`/api/plans/${plan.id}/plan.md`);
    const { body } = await instance.api.send('/api/plans/import', markdown, 'text/markdown');
    const again = await instance.api.text(`/api/plans/${String(body.id)}/plan.md`);
    const volatile = /PLAN-[0-9a-f]{8}|[0-9a-f]{64}|\d{4}-\d\d-\d\dT[\d:.]+Z/g;
    expect(again.replace(volatile, '…')).toBe(markdown.replace(volatile, '…'));
  });

  it('is refused when it is no plan', async () => {
    const answer = await instance.api.send(
      '/api/plans/import',
      '# Shopping\n\n- milk\n',
      'text/markdown',
    );
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'invalid_request' });
    expect(answer.body.detail.length).toBeGreaterThan(20);
  });
});

describe('log.jsonl', () => {
  const time = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;
  const readLog = async (planId: string) =>
    (await instance.api.text(`/api/plans/${planId}/log.jsonl`))
      .split('\n')
      .filter(Boolean)
      .map((line): Record<string, unknown> => JSON.parse(line));

  it('has a line for each attempt, in the order of the ends, with times to the microsecond', async () => {
    const steps = Array.from({ length: 12 }, (_, i) => write(`parallel-${i}`));
    const plan = await instance.api.propose({ title: 'Twelve at once', steps });
    await instance.api.approve(plan);
    await instance.api.reach(plan.id, 'completed');
    const log = await readLog(plan.id);
    expect(log.map(({ step }) => step).sort()).toEqual(steps.map(({ id }) => id).sort());
    for (const line of log) {
      expect(Object.keys(line)).toEqual([
        'step',
        'attempt',
        'tool',
        'operation',
        'status',
        'result_summary',
        'started_at',
        'ended_at',
      ]);
      expect(line).toMatchObject({ attempt: 1, tool: 'workspace', status: 'succeeded' });
      expect(line.started_at).toMatch(time);
      expect(line.ended_at).toMatch(time);
      expect(String(line.started_at) <= String(line.ended_at)).toBe(true);
    }
    const ends = log.map(({ ended_at }) => String(ended_at));
    expect(ends).toEqual(ends.toSorted());
  });

  it('keeps every attempt of a step that was tried again', async () => {
    const read = draftStep('read', 'Read late.txt', 'workspace_read', { path: 'late.txt' });
    const plan = await instance.api.propose({ title: 'Twice', steps: [read] });
    await instance.api.approve(plan);
    await instance.api.reach(plan.id, 'failed');
    const help = await instance.api.propose({ title: 'Help', steps: [write('late')] });
    await instance.api.approve(help);
    await instance.api.reach(help.id, 'completed');
    const retried = await instance.api.post(`/api/plans/${plan.id}/retry`, { version: 1 });
    expect(retried.status).toBe(200);
    await instance.api.reach(plan.id, 'completed');
    const log = await readLog(plan.id);
    expect(log).toMatchObject([
      { step: 'read', attempt: 1, status: 'failed', error: expect.stringContaining('late.txt') },
      { step: 'read', attempt: 2, status: 'succeeded' },
    ]);
    expect(log[0]).not.toHaveProperty('result_summary');
  });
});
