// The critic compares drafts with the request.
import { expect, test } from 'vitest';
import { call, proposeFiles, resultsIn, revise } from '../../fixtures/model-calls.ts';
import { replyCost } from '../../fixtures/model-instance.ts';
import type { Script } from '../../fixtures/openai-double.ts';
import { useModelInstance } from '../../setup/use-instance.ts';

const instance = useModelInstance();

const report = (...points: string[]) => call('report', { points });
const submit = call('submit_plan', { confidence: 0.9 });

async function ask(script: Script, text = 'Write a.txt with my name in it') {
  instance.play(script);
  return instance.ask(text, { plan_reasoning_mode: 'extensive' });
}

test('holds a draft back once with what it found, and is paid for like any call', async () => {
  const run = await ask([
    proposeFiles(['a.txt']),
    report('Step 1 does not write their name.', ...Array.from({ length: 9 }, (_, i) => `${i}`)),
    revise({ id: '1', args: { content: 'Ana' } }),
  ]);
  expect(run.plan_id).toBeDefined();
  const [, criticised, revised, ...more] = instance.requests();
  expect(more).toEqual([]);
  const asked = criticised?.messages.map(({ content }) => content).join('\n');
  expect(asked).toContain('Write a.txt with my name in it');
  expect(asked).toContain('a.txt');
  expect(criticised?.tools).toHaveLength(1);
  const held = revised === undefined ? '' : (resultsIn(revised).at(-1) ?? '');
  expect(held).toContain('Step 1 does not write their name.');
  expect(held).not.toContain('"4"');
  const { steps } = await instance.service.listSteps(run.plan_id ?? '', { limit: 5 });
  expect(steps[0]?.args).toMatchObject({ content: 'Ana' });
  expect(await instance.paid(run.run_id)).toMatchObject({ calls: 3, open: 0 });
  expect((await instance.paid(run.run_id)).usd).toBeCloseTo(3 * replyCost);
  expect((await instance.trace(run.run_id)).filter(({ tool }) => tool === 'critic')).toHaveLength(
    1,
  );
});

test('does not insist, and says nothing of a draft that fits', async () => {
  await ask([proposeFiles(['b.txt']), report('Something.'), submit]);
  expect(instance.requests()).toHaveLength(3);
  await ask([proposeFiles(['c.txt']), report()]);
  expect(instance.requests()).toHaveLength(2);
});

test('that fails holds nothing back', async () => {
  const run = await ask([proposeFiles(['d.txt']), { status: 400, message: 'No.' }]);
  expect(run.plan_id).toBeDefined();
  expect((await ask([proposeFiles(['e.txt']), { words: 'Fine!' }])).plan_id).toBeDefined();
});
