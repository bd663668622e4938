// "Every" over more than a page, and over a table that has lines which are no rows: over real files, without a model.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settled } from '../../fixtures/model-instance.ts';
import { ana } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance();

async function ask(text: string) {
  const { run_id } = await instance.service.startRun({ text }, ana);
  return settled(instance, run_id);
}

test('5,200 files are 5,200 steps, hidden ones included', async () => {
  const folder = join(instance.workspace, 'data');
  await mkdir(folder, { recursive: true });
  const names = Array.from({ length: 5200 }, (_, at) => (at % 1000 === 0 ? `.f${at}` : `f${at}`));
  for (let at = 0; at < names.length; at += 200)
    await Promise.all(names.slice(at, at + 200).map((name) => writeFile(join(folder, name), '')));
  const { plan_id: id = '', response_text } = await ask('For each file in data: delete <path>');
  expect(response_text).toContain('5,200');
  const plan = await instance.service.getPlan(id);
  expect(plan.risks.filter(({ text }) => text.includes('listed'))).toEqual([]);
});

test('rows that cannot be read are the first risk, and the others are planned and counted', async () => {
  await writeFile(
    join(instance.workspace, 't.csv'),
    'sep=;\nid;owed\n1;2,50\n2;3,50;x\n3;"open\n4;1,00\n',
  );
  const { plan_id: id = '' } = await ask(
    'For each row in t.csv: write "<id>" to out/<id>.md, then summarise to all.md',
  );
  const plan = await instance.service.getPlan(id);
  expect(plan.risks[0]?.text).toContain('line 4');
  expect(plan.risks[0]?.text).toContain('line 5');
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  expect(steps.filter(({ operation }) => operation === 'write')).toHaveLength(3);
  expect(steps.find(({ operation }) => operation === 'finalise')?.args.totals).toEqual([
    '2 items',
    'id: sum 5 of 2 numbers',
    'owed: sum 3,50 of 2 numbers',
  ]);
});
