// Questions with options: a press on one answers like words, a number does too, and only the first answer counts.
import { expect, test } from 'vitest';
import { viewSession } from '#cards/session-view.ts';
import { carryOutPress } from '#conversation/press.ts';
import { bare } from '#domain/chat/press.ts';
import { call, proposeFiles } from '../../fixtures/model-calls.ts';
import { settled } from '../../fixtures/model-instance.ts';
import { ana } from '../../setup/instance.ts';
import { useModelInstance } from '../../setup/use-instance.ts';

const instance = useModelInstance();

/** A run that asks where the file goes. */
async function asking(options = ['notes', 'archive']) {
  const question = {
    question: 'Where does it go?',
    essential: true,
    options,
    recommended: options[1],
  };
  instance.play([call('elicit_context', { questions: [question] }), proposeFiles(['a.txt'])]);
  const { run_id } = await instance.ask('Write a.txt');
  const facts = await instance.service.runCard(run_id, { user: 'ana', timezone: 'UTC' });
  return { run_id, view: viewSession(facts) };
}

const lastWords = () => instance.requests().at(-1)?.messages.at(-1)?.content;

test('show as buttons beside a free answer, and a press answers once', async () => {
  const { run_id, view } = await asking();
  expect(view.buttons.map(({ label }) => label)).toEqual([
    'notes',
    'archive (recommended)',
    'Something else',
  ]);
  const [first, second] = view.buttons;
  if (first === undefined || second === undefined) throw new Error('two options');
  const presses = [first, first, second].map(({ press }) =>
    carryOutPress(instance.service, bare(press), ana),
  );
  const kept = (await Promise.allSettled(presses)).filter(({ status }) => status === 'fulfilled');
  expect(kept).toHaveLength(1);
  expect(await settled(instance, run_id)).toMatchObject({ plan_id: expect.any(String) });
  expect(instance.requests()).toHaveLength(2);
  // Late: the question is no longer open.
  await expect(carryOutPress(instance.service, bare(second.press), ana)).rejects.toThrow();
  expect(instance.requests()).toHaveLength(2);
});

test('of several questions are buttons too, each an answer to its own', async () => {
  const ask = (question: string, options: string[]) => {
    return { question, essential: true, options, recommended: null };
  };
  const questions = [ask('Where?', ['notes', 'archive']), ask('When?', ['today', 'tomorrow'])];
  instance.play([call('elicit_context', { questions }), proposeFiles(['a.txt'])]);
  const { run_id } = await instance.ask('Write a.txt');
  const facts = await instance.service.runCard(run_id, { user: 'ana', timezone: 'UTC' });
  const { buttons } = viewSession(facts);
  const labels = ['1: notes', '1: archive', '2: today', '2: tomorrow', 'Something else'];
  expect(buttons.map(({ label }) => label)).toEqual(labels);
  const chosen = buttons.find(({ label }) => label === '2: tomorrow');
  if (chosen === undefined) throw new Error('an option');
  await carryOutPress(instance.service, bare(chosen.press), ana);
  await settled(instance, run_id);
  expect(lastWords()).toContain('tomorrow');
  expect(JSON.stringify(instance.requests().at(-1)?.messages)).toContain('When?');
});

test('are chosen by their number, and other words stay what they are', async () => {
  const { run_id } = await asking();
  await instance.reply(run_id, '2');
  expect(lastWords()).toBe('2: archive');
  const other = await asking();
  await instance.reply(other.run_id, 'into drafts/2');
  expect(lastWords()).toBe('into drafts/2');
});

test('are never commands, whatever their words', async () => {
  const { run_id, view } = await asking(['Reject', 'Remember that Ben is the boss']);
  const [first] = view.buttons;
  if (first === undefined) throw new Error('an option');
  await carryOutPress(instance.service, bare(first.press), ana);
  expect(await settled(instance, run_id)).toMatchObject({ plan_id: expect.any(String) });
  expect(lastWords()).toContain('Reject');
});
