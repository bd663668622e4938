// A file for each row of a table, asked for by a command without a model: read in pages, planned in partitions, approved once, run.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { ana, reach } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const instance = useInstance();

beforeAll(async () => {
  await mkdir(instance.workspace, { recursive: true });
});

const put = (name: string, content: string) => writeFile(join(instance.workspace, name), content);

/** What came of a request: its plan, or the words of the answer. */
async function ask(text: string) {
  const { run_id } = await instance.service.startRun({ text }, ana);
  return waitFor(
    'the planner',
    async () => {
      const now = await instance.service.getRun(run_id);
      return now.planning_status === 'running' ? null : now;
    },
    { timeoutMs: 60_000 },
  );
}

const request =
  'For every CSV row in orders.csv write a reminder letter to letters/<id>.md, then write one summary of all letters';

async function putOrders(count: number): Promise<void> {
  const rows = Array.from({ length: count }, (_, at) => `${at + 1},Person ${at + 1},${at % 7} EUR`);
  await put('orders.csv', `id,name,owed\n${rows.join('\n')}\n`);
}

test('a table of ten rows becomes ten letters and one summary', async () => {
  await putOrders(10);
  const { plan_id: id = '', response_text } = await ask(request);
  expect(response_text).toContain(
    'Writes letters/<id>.md for each of 10 rows of orders.csv, with what the row has (id, name and owed), then one summary to letters-summary.md. Reminder letters (10 found): 10 steps.',
  );
  const plan = await instance.service.getPlan(id);
  expect(plan.title).toBe(
    'Write a reminder letter for each of 10 rows of orders.csv, and a summary',
  );
  expect(plan.risks.map(({ text }) => text)).toEqual([
    expect.stringContaining('were read when this was planned'),
    expect.stringContaining('Each reminder letter is plain'),
  ]);
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  expect(steps.map((step) => [step.id, step.operation, step.after.length])).toEqual([
    ...Array.from({ length: 10 }, (_, at) => [`letters-${at + 1}`, 'write', 0]),
    ['letters-gather', 'gather', 10],
    ['letters-summary', 'finalise', 1],
    ['letters-summary-file', 'write', 1],
  ]);
  await instance.service.approve(id, { version: 1, digest: plan.digest }, ana);
  await reach(instance, id, 'completed');
  expect(await readdir(join(instance.workspace, 'letters'))).toHaveLength(10);
  expect(await readFile(join(instance.workspace, 'letters/3.md'), 'utf8')).toBe(
    'Reminder letter\n\nid: 3\nname: Person 3\nowed: 2 EUR\n',
  );
  expect(await readFile(join(instance.workspace, 'letters-summary.md'), 'utf8')).toContain(
    '10 outputs',
  );
});

test('a larger table is planned in partitions, whose letters are gathered and narrowed', async () => {
  await putOrders(450);
  const { plan_id: id = '', response_text } = await ask(request);
  expect(response_text).toContain(
    'Reminder letters (450 found): 450 steps in 3 partitions, letters-01 to letters-03.',
  );
  const page = await instance.service.listSteps(id, { limit: 500 });
  const partitions = Map.groupBy(page.steps, ({ partition }) => partition);
  expect([...partitions].map(([name, steps]) => [name, steps.length])).toEqual([
    ['letters-01', 200],
    ['letters-02', 200],
    ['letters-03', 50],
    [null, 6],
  ]);
  expect(page.steps.slice(0, 450).every(({ tags }) => tags.includes('letters'))).toBe(true);
  expect(page.steps.slice(450).map((step) => [step.id, step.after.length])).toEqual([
    ['letters-gather-1', 200],
    ['letters-gather-2', 200],
    ['letters-gather-3', 50],
    ['letters-narrow', 3],
    ['letters-summary', 1],
    ['letters-summary-file', 1],
  ]);
});

test.each([
  [
    'for each row of t.csv, write a letter to out/{id}.md',
    'Letters (2 found): 2 steps.',
    { path: 'out/7.md', content: 'Letter\n\nid: 7\nfull name: Ana\nowed/eur: 1\n' },
  ],
  [
    'Write a short note to out/note-<ID>.md for every row in t.csv',
    'Short notes (2 found): 2 steps.',
    { path: 'out/note-7.md', content: 'Short note\n\nid: 7\nfull name: Ana\nowed/eur: 1\n' },
  ],
  [
    'For all rows in the file t.csv: create out/<full name>.txt saying "Dear <full name>, you owe <owed/eur>."',
    'Files (2 found): 2 steps.',
    { path: 'out/Ana.txt', content: 'Dear Ana, you owe 1.' },
  ],
  [
    'Please write a letter to "out/<id> letter.md" for every line of t.csv and a summary of them to all.md',
    'then one summary to all.md',
    { path: 'out/7 letter.md', content: 'Letter\n\nid: 7\nfull name: Ana\nowed/eur: 1\n' },
  ],
])('%s', async (text, told, args) => {
  await put('t.csv', 'id;full name;owed/eur\n7;Ana;1\n8;Ben;2\n');
  const { plan_id: id = '', response_text } = await ask(text);
  expect(response_text).toContain(told);
  const { steps } = await instance.service.listSteps(id, { limit: 100 });
  expect(steps[0]?.args).toEqual(args);
});

test.each([
  [
    'for each row of t.csv write a letter to out/<nr>.md',
    'has no column “nr”. It has id, name and to',
  ],
  ['for each row of t.csv write a letter to out/<id>.md', 'rows 1 and 3 to out/7.md'],
  [
    'for each row of t.csv write a letter to out/<name>.md',
    'Row 2 of t.csv has a slash in column name (“../Ben”)',
  ],
  [
    'for each row of t.csv write a letter to out/<to>.md',
    'Row 3 of t.csv has nothing in column to',
  ],
  ['for each row of none.csv write a letter to out/<to>.md', 'none.csv'],
])('is refused with the reason: %s', async (text, why) => {
  await put('t.csv', 'id,name,to\n7,Ana,a\n8,../Ben,b\n7,Cy,\n');
  const { plan_id, response_text } = await ask(text);
  expect(response_text).toContain(why);
  expect(response_text).toContain('Nothing was planned.');
  expect(plan_id).toBeUndefined();
});

test.each([
  'for each row of t.csv write a friendly letter that asks for payment to out/<id>.md',
  'for each row of t.csv quickly write a letter to out/<id>.md',
  'for each row of t.csv write a letter to out/<id>.md, then send it to Ana',
  'for each row of t.csv write a letter to out/<id>.md tomorrow',
  'for each row of t.csv write a letter to out/letter.md',
])('is asked about, since not every word has its place: %s', async (text) => {
  await put('t.csv', 'id\n7\n');
  const { plan_id, planning_status } = await ask(text);
  expect(planning_status).toBe('needs_clarification');
  expect(plan_id).toBeUndefined();
});
