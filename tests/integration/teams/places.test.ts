// Posts to channels of a team and to its people by name in Teams.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { call, propose, resultsIn } from '../../fixtures/model-calls.ts';
import { type OpenAiDouble, start, type Turn } from '../../fixtures/openai-double.ts';
import { draftStep } from '../../fixtures/steps.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, findMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();
let model: OpenAiDouble;
let replies: Turn[] = [];

beforeAll(async () => {
  model = await start({ script: () => replies.shift() ?? { status: 400 } });
});
afterAll(() => model.close());

const post = (id: string, conversation: string) =>
  draftStep(id, `Tell ${conversation}`, 'chat_post', { conversation, text: `Shipped ${id}` });

test('a plan posts to a channel of the team and to a person by name, and to no other', async () => {
  const { teams } = await useTeamsInstance(database, { env: { OPENAI_BASE_URL: model.url } });
  const ana = teams.addPerson('ana');
  const ben = teams.addPerson('ben');
  const general = teams.addChannel([ana, ben]);
  const ops = teams.addChannel([ana, ben], general.team ?? '', 'Ops');
  teams.addChannel([ana, ben], '19:another-team@thread.tacv2', 'Sales');
  replies = [
    call('add_steps', { steps: [post('1', '#sales'), post('2', 'Ben')] }),
    propose({ title: 'Tell them', steps: [post('1', '#ops')], confidence: 0.9 }),
  ];
  const { conversation } = await teams.say(ana, general, 'post to #ops and tell Ben');
  const card = await awaitMessage(teams, conversation, '"approve"');
  const shown = JSON.stringify(card.activity);
  expect(shown).toContain('Posts in #Ops');
  expect(shown).toContain('Posts in ben');
  const results = model.requests.flatMap((body) => resultsIn(body));
  expect(results.join('\n')).toContain('There is no channel “#sales”');
  await teams.press(ana, card, 'Approve');
  await waitFor('both posts', () =>
    [ops.id, teams.addPersonal(ben).id].every(
      (place) => findMessage(teams, place, 'Shipped') !== null,
    ),
  );
});
