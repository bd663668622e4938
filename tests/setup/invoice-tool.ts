// The tool of docs/tools-in-typescript.md, with its accounting system.
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { json } from 'node:stream/consumers';
import { afterAll, beforeAll } from 'vitest';
import { draftStep } from '../fixtures/steps.ts';
import type { usePrograms } from './process.ts';
import { type Options, root } from './process.ts';

const page = await readFile(join(root, 'docs/tools-in-typescript.md'), 'utf8');

function blockOf(language: string): string {
  const blocks = [...page.matchAll(new RegExp(`^\`\`\`${language}\n([^]*?)^\`\`\`$`, 'gm'))];
  const [block] = blocks;
  if (block?.[1] === undefined || blocks.length > 1)
    throw new Error(`docs/tools-in-typescript.md has ${blocks.length} blocks of ${language}`);
  return block[1];
}

export const source = blockOf('ts');
const settings: object = JSON.parse(blockOf('json'));

export const invoiceDraft = {
  title: 'Send the invoice',
  steps: [
    draftStep('1', 'Send it', 'invoice_send', {
      customer: 'C-1042',
      euros: 120.5,
      text: 'Advice in October',
    }),
  ],
};

type Sent = { headers: IncomingHttpHeaders; body: unknown };

export function useInvoiceTool(
  database: { readonly url: string },
  programs: ReturnType<typeof usePrograms>,
): {
  readonly sent: Sent[];
  readonly options: Options;
  write(name: string, text: string): Promise<void>;
} {
  const sent: Sent[] = [];
  const accounting = createServer(async (request, response) => {
    sent.push({ headers: request.headers, body: await json(request) });
    response.setHeader('content-type', 'application/json');
    response.end(JSON.stringify({ number: `R-${sent.length}` }));
  });
  let options: Options;
  const write = (name: string, text: string) => writeFile(join(options.home, 'tools', name), text);

  beforeAll(async () => {
    await new Promise<void>((resolve) => accounting.listen(0, '127.0.0.1', resolve));
    const address = accounting.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const home = await programs.home(settings);
    const env = {
      INVOICE_TOKEN: 'secret-of-the-worker',
      INVOICE_API: `http://127.0.0.1:${address.port}/invoices`,
    };
    options = { home, database: database.url, env };
    await mkdir(join(home, 'tools'));
    await write('invoice.ts', source);
  });
  afterAll(() => new Promise((resolve) => accounting.close(resolve)));

  return {
    sent,
    get options() {
      return options;
    },
    write,
  };
}
