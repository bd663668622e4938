// The documents' TypeScript tool; tests/long/tool-files.test.ts has its changes.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { useDatabase } from '../setup/database.ts';
import type { Answer } from '../setup/http-client.ts';
import { invoiceDraft, source, useInvoiceTool } from '../setup/invoice-tool.ts';
import { root, type Server, usePrograms } from '../setup/process.ts';

const database = useDatabase();
const programs = usePrograms();
const tool = useInvoiceTool(database, programs);

let server: Server;
beforeAll(async () => {
  server = await programs.serve(tool.options);
});

type Shown = { steps: { call: unknown }[] };

describe('the tool that the documents show', () => {
  it('is the example in this repository', async () => {
    expect(source).toBe(await readFile(join(root, 'examples/tools/invoice.ts'), 'utf8'));
  });

  it('is shown by its arguments, approved, and called once with them', async () => {
    const plan = await server.api.propose(invoiceDraft);
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
    expect(tool.sent).toEqual([
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
    const [step] = invoiceDraft.steps;
    const steps = [{ ...step, args: { customer: 'C-1042', euros: -1, text: 'x' } }];
    expect(await server.api.post('/api/plans', { ...invoiceDraft, steps })).toMatchObject({
      status: 422,
      body: { code: 'invalid_arguments' },
    });
  });

  it('is listed in the settings, with its file', async () => {
    const { body }: Answer<{ tools: { name: string }[] }> = await server.api.get('/api/settings');
    expect(body.tools.find(({ name }) => name === 'invoice')).toMatchObject({
      source: 'file',
      file: './tools/invoice.ts',
      state: 'ok',
      operations: [{ name: 'invoice_send', effect: 'outside', planner: false }],
    });
  });
});
