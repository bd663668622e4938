// Tools in TypeScript files: the one that the documents show, from its text to an invoice that was sent; code that changed after the
// approval; and files that cannot be used.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../setup/database.ts';
import type { Answer } from '../setup/http-client.ts';
import { type Options, root, type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();

const page = await readFile(join(root, 'docs/tools-in-typescript.md'), 'utf8');
/** The text of the page's only block of this language. */
const blockOf = (language: string): string => {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))];
  expect(blocks).toHaveLength(1);
  return blocks[0]?.[1] ?? '';
};
const source = blockOf('ts');
const settings: object = JSON.parse(blockOf('json'));

type Sent = { headers: IncomingHttpHeaders; body: unknown };
const sent: Sent[] = [];
/** The accounting system. */
const accounting = createServer(async (request, response) => {
  sent.push({ headers: request.headers, body: await json(request) });
  response.setHeader('content-type', 'application/json');
  response.end(JSON.stringify({ number: `R-${sent.length}` }));
});

const draft = {
  title: 'Send the invoice',
  steps: [
    {
      id: '1',
      description: 'Send it',
      tool: 'invoice',
      operation: 'send',
      args: { customer: 'C-1042', euros: 120.5, text: 'Advice in October' },
    },
  ],
};

let options: Options;
let file: string;
let server: Server;
const serve = () => programs.serve(options);

beforeAll(async () => {
  await new Promise<void>((resolve) => accounting.listen(0, '127.0.0.1', resolve));
  const address = accounting.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const home = await programs.home(settings);
  file = join(home, 'tools', 'invoice.ts');
  await mkdir(join(home, 'tools'));
  await writeFile(file, source);
  options = {
    home,
    database: database.url,
    env: {
      INVOICE_TOKEN: 'secret-of-the-worker',
      INVOICE_API: `http://127.0.0.1:${address.port}/invoices`,
    },
  };
  server = await serve();
});
afterAll(() => new Promise((resolve) => accounting.close(resolve)));

type Shown = { steps: { call: unknown }[] };

describe('the tool that the documents show', () => {
  it('is the example in this repository', async () => {
    expect(source).toBe(await readFile(join(root, 'examples/tools/invoice.ts'), 'utf8'));
  });

  it('is shown by its arguments, approved, and called once with them', async () => {
    const plan = await server.api.propose(draft);
    const shown: Answer<Shown> = await server.api.get(`/api/plans/${plan.id}/steps`);
    expect(shown.body.steps[0]?.call).toMatchObject({
      class: 'outside',
      destructive: false,
      headline: ['Sends an invoice to', { text: 'C-1042', later: false }],
      parts: [
        { label: 'text', text: 'Advice in October', payload: true },
        { label: 'euros', text: '120.5', payload: false },
      ],
    });
    await server.api.approve(plan);
    await server.api.reach(plan.id, 'completed');
    const [step] = await server.api.steps(plan.id);
    expect(step).toMatchObject({
      result_summary: 'Sent invoice R-1 to C-1042.',
      output: { number: 'R-1' },
    });
    expect(sent).toEqual([
      {
        headers: expect.objectContaining({
          authorization: 'Bearer secret-of-the-worker',
          'idempotency-key': expect.stringContaining(plan.id),
        }),
        body: { customer: 'C-1042', euros: 120.5, text: 'Advice in October' },
      },
    ]);
  });

  it('refuses arguments that do not fit, before anybody is asked', async () => {
    const [step] = draft.steps;
    const steps = [{ ...step, args: { customer: 'C-1042', euros: -1, text: 'x' } }];
    expect(await server.api.post('/api/plans', { ...draft, steps })).toMatchObject({
      status: 422,
      body: { code: 'invalid_arguments' },
    });
  });

  it('is listed by doctor and the settings, with its file', async () => {
    const { body }: Answer<{ tools: { name: string }[] }> = await server.api.get('/api/settings');
    expect(body.tools.find(({ name }) => name === 'invoice')).toMatchObject({
      source: 'file',
      file: './tools/invoice.ts',
      state: 'ok',
      operations: [{ name: 'invoice_send', effect: 'outside', planner: false }],
    });
    const { stdout } = await programs.finish(['doctor'], options);
    expect(stdout).toMatch(/✓ Tool invoice +1 operation of \.\/tools\/invoice\.ts/);
  });

  it('is not called when code it imports has changed since the plan was shown', async () => {
    await writeFile(
      join(options.home, 'tools', 'words.ts'),
      "export const verb: string = 'Bills';\n",
    );
    await writeFile(
      file,
      `import { verb } from './words.ts';\n${source.replace("'Sends an invoice to'", 'verb')}`,
    );
    await server.stop();
    server = await serve();
    const plan = await server.api.propose(draft);
    await writeFile(
      join(options.home, 'tools', 'words.ts'),
      "export const verb: string = 'Pays';\n",
    );
    await server.stop();
    server = await serve();
    const answer: Answer<unknown> = await server.api.approve(plan);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringContaining(
          'invoice_send changed since this plan was shown: the server or the code it comes from',
        ),
      },
    });
    expect(sent).toHaveLength(1);
  });

  it('needs its secrets only where it is called, and does nothing without them', async () => {
    await server.stop();
    await writeFile(file, source);
    server = await programs.serve({ ...options, env: {} });
    const plan = await server.api.propose(draft);
    await server.api.approve(plan);
    await server.api.reach(plan.id, 'failed');
    const [step] = await server.api.steps(plan.id);
    expect(step?.error?.message).toContain('INVOICE_TOKEN is not set');
    expect(sent).toHaveLength(1);
  });

  it('stops the start when it cannot be used, and doctor says the same', async () => {
    await server.stop();
    await writeFile(file, "throw new Error('No API here');\n");
    const start = await programs.finish(['start'], options);
    expect(start.code).not.toBe(0);
    const reason = 'tools: ./tools/invoice.ts cannot be used: No API here';
    expect(start.stderr).toContain(reason);
    const { stdout } = await programs.finish(['doctor'], options);
    expect(stdout).toContain(`✗ Configuration`);
    expect(stdout).toContain(reason);
  });
});
