// TypeScript tools that change after a plan, or can't be used.
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../setup/database.ts';
import type { Answer } from '../setup/http-client.ts';
import { invoiceDraft, source, useInvoiceTool } from '../setup/invoice-tool.ts';
import { node, quickly, root, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
const tool = useInvoiceTool(database, programs);

describe('a tool in a file', () => {
  it('is not called when code it imports has changed since the plan was shown', async () => {
    await tool.write('words.ts', "export const verb: string = 'Bills';\n");
    await tool.write(
      'invoice.ts',
      `import { verb } from './words.ts';\n${source.replace("'Sends an invoice to'", 'verb')}`,
    );
    const before = await programs.serve(tool.options);
    const plan = await before.api.propose(invoiceDraft);
    await tool.write('words.ts', "export const verb: string = 'Pays';\n");
    await before.stop();
    const after = await programs.serve(tool.options);
    const answer: Answer<unknown> = await after.api.approve(plan);
    expect(answer).toMatchObject({
      status: 422,
      body: {
        detail: expect.stringContaining(
          'invoice_send changed since this plan was shown: the server or the code it comes from',
        ),
      },
    });
    expect(tool.sent).toEqual([]);
    await after.stop();
  });
});

describe('what an approval covers of a tool', () => {
  let place: string;
  beforeAll(async () => {
    place = await mkdtemp(join(tmpdir(), 'countersign-covered-'));
  });
  afterAll(() => rm(place, { recursive: true }));

  async function make(top: string, run: string, files: Record<string, string> = {}) {
    const folder = await mkdtemp(join(place, 'tool-'));
    const code = `import { defineOperation, z } from 'countersign/tools';\n${top}
export default defineOperation({ tool: 'crm', operation: 'note', description: 'Note.', effect: 'read', destructive: false,
  schema: z.strictObject({}), async run() { ${run} } });\n`;
    for (const [name, text] of Object.entries({ ...files, 'tool.mjs': code })) {
      await mkdir(join(folder, dirname(name)), { recursive: true });
      await writeFile(join(folder, name), text);
    }
    return folder;
  }

  async function load(folders: string[]): Promise<{ digest: string; came: unknown }[]> {
    const script = join(root, 'tests', 'fixtures', 'load-tools-process.ts');
    const { stdout } = await promisify(execFile)(node, [...quickly, script, ...folders], {
      cwd: root,
    });
    return JSON.parse(stdout);
  }

  const done = (data: string) => `return { summary: 'Noted.', data: ${data} };`;

  it('is the version of a package it imports, and of what this depends on', async () => {
    const manifest = (name: string, version: string, dependencies: object = {}) =>
      JSON.stringify({ name, version, type: 'module', exports: './index.js', dependencies });
    const install = (mail: string, smtp: string, unused: string, code = '1') =>
      make("import { send } from 'mail';", done('send()'), {
        'node_modules/mail/package.json': manifest('mail', mail, { '@acme/smtp': '*' }),
        'node_modules/mail/index.js': "export { send } from '@acme/smtp';",
        'node_modules/@acme/smtp/package.json': manifest('@acme/smtp', smtp, { mail: '*' }),
        'node_modules/@acme/smtp/index.js': `export const send = () => ${code};`,
        'node_modules/unused/package.json': manifest('unused', unused),
      });
    const loaded = await load([
      await install('1.0.0', '1.0.0', '1.0.0'),
      await install('1.0.0', '1.0.0', '2.0.0'),
      await install('1.0.1', '1.0.0', '1.0.0'),
      await install('1.0.0', '1.0.1', '1.0.0'),
      // Only the version of a package counts, as documented.
      await install('1.0.0', '1.0.0', '1.0.0', '2'),
    ]);
    expect(loaded.map(({ came }) => came)).toMatchObject([1, 1, 1, 1, 2].map((data) => ({ data })));
    const [before, unused, direct, indirect, edited] = loaded.map(({ digest }) => digest);
    expect([unused, edited]).toEqual([before, before]);
    expect(new Set([before, direct, indirect]).size).toBe(3);
  });

  it('is nothing that it would import only while it runs, so that this is refused', async () => {
    const files = { 'rates.mjs': 'export const rate = 2;\n' };
    const lazily = `const { rate } = await import('./rates.mjs'); ${done('rate')}`;
    const createRequire =
      "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);";
    const loaded = await load([
      await make('', lazily, files),
      await make(createRequire, done("require('./rates.mjs').rate"), files),
      await make("import './rates.mjs';", lazily, files),
      await make('', `const { sep } = await import('node:path'); ${done('sep')}`),
    ]);
    const refused = expect.stringContaining(
      './rates.mjs is imported at run time, so approvals cannot cover it.',
    );
    expect(loaded.map(({ came }) => came)).toEqual([
      refused,
      refused,
      { summary: 'Noted.', data: 2 },
      { summary: 'Noted.', data: '/' },
    ]);
  });
});
