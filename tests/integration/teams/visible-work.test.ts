// What people see in Teams between their request and the answer: that the bot types.
import { expect, test } from 'vitest';
import { createSlowPlanner } from '../../fixtures/slow-planner.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { awaitMessage, useTeamsInstance } from './teams-instance.ts';

const database = useDatabase();

test('the bot types from the request on until it answers, in a chat and in a channel', async () => {
  const { planner, begun } = createSlowPlanner();
  const { teams } = await useTeamsInstance(database, { planner });
  const ana = teams.addPerson('ana');
  for (const place of [teams.addPersonal(ana), teams.addChannel([ana])]) {
    const words = `Look in ${place.kind}`;
    const { conversation } = await teams.say(ana, place, words);
    const typed = () => teams.typing.filter((one) => one === conversation).length;
    await waitFor('typing', () => typed() === 1, { everyMs: 5 });
    const turn = await begun(words);
    // It fades by itself while a planner is silent, so it is shown again.
    await waitFor('typing again', () => typed() === 2);
    turn.answer(`Here it is, in ${place.kind}.`);
    await awaitMessage(teams, conversation, `Here it is, in ${place.kind}.`);
  }
  const shown = teams.typing.length;
  expect(shown).toBeLessThanOrEqual(6);
});
