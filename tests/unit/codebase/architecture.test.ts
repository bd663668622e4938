// Tables in ARCHITECTURE.md match the code. `npm run tables` rewrites them.
import { readFileSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { StageEvent } from '#domain/planning/stages.ts';
import { sessionLifecycle } from '#planner/stages/table.ts';
import { lifecycle, planEvents } from '#plans/lifecycle/lifecycle-table.ts';
import { runEvents, runLifecycle } from '#runs/run-table.ts';

const file = new URL('../../../ARCHITECTURE.md', import.meta.url);

function printTable<S extends string, E extends string>(
  table: Record<S, Partial<Record<E, S>>>,
  events: readonly E[],
): string {
  const rows = (Object.keys(table) as S[]).map((status) => {
    const cells = events.map((event) => table[status][event] ?? '');
    return `| **${status}** | ${cells.join(' | ')} |`;
  });
  return [
    `| status \\ event | ${events.map((event) => event.replaceAll('_', ' ')).join(' | ')} |`,
    `|---|${events.map(() => '---').join('|')}|`,
    ...rows,
  ].join('\n');
}

/** A line for stages with equal exits, if the table would be too wide. */
function printList<S extends string, E extends string>(
  table: Record<S, Partial<Record<E, S>>>,
  events: readonly E[],
): string {
  const stages = Object.keys(table) as S[];
  const waysOf = (stage: S) => {
    const known = events.filter((event) => table[stage][event] !== undefined);
    return [...Map.groupBy(known, (event) => table[stage][event])]
      .map(([to, by]) => `${by.map((event) => event.replaceAll('_', ' ')).join(', ')} → ${to}`)
      .join(' · ');
  };
  const rows = [...Map.groupBy(stages, waysOf)].map(
    ([ways, alike]) => `| ${alike.map((stage) => `**${stage}**`).join(', ')} | ${ways} |`,
  );
  return ['| stage | event → next stage |', '|---|---|', ...rows].join('\n');
}

function insert(text: string, name: string, table: string): string {
  const [open, close] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const from = text.indexOf(open);
  const to = text.indexOf(close);
  if (from < 0 || to < 0) throw new Error(`ARCHITECTURE.md has no place for the ${name}`);
  return `${text.slice(0, from + open.length)}\n${table}\n${text.slice(to)}`;
}

test('ARCHITECTURE.md shows the state tables as they are in code', () => {
  const text = readFileSync(file, 'utf8');
  const tables: [name: string, table: string][] = [
    ['plan table', printTable(lifecycle, planEvents)],
    ['run table', printTable(runLifecycle, runEvents)],
    ['session table', printList(sessionLifecycle, StageEvent.options)],
  ];
  const printed = tables.reduce((page, [name, table]) => insert(page, name, table), text);
  if (process.env.UPDATE_TABLES === '1') writeFileSync(file, printed);
  else expect(text).toBe(printed);
});
