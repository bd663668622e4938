import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findViolations, readAliases, readInstance } from '../../codebase/modules.ts';
import { mayHoldLoop } from '../../setup/watch-loop.ts';

const root = join(import.meta.dirname, '../../..');
const aliases = readAliases(root);

test('the instance as it stands keeps the rules', () => {
  mayHoldLoop('It reads all source files.');
  const sources = readInstance(root);
  expect(sources.length).toBeGreaterThan(200);
  expect(findViolations(sources, aliases)).toEqual([]);
});

const planted: [string, string, string, RegExp][] = [
  [
    'a sideways import',
    'src/planner/x.ts',
    "import { a } from '#plans/a.ts';",
    /planner.*may not import src\/plans\/a\.ts/,
  ],
  [
    'an import upwards',
    'src/db/x.ts',
    "import { a } from '#conversation/a.ts';",
    /db.*may not import/,
  ],
  [
    'an import for its type only',
    'src/tools/x.ts',
    "import type { A } from '#db/a.ts';",
    /tools.*may not import/,
  ],
  [
    'handing on another module',
    'src/plans/x.ts',
    "export { a } from '#executor/a.ts';",
    /plans.*may not import/,
  ],
  [
    'an import at run time',
    'src/models/x.ts',
    "await import('#tools/a.ts');",
    /models.*may not import/,
  ],
  [
    'a path instead of an alias',
    'src/api/x.ts',
    "import { a } from '../../adapters/slack/a.ts';",
    /api.*may not import adapters\/slack/,
  ],
  [
    'cards that know the database',
    'cards/x.ts',
    "import { a } from '#db/a.ts';",
    /cards.*may not import/,
  ],
  [
    'adapters that know each other',
    'adapters/slack/x.ts',
    "import { a } from '../teams/a.ts';",
    /may not import adapters\/teams/,
  ],
  [
    'the page that knows its server',
    'adapters/console/page/x.ts',
    "import { a } from '../routes.ts';",
    /may not import adapters\/console\/routes/,
  ],
  [
    'Teams outside its adapter',
    'src/api/x.ts',
    "import { a } from 'botbuilder';",
    /belongs to adapters\/teams\/connector/,
  ],
  [
    "Microsoft's library outside the connector",
    'adapters/teams/x.ts',
    "import type { a } from 'botbuilder';",
    /belongs to adapters\/teams\/connector/,
  ],
  [
    'what is behind the seam of the connector',
    'adapters/teams/talk/x.ts',
    "import { a } from '../connector/calls.ts';",
    /is behind adapters\/teams\/connector\/connector\.ts/,
  ],
  [
    'Slack outside its adapter',
    'adapters/teams/x.ts',
    "import { a } from '@slack/bolt';",
    /belongs to adapters\/slack/,
  ],
  [
    'the database driver outside its module',
    'src/plans/x.ts',
    "import { Pool } from 'pg';",
    /belongs to db/,
  ],
  [
    'help from the tests',
    'src/api/x.ts',
    "import { a } from '../../tests/wait.ts';",
    /only for tests/,
  ],
  [
    'a module nobody has heard of',
    'src/attic/x.ts',
    "import { a } from '#domain/a.ts';",
    /stands in no module/,
  ],
];

test.each(planted)('%s is reported', (_name, path, text, sentence) => {
  expect(findViolations([{ path, text }], aliases)).toEqual([expect.stringMatching(sentence)]);
});

test('files that import each other are reported, however many lie between', () => {
  const sources = ['a', 'b', 'c'].map((name, at) => ({
    path: `src/plans/${name}.ts`,
    text: `import { x } from './${'bca'[at]}.ts';`,
  }));
  expect(findViolations(sources, aliases)).toEqual([
    'imports go in a circle: src/plans/a.ts → src/plans/b.ts → src/plans/c.ts → src/plans/a.ts',
  ]);
});

test('folders of a module that import each other are reported', () => {
  const sources = [
    { path: 'src/plans/views/a.ts', text: "import { x } from '../series/b.ts';" },
    { path: 'src/plans/series/c.ts', text: "import { x } from '../views/d.ts';" },
  ];
  expect(findViolations(sources, aliases)).toEqual([
    'imports go in a circle: src/plans/views → src/plans/series → src/plans/views',
  ]);
  const through = [
    { path: 'src/plans/views/a.ts', text: "import { x } from '../context.ts';" },
    { path: 'src/plans/context.ts', text: "import { x } from './views/d.ts';" },
  ];
  expect(findViolations(through, aliases)).toEqual([
    'imports go in a circle: src/plans/views → src/plans/context.ts → src/plans/views',
  ]);
});

test('an import down the instance is allowed', () => {
  const text = "import { a } from '#plans/a.ts';\nimport { b } from '#domain/b.ts';";
  expect(findViolations([{ path: 'src/conversation/x.ts', text }], aliases)).toEqual([]);
});
