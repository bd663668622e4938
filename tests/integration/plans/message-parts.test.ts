// What is said is kept as data beside its text, and a planner is given that.
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { PlanningRequest } from '#domain/planning/run.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, openTestInstance, scriptedPlanner, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();
let instance: TestInstance;
const requests: PlanningRequest[] = [];

const planner = scriptedPlanner((request) => {
  requests.push(request);
  if (request.turn === 1) {
    return {
      kind: 'question',
      text: 'Two questions:\n1. Where to?\n2. Which name?',
      questions: [
        { id: 'destination', text: 'Where to?' },
        { id: 'name', text: 'Which name?' },
      ],
    };
  }
  return { kind: 'answer', text: 'Thanks.' };
});

beforeAll(async () => {
  instance = await openTestInstance(database.url, { planner });
});
afterAll(() => instance.close());

const answers = [
  { question_id: 'destination', text: 'done/' },
  { question_id: 'name', text: 'a.txt' },
];

const isAnswered = (run: string, turn: number) =>
  waitFor('the turn to end', async () => {
    const { planning_status, ...view } = await instance.service.getRun(run);
    return view.turn === turn && planning_status !== 'running' ? view : null;
  });

test('a planner gets what was asked and answered before by the ids of the questions', async () => {
  const { service } = instance;
  const { run_id: run } = await service.startRun({ text: 'Move it', conversation: 'parts' }, ana);
  const asked = await isAnswered(run, 1);
  expect(asked.questions).toEqual(['Where to?', 'Which name?']);
  await service.say('parts', '1. done/\n2. a.txt', ana);
  await isAnswered(run, 2);
  expect(requests.at(-1)?.answers).toEqual(answers);
  expect(requests.at(-1)?.history).toEqual([
    { author: 'person', text: 'Move it', kind: 'said', answers: [] },
    {
      author: 'bot',
      text: 'Two questions:\n1. Where to?\n2. Which name?',
      kind: 'question',
      questions: [
        { id: 'destination', text: 'Where to?' },
        { id: 'name', text: 'Which name?' },
      ],
    },
  ]);
  await service.say('parts', 'be brief', ana);
  await service.say('parts', 'Something else', ana);
  await waitFor('the last turn', async () => requests.at(-1)?.text === 'Something else');
  const { history } = requests.at(-1) ?? { history: [] };
  expect(history).toContainEqual({
    author: 'person',
    text: '1. done/\n2. a.txt',
    kind: 'said',
    answers,
  });
  expect(history.map(({ text }) => text)).not.toContain('be brief');
});
