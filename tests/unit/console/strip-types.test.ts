import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { node, root } from '../../setup/process.ts';

const module = join(root, 'adapters', 'console', 'strip-types.ts');

it('strips types without a word on the terminal, and leaves other warnings alone', async () => {
  const script = `
    import { stripTypes } from ${JSON.stringify(module)};
    console.log(stripTypes('const a: number = 1;'), stripTypes('let b: string;'));
    process.emitWarning('something else');`;
  const run = promisify(execFile);
  const { stdout, stderr } = await run(node, ['--input-type=module', '-e', script]);
  expect(stdout).toBe('const a         = 1; let b        ;\n');
  expect(stderr).not.toContain('Experimental');
  expect(stderr).toContain('something else');
});
