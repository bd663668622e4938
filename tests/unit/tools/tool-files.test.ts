import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Operation, ToolContext } from '#domain/tool.ts';
import { digestOperation } from '#tools/catalogue.ts';
import { describeCall } from '#tools/describe-call.ts';
import { loadToolFiles, type ToolFile } from '#tools/files/load-tools.ts';
import { defineOperation, secret, z } from '#tools/files/public.ts';

const context = { signal: new AbortController().signal } as ToolContext;

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'countersign-tool-files-'));
  // The program's `countersign/tools` for a tool file.
  Object.assign(globalThis, { toolsForTests: { defineOperation, secret, z } });
});
afterAll(async () => {
  Reflect.deleteProperty(globalThis, 'toolsForTests');
  await rm(folder, { recursive: true });
});

let files = 0;
async function load(code: string, taken: [string, string][] = []): Promise<ToolFile[]> {
  files += 1;
  const name = `tool-${files}.mjs`;
  await writeFile(
    join(folder, name),
    `const { defineOperation, secret, z } = globalThis.toolsForTests;\n${code}`,
  );
  return loadToolFiles({ files: [{ file: name }], from: folder }, new Map(taken));
}

const operation = (more: string) => `defineOperation({
  tool: 'crm', operation: 'note', description: 'Note something.', effect: 'write', destructive: false,
  schema: z.strictObject({ customer: z.string(), text: z.string() }), ${more}
})`;
const note = operation(`run: async () => ({ summary: 'Noted.', data: null })`);

async function loadOne(more: string): Promise<Operation> {
  const [file] = await load(`export default ${operation(more)};`);
  const [one] = file?.operations ?? [];
  if (one === undefined) throw new Error('nothing was loaded');
  return one;
}

describe('a file that cannot be used', () => {
  it.each([
    ['has no default export', 'export const one = 1;', 'it has no default export'],
    ['exports something else', 'export default { tool: "a" };', 'declare it with defineOperation'],
    ['throws', 'throw new Error("No API here");', 'No API here'],
    ['cannot be parsed', 'export default {{;', 'cannot be used'],
    [
      'declares one operation twice',
      `export default [${note}, ${note}];`,
      'it declares crm_note twice',
    ],
    [
      'has several tools',
      `export default [${note}, { ...${note}, tool: 'erp' }];`,
      'several tools',
    ],
    [
      'takes no object',
      `export default { ...${note}, input: { type: 'string' } };`,
      'one of an object',
    ],
    ['has a name with blanks', `export default { ...${note}, tool: 'my crm' };`, 'letters, digits'],
  ])('says so with its name when it %s', async (_, code, reason) => {
    const error: unknown = await load(code).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'invalid_configuration' });
    expect(String(error)).toContain(`tools: tool-${files}.mjs cannot be used: `);
    expect(String(error)).toContain(reason);
  });

  it('names the tool that has its name already', async () => {
    await expect(load(`export default ${note};`, [['crm', 'an MCP server']])).rejects.toThrow(
      'its tool is called crm, as an MCP server is',
    );
  });

  it('is named when it is not there', async () => {
    await expect(
      loadToolFiles({ files: [{ file: './gone.ts' }], from: folder }, new Map()),
    ).rejects.toThrow('tools: ./gone.ts cannot be used: ENOENT');
  });
});

