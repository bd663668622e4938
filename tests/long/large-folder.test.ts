// "Each file" of a folder with several pages, without a model.
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { settled } from '../fixtures/model-instance.ts';
import { ana } from '../setup/instance.ts';
import { useInstance } from '../setup/use-instance.ts';

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
