// Documents and countersign.example.json agree with the settings.
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { chatPlatforms } from '#app/platforms.ts';
import { benchNames } from '#bench/names.ts';
import { deliveryRule } from '#chat/outbox/delivery-context.ts';
import { Environment } from '#domain/environment.ts';
import { defaultPolicy } from '#domain/people/policy.ts';
import { Settings } from '#domain/settings.ts';

const read = (name: string) => readFileSync(new URL(`../../../${name}`, import.meta.url), 'utf8');
const pages = readdirSync(new URL('../../../docs', import.meta.url)).filter((name) =>
  name.endsWith('.md'),
);
const documents = ['README.md', ...pages.map((name) => `docs/${name}`)].map(read).join('\n');

describe('countersign.example.json', () => {
  const example: object = JSON.parse(read('countersign.example.json'));

  test('is a file that starts', () => {
    expect(Settings.safeParse(example).error).toBeUndefined();
  });

  test('shows every setting', () => {
    const known = Object.keys(Settings.shape).filter((name) => name !== '$schema');
    expect(Object.keys(example).sort()).toEqual(known.sort());
  });
});

describe('the documents', () => {
  test('name every variable of the environment', () => {
    const names = [Environment, ...chatPlatforms.map(({ variables }) => variables)].flatMap(
      ({ shape }) => Object.keys(shape),
    );
    expect(names.filter((name) => !documents.includes(`\`${name}\``))).toEqual([]);
  });

  test('say what each slider is at first', () => {
    const rows = Object.keys(defaultPolicy).map((name) => {
      const row = documents.split('\n').find((line) => line.startsWith(`| \`${name}\` |`));
      return [name, /^\| `\w+` \| ([\w.]+)/.exec(row ?? '')?.[1]];
    });
    expect(Object.fromEntries(rows)).toEqual(
      Object.fromEntries(Object.entries(defaultPolicy).map(([name, value]) => [name, `${value}`])),
    );
  });

  test('name every bench', () => {
    expect(benchNames.filter((name) => !documents.includes(`\`${name}\``))).toEqual([]);
  });
});

test('what holds where nothing is set', () => {
  expect(Settings.parse({})).toMatchObject({ guardMode: 'block', human_reminder_hours: 24 });
  expect(
    Settings.parse({ resourcePools: { desk: 3, hall: { capacity: 4 } } }).resourcePools,
  ).toEqual({
    desk: { capacity: 3, headroom: 0 },
    hall: { capacity: 4, headroom: 0 },
  });
  // Slack accepts about one change of a message a second.
  expect(deliveryRule.paceMs).toBe(1000);
});
