// A file per table row, requested by a command without a model.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { settled } from '../../fixtures/model-instance.ts';
import { ana, reach } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';

const instance = useInstance();

beforeAll(async () => {
  await mkdir(instance.workspace, { recursive: true });
});

const put = (name: string, content: string) => writeFile(join(instance.workspace, name), content);

async function ask(text: string) {
  const { run_id } = await instance.service.startRun({ text }, ana);
  return settled(instance, run_id);
}

const request =
  'For each row in orders.csv: write "Dear <name>, you owe <owed>." to letters/<id>.md, then summarise to letters-summary.md';

async function putOrders(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => `${at + 1},Person ${at + 1},${at % 7} EUR`);
  await put('orders.csv', `id,name,owed\n${rows.join('\n')}\n`);
}

test('a table of ten rows becomes ten letters and one summary', async () => {
  await putOrders(10);
  const { plan_id: id = '', response_text } = await ask(request);
  expect(response_text).toContain(
    'Write letters/<id>.md for each of 10 rows of orders.csv, then one summary to letters-summary.md. Rows of orders.csv (10 found): 10 steps.',
  );
  const plan = await instance.service.getPlan(id);
  expect(plan.title).toBe(
    'Write letters/<id>.md for each of 10 rows of orders.csv, then one summary to letters-summary.md',
  );
  expect(plan.risks.map(({ text }) => text)).toEqual([
    expect.stringContaining('were read when this was planned'),
  ]);
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  expect(steps.map((step) => [step.id, step.operation, step.after.length])).toEqual([
    ...Array.from({ length: 10 }, (_, at) => [`rows-${at + 1}`, 'write', 0]),
    ['rows-gather', 'gather', 10],
    ['rows-summary', 'finalise', 1],
    ['rows-summary-file', 'write', 1],
  ]);
  await instance.service.approve(id, { version: 1, digest: plan.digest }, ana);
  await reach(instance, id, 'completed');
  expect(await readdir(join(instance.workspace, 'letters'))).toHaveLength(10);
  expect(await readFile(join(instance.workspace, 'letters/3.md'), 'utf8')).toBe(
    'Dear Person 3, you owe 2 EUR.',
  );
  expect(await readFile(join(instance.workspace, 'letters-summary.md'), 'utf8')).toContain(
    '10 outputs',
  );
});

test('a larger table is planned in partitions, whose letters are gathered and narrowed', async () => {
  await putOrders(450);
  const { plan_id: id = '', response_text } = await ask(request);
  expect(response_text).toContain(
    'Rows of orders.csv (450 found): 450 steps in 3 partitions, rows-01 to rows-03.',
  );
  const page = await instance.service.listSteps(id, { limit: 500 });
  const partitions = Map.groupBy(page.steps, ({ partition }) => partition);
  expect([...partitions].map(([name, steps]) => [name, steps.length])).toEqual([
    ['rows-01', 200],
    ['rows-02', 200],
    ['rows-03', 50],
    [null, 6],
  ]);
  expect(page.steps.slice(0, 450).every(({ tags }) => tags.includes('rows'))).toBe(true);
  expect(page.steps.slice(450).map((step) => [step.id, step.after.length])).toEqual([
    ['rows-gather-1', 200],
    ['rows-gather-2', 200],
    ['rows-gather-3', 50],
    ['rows-narrow', 3],
    ['rows-summary', 1],
    ['rows-summary-file', 1],
  ]);
});

test('rows that cannot be read are the first risk, and the others are planned and counted', async () => {
  await put('t.csv', 'sep=;\nid;owed\n1;2,50\n2;3,50;x\n3;"open\n4;1,00\n');
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
    'owed: sum 3,50 of 2 numbers',
  ]);
});

test.each([
  [
    'For each row in t.csv: create out/<full name>.txt saying "Dear <Full_Name>, you owe <owed/eur>."',
    { path: 'out/Ana.txt', content: 'Dear Ana, you owe 1.' },
  ],
  [
    'for each row in t.csv: write "{{braces}} <id>" to "out/<id> letter.md", then summarise to all.md',
    { path: 'out/7 letter.md', content: '{{braces}} 7' },
  ],
  [
    'for each row in t.csv: ask <full name> "Do you owe <owed/eur>?"',
    { assignee: 'Ana', question: 'Do you owe 1?' },
  ],
])('%s', async (text, args) => {
  await put('t.csv', 'id;full name;owed/eur\n7;Ana;1\n8;Ben;2\n');
  const { plan_id: id = '' } = await ask(text);
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  expect(steps[0]?.args).toEqual(args);
});

test.each([
  ['write "x" to out/<nr>.md', 'has no column “nr”. It has id, name and to'],
  ['write "x" to out/<id>.md', 'rows 1 and 3 to out/7.md'],
  ['write "x" to out/letter.md', 'rows 1 and 2 to out/letter.md'],
  ['write "x" to out/<name>.md', 'Row 2 of t.csv has a slash in column name (“../Ben”)'],
  ['write "x" to out/<to>.md', 'Row 3 of t.csv has nothing in column to'],
])('is refused with the reason: %s', async (command, why) => {
  await put('t.csv', 'id,name,to\n7,Ana,a\n8,../Ben,b\n7,Cy,\n');
  const { plan_id, response_text } = await ask(`for each row in t.csv: ${command}`);
  expect(response_text).toContain(why);
  expect(response_text).toContain('Nothing was planned.');
  expect(plan_id).toBeUndefined();
});

test.each([
  'for each row in none.csv: write "x" to out/<id>.md',
  'for each row in t.csv: write a friendly letter to out/<id>.md',
  'for each row in t.csv: write "x" to out/<id>.md, then post "done" here',
  'for each row in t.csv: write "x" to out/<id>.md tomorrow at 9:00',
])('plans nothing: %s', async (text) => {
  await put('t.csv', 'id\n7\n');
  expect((await ask(text)).plan_id).toBeUndefined();
});
