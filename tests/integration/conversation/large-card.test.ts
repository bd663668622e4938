// A card's cost does not grow with its plan.
import { expect, test, vi } from 'vitest';
import { draftStep } from '../../fixtures/steps.ts';
import { ana, noop } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance({ work: false });
const write = (position: number) =>
  draftStep(`w${position}`, `Write ${position}`, 'workspace_write', {
    path: `${position}.md`,
    content: 'x',
  });

async function costOf(size: number) {
  const steps = Array.from({ length: size }, (_, i) => (i % 2 === 0 ? noop(`n${i}`) : write(i)));
  const { id } = await instance.service.propose({ title: 'Many', steps }, {}, ana);
  const { query } = instance.db;
  const run = vi.spyOn(query, 'run');
  const others = [vi.spyOn(query, 'execute'), vi.spyOn(query, 'select')];
  const facts = await instance.service.card(id, { user: 'ana', timezone: 'UTC' });
  const asked = await Promise.all(run.mock.results.map(({ value }) => value));
  const cost = {
    statements: asked.length + others.reduce((sum, { mock }) => sum + mock.calls.length, 0),
    rows: asked.flat().length,
    letters: JSON.stringify(facts).length,
  };
  vi.restoreAllMocks();
  return { total: facts.plan.total_steps, ...cost };
}

test('a card of 2,000 steps asks the database no more, reads no more and holds no more than one of 500', async () => {
  const [some, many] = [await costOf(500), await costOf(2000)];
  expect([some.total, many.total]).toEqual([500, 2000]);
  expect(some.statements).toBeGreaterThan(5);
  expect(some.rows).toBeGreaterThan(20);
  expect(many).toMatchObject({ statements: some.statements, rows: some.rows });
  expect(many.letters).toBeLessThan(some.letters * 1.05);
});
