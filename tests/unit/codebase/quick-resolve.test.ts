// The resolution shortcut agrees with Node for every import at start.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';

const root = new URL('../../../', import.meta.url);

/** Resolves each import both ways while `modules` load. */
const compare = (modules: string[]) => `
  import { registerHooks } from 'node:module';
  import { createQuickResolver } from './src/app/quick-resolve.ts';
  const quick = createQuickResolver();
  const seen = { imports: 0, asked: 0, different: [] };
  registerHooks({
    resolve(specifier, context, next) {
      const plain = next(specifier, context);
      // CommonJS requires are left to Node.
      if (!context.conditions.includes('import')) return plain;
      const found = quick(specifier, context, (...said) => {
        seen.asked += 1;
        return next(...said);
      });
      seen.imports += 1;
      if (found.url !== plain.url || (found.format ?? null) !== (plain.format ?? null))
        seen.different.push({ specifier, parent: context.parentURL, found, plain });
      return plain;
    },
  });
  for (const path of ${JSON.stringify(modules)}) await import(path);
  console.log(JSON.stringify(seen));
  process.exit(0);
`;

type Seen = { imports: number; asked: number; different: unknown[] };

test('each import of a start resolves to the address and the format that Node itself finds', {
  timeout: 120_000,
}, async () => {
  const { stdout } = await promisify(execFile)(
    new URL('node_modules/.bin/node', root).pathname,
    [
      '--input-type=module',
      '--eval',
      compare([
        ...['keep-running', 'in-terminal', 'migrate', 'doctor'].map(
          (verb) => `./src/app/verbs/${verb}.ts`,
        ),
        './src/app/wire.ts',
        './src/app/doctor.ts',
        './src/app/serve.ts',
        './src/models/chat-model.ts',
        './src/plans/views/markdown.ts',
        './src/tools/mcp/server.ts',
        './src/tools/http/open-web.ts',
        './src/tools/http/send-request.ts',
        './src/tools/http/guarded-agent.ts',
        './adapters/slack/open-slack.ts',
        './adapters/teams/open-teams.ts',
      ]),
    ],
    { cwd: root, maxBuffer: 64 << 20 },
  );
  const { imports, asked, different }: Seen = JSON.parse(stdout);
  expect(different).toEqual([]);
  expect(imports).toBeGreaterThan(3000);
  // Left: the first of each folder and package, and packages among themselves.
  expect(asked).toBeLessThan(imports / 4);
});
