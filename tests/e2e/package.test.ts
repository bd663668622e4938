// The npm package with this project's dependencies; tests/long/package.test.ts installs it.
import { globSync, readFileSync } from 'node:fs';
import { rename } from 'node:fs/promises';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';
import { launchOnOlderNode } from '../setup/older-node.ts';
import { usePackage } from '../setup/package.ts';

const built = usePackage(true);

// Without linked dependencies.
const list = (pattern: string) =>
  globSync(pattern, { cwd: built.folder, exclude: (name) => name === 'node_modules' });

test('the package has the program and what it reads, and nothing of its development', () => {
  const folders = [
    ...['adapters', 'bench', 'bin', 'cards', 'deploy', 'docs', 'examples', 'jobs', 'migrations'],
    'src',
  ];
  const top = list('*').filter((name) => name !== 'node_modules');
  expect(
    top
      .filter((name) => !name.includes('.') && !/^(?:LICENSE|THIRD-PARTY-NOTICES)$/.test(name))
      .sort(),
  ).toEqual(folders);
  expect(top).toEqual(expect.arrayContaining(['package.json', 'npm-shrinkwrap.json', 'README.md']));
  const endings = new Set(
    list('{adapters,bench,bin,cards,jobs,migrations,src}/**/*.*').map((path) =>
      path.slice(path.lastIndexOf('.')),
    ),
  );
  expect([...endings].sort()).toEqual([
    ...['.css', '.html', '.js', '.json', '.mjs', '.png', '.sql', '.svg', '.ts'],
  ]);
  // Declarations for editors; Node refuses TypeScript in packages.
  expect(list('**/*.ts').sort()).toEqual([
    join('examples', 'tools', 'invoice.ts'),
    join('src', 'tools', 'files', 'public.d.ts'),
  ]);
  const manifest = JSON.parse(readFileSync(join(built.folder, 'package.json'), 'utf8'));
  for (const field of ['private', 'scripts', 'devDependencies'])
    expect(manifest).not.toHaveProperty(field);
});

// Only the bench uses it.
const optional = ['@dbos-inc/dbos-sdk'];

test('every package that a module imports is among the dependencies', () => {
  const { dependencies } = JSON.parse(readFileSync(join(built.folder, 'package.json'), 'utf8'));
  const missing = new Set<string>();
  for (const path of list('{adapters,bench,cards,jobs,src}/**/*.js')) {
    if (path.startsWith(join('adapters', 'console', 'page'))) continue; // The browser resolves these.
    const { module } = parseSync(path, readFileSync(join(built.folder, path), 'utf8'));
    const text = readFileSync(join(built.folder, path), 'utf8');
    const named = [
      ...module.staticImports.map(({ moduleRequest }) => moduleRequest.value),
      ...module.staticExports.flatMap(({ entries }) =>
        entries.flatMap(({ moduleRequest }) => moduleRequest?.value ?? []),
      ),
      // Tool files are imported by path, not by name.
      ...module.dynamicImports.flatMap(
        ({ moduleRequest: { start, end } }) => /^'(.*)'$/.exec(text.slice(start, end))?.[1] ?? [],
      ),
    ];
    for (const name of named) {
      if (/^(\.|#|node:)/.test(name)) continue;
      const parts = name.split('/');
      const packageName = parts.slice(0, name.startsWith('@') ? 2 : 1).join('/');
      if (!(packageName in dependencies)) missing.add(packageName);
    }
  }
  expect([...missing]).toEqual(optional);
});

test('an older Node runs the program on the Node among the dependencies, and its exit codes are passed on', async () => {
  const version = await launchOnOlderNode(built.command, ['--version'], {});
  expect(version).toMatchObject({ code: 0, stderr: '' });
  expect(version.stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  expect((await launchOnOlderNode(built.command, ['nonsense'], {})).code).toBe(2);
});

test('an older Node without that package says in one sentence what is needed', async () => {
  const linked = join(built.folder, 'node_modules');
  await rename(linked, `${linked}-away`);
  const refused = await launchOnOlderNode(built.command, ['start'], {});
  await rename(`${linked}-away`, linked);
  expect(refused).toMatchObject({ code: 1, stdout: '' });
  expect(refused.stderr).toMatch(
    /^countersign: Countersign needs Node\.js 24 or newer and this is 18\.20\.0 .* Install Node\.js 24 from .*\n$/,
  );
});