describe('an operation of a file', () => {
  it('brings none of the rights of our own', async () => {
    const [file] = await load(
      `export default { ...${note}, source: 'builtin', internal: true, human: true, trusted: true };`,
    );
    expect(file?.operations[0]).toMatchObject({ source: 'file', name: 'crm_note' });
    expect(file?.operations[0]).not.toMatchObject({ internal: true });
    expect(file?.operations[0]).not.toMatchObject({ human: true });
  });

  it('is another one for an approval as soon as its code is', async () => {
    const [before, same, after] = [
      await loadOne(`run: async () => ({ summary: 'Noted.', data: 1 })`),
      await loadOne(`run: async () => ({ summary: 'Noted.', data: 1 })`),
      await loadOne(`run: async () => ({ summary: 'Noted.', data: 2 })`),
    ].map(digestOperation);
    expect(same).toBe(before);
    expect(after).not.toBe(before);
  });

  it('says no secret that it asked for, in what it returns or throws', async () => {
    vi.stubEnv('CRM_TOKEN', 'say "friend"');
    const echo = `const token = secret('CRM_TOKEN'); if (args.text === 'fail') throw new Error('401 for ' + token);`;
    const one = await loadOne(
      `run: async (args) => { ${echo} return { summary: 'Used ' + token, data: { sent: ['Bearer ' + token] } }; }`,
    );
    const call = (text: string) => one.call({ customer: 'c', text }, context);
    expect(await call('go')).toEqual({ summary: 'Used …', data: { sent: ['Bearer …'] } });
    await expect(call('fail')).rejects.toThrow(/^401 for …$/);
    vi.stubEnv('CRM_PIN', '123456');
    const other = await loadOne(`run: async (args) => {
      const pin = secret('CRM_PIN');
      if (args.text === 'late') throw new DOMException('too late', 'TimeoutError');
      if (args.text === 'deep') throw new Error('no', { cause: new Error('PIN ' + pin) });
      return { data: { number: 1234567, pin } };
    }`);
    const callOther = (text: string) => other.call({ customer: 'c', text }, context);
    expect(await callOther('go')).toEqual({
      summary: 'Done.',
      data: { number: 1234567, pin: '…' },
    });
    await expect(callOther('late')).rejects.toMatchObject({ name: 'TimeoutError' });
    await expect(callOther('deep')).rejects.toMatchObject({ cause: { message: 'PIN …' } });
    const continues = await loadOne(
      `run: async () => ({ later: secret('CRM_TOKEN') }),
      check: async () => ({ state: 'failed', message: 'Nobody knows ' + secret('CRM_TOKEN') })`,
    );
    await expect(continues.call({ customer: 'c', text: 'go' }, context)).rejects.toThrow(
      'without secrets',
    );
    const { signal } = new AbortController();
    expect(await continues.checkLater?.('job 1', signal)).toMatchObject({
      message: 'Nobody knows …',
    });
    vi.unstubAllEnvs();
  });

  it('says where work goes on that its code has begun, and nothing that cannot be kept', async () => {
    const args = { customer: 'C-1', text: 'x' };
    const called = async (returned: string) =>
      (await loadOne(`run: async () => (${returned})`)).call(args, context);
    expect(await called('{ later: "job 1" }')).toEqual({ later: 'job 1' });
    expect(await called('{ later: "job 1", checkAfterMs: "soon" }')).toMatchObject({
      later: 'job 1',
    });
    for (const wrong of ['{ later: 7 }', '{ later: "x".repeat(10_001) }'])
      await expect(called(wrong)).rejects.toMatchObject({ details: { outcome: 'unknown' } });
    await expect(
      (await loadOne(`run: async (_, { callbackUrl }) => ({ later: await callbackUrl() })`)).call(
        args,
        context,
      ),
    ).rejects.toThrow('Only a step of a plan can be called back.');
  });

  it('is asked how work stands in its own words, which are read before they count', async () => {
    const { signal } = new AbortController();
    const check = async (state: string) => {
      const run = `run: async () => ({ later: 'job 1' })`;
      const one = await loadOne(`${run}, check: async (later, { signal }) => (${state})`);
      return one.checkLater?.('job 1', signal);
    };
    expect(await check(`{ state: 'running', checkAfterMs: 7, later }`)).toEqual({
      state: 'running',
      checkAfterMs: 7,
    });
    expect(await check(`{ state: 'done', output: { data: later } }`)).toEqual({
      state: 'done',
      output: { summary: 'Done.', data: 'job 1' },
    });
    expect(await check(`{ state: 'failed', message: 'No film.' }`)).toEqual({
      state: 'failed',
      message: 'No film.',
    });
    await expect(check(`{ state: 'elsewhere' }`)).rejects.toThrow(
      'check of crm_note gave no state',
    );
  });

  it('gives back what can be stored, whatever its code returns: it has acted by then', async () => {
    const args = { customer: 'C-1', text: 'x' };
    const outputOf = async (returned: string) =>
      (await loadOne(`run: async () => (${returned})`)).call(args, context);
    expect(await outputOf('undefined')).toEqual({ summary: 'Done.', data: null });
    expect(await outputOf('{ summary: "Ok", data: { at: new Date(0) } }')).toEqual({
      summary: 'Ok',
      data: { at: '1970-01-01T00:00:00.000Z' },
    });
    expect(await outputOf('{ summary: 1, data: () => 1 }')).toEqual({
      summary: 'Done.',
      data: null,
    });
  });
});

describe('its effect', () => {
  const args = { customer: 'C-1', text: 'Call back' };
  const run = `run: async () => ({ summary: '', data: null })`;
  const shown = async (more: string, given: Parameters<typeof describeCall>[2] = args) => {
    const one = await loadOne(`${run}, ${more}`);
    return describeCall(one.name, one, given);
  };

  it('shows the arguments themselves, and all of them', async () => {
    expect(
      await shown(
        `describe: () => ({ verb: 'Notes about', target: 'customer', payload: ['text'] })`,
      ),
    ).toEqual({
      class: 'outside',
      destructive: false,
      headline: ['Notes about', { text: 'C-1', later: false }],
      parts: [{ label: 'text', text: 'Call back', payload: true, later: false }],
    });
    const hides = await shown(
      `describe: (args) => { args.text = 'nothing'; return { verb: 'Notes' }; }`,
    );
    expect(hides.parts.map(({ text }) => text)).toEqual(['C-1', 'Call back']);
  });

  it('marks what comes from an earlier step', async () => {
    const call = await shown(`describe: () => ({ verb: 'Notes about', target: 'customer' })`, {
      ...args,
      customer: { $from: '1', path: '/id' },
    });
    expect(call.headline[1]).toMatchObject({ later: true });
  });

  it('is every argument where the code says nothing, or fails', async () => {
    const plain = { headline: ['Calls', { text: 'crm_note' }], parts: [{ text: 'C-1' }, {}] };
    expect(await shown('destructive: true')).toMatchObject({ ...plain, destructive: true });
    expect(await shown(`describe: ({ customer }) => customer.at.once()`)).toMatchObject(plain);
    expect(await shown(`describe: () => 'Deletes everything'`)).toMatchObject(plain);
  });

  it('can say that it stays here, and that one call destroys, but not that a destructive one does not', async () => {
    expect(await shown(`describe: () => ({ verb: 'Notes', outside: false })`)).toMatchObject({
      class: 'changes',
    });
    expect(await shown(`describe: () => ({ verb: 'Drops', destructive: true })`)).toMatchObject({
      destructive: true,
    });
    expect(
      await shown(`destructive: true, describe: () => ({ verb: 'Drops', destructive: false })`),
    ).toMatchObject({ destructive: true });
  });
});
