// Tools in TypeScript files whose code changes after a plan was shown, lacks its secrets, or cannot be used.
import { describe, expect, it } from 'vitest';
import { useDatabase } from '../setup/database.ts';
import type { Answer } from '../setup/http-client.ts';
import { invoiceDraft, source, useInvoiceTool } from '../setup/invoice-tool.ts';
import { usePrograms } from '../setup/process.ts';

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

  it('needs its secrets only where it is called, and does nothing without them', async () => {
    await tool.write('invoice.ts', source);
    const server = await programs.serve({ ...tool.options, env: {} });
    const plan = await server.api.propose(invoiceDraft);
    await server.api.approve(plan);
    await server.api.reach(plan.id, 'failed');
    const [step] = await server.api.steps(plan.id);
    expect(step?.error?.message).toContain('INVOICE_TOKEN is not set');
    expect(tool.sent).toEqual([]);
    await server.stop();
  });

  it('is named by doctor, which says as the start does why one cannot be used', async () => {
    const { stdout: well } = await programs.finish(['doctor'], tool.options);
    expect(well).toMatch(/✓ Tool invoice +1 operation of \.\/tools\/invoice\.ts/);
    await tool.write('invoice.ts', "throw new Error('No API here');\n");
    const start = await programs.finish(['start'], tool.options);
    expect(start.code).not.toBe(0);
    const reason = 'tools: ./tools/invoice.ts cannot be used: No API here';
    expect(start.stderr).toContain(reason);
    const { stdout } = await programs.finish(['doctor'], tool.options);
    expect(stdout).toContain('✗ Configuration');
    expect(stdout).toContain(reason);
  });
});
