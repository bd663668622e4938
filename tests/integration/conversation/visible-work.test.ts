// Planning progress as people see it, and stopping it.
import { expect, it } from 'vitest';
import { noteActivity } from '#db/planning/runs.ts';
import { person } from '#domain/people/actor.ts';
import type { Activity } from '#domain/planning/activity.ts';
import type { ConversationEvent } from '#domain/service.ts';
import { createSlowPlanner } from '../../fixtures/slow-planner.ts';
import { ana, ben } from '../../setup/instance.ts';
import { useInstance } from '../../setup/use-instance.ts';
import { waitFor } from '../../wait.ts';

const { planner, begun } = createSlowPlanner();
const instance = useInstance({ planner });

function follow(conversation: string) {
  const leaving = new AbortController();
  const told: string[] = [];
  const tell = (happened: ConversationEvent): string => {
    if (happened.kind === 'message') return `${happened.message.author}: ${happened.message.text}`;
    return JSON.stringify(happened.planning?.activity ?? null);
  };
  const following = (async () => {
    const events = instance.service.watchConversation(conversation, 0, leaving.signal);
    for await (const batch of events) told.push(...batch.map(tell));
  })();
  return {
    told,
    async leave() {
      leaving.abort();
      await following;
      return told;
    },
  };
}

const thinking = JSON.stringify({ kind: 'thinking' });
const reading: Activity = { kind: 'reading', operation: 'files_read', what: 'notes/brief.md' };

it('shows thinking at once, then each step, and nothing once the answer is there', async () => {
  const reader = follow('steps');
  const { run_id } = await instance.service.startRun({ text: 'Look', conversation: 'steps' }, ana);
  const turn = await begun('Look');
  await waitFor('thinking', () => reader.told.includes(thinking));
  turn.report(reading);
  await waitFor('reading', () => reader.told.includes(JSON.stringify(reading)));
  expect(await instance.service.getRun(run_id)).toMatchObject({ activity: reading });
  turn.answer('Here it is.');
  await waitFor('the answer', () => reader.told.includes('bot: Here it is.'));
  await waitFor('the end', () => reader.told.at(-1) === 'null');
  const [first, second, ...rest] = (await reader.leave()).filter((one) => one !== 'null');
  // Events of messages and of planning are unordered.
  expect(new Set([first, second])).toEqual(new Set(['person: Look', thinking]));
  expect(rest).toEqual([JSON.stringify(reading), 'bot: Here it is.']);
  expect(await instance.service.getRun(run_id)).not.toHaveProperty('activity');
});

it('changes nothing with a note that comes after the turn', async () => {
  const { run_id } = await instance.service.startRun({ text: 'Late', conversation: 'late' }, ana);
  const turn = await begun('Late');
  turn.answer('Done.');
  await waitFor('the end', async () => {
    const run = await instance.service.getRun(run_id);
    return run.planning_status === 'complete';
  });
  const reader = follow('late');
  await waitFor('the answer', () => reader.told.includes('null'));
  const late = { id: run_id, turn: 1 };
  expect(await noteActivity(instance.db.query, late, reading)).toBe(false);
  await instance.service.say('late', 'Something else', ana);
  const other = await begun('Something else');
  expect(await noteActivity(instance.db.query, { ...late, turn: 0 }, reading)).toBe(false);
  await waitFor('thinking', () => reader.told.includes(thinking));
  other.answer('Well.');
  expect(await reader.leave()).not.toContain(JSON.stringify(reading));
});

it('writes at most about one note a second, the latest', async () => {
  const reader = follow('many');
  await instance.service.startRun({ text: 'Many', conversation: 'many' }, ana);
  const turn = await begun('Many');
  for (let steps = 1; steps <= 500; steps++) turn.report({ kind: 'drafting', steps });
  const last = JSON.stringify({ kind: 'drafting', steps: 500 });
  await waitFor('the last one', () => reader.told.includes(last));
  turn.answer('So many.');
  const notes = (await reader.leave()).filter((one) => one.includes('drafting'));
  expect(notes.length).toBeLessThanOrEqual(2);
});

it('stops the planner for those who may, and says so', async () => {
  const { run_id } = await instance.service.startRun(
    { text: 'Stop me', conversation: 'stop' },
    ana,
  );
  const turn = await begun('Stop me');
  await expect(instance.service.stopRun(run_id, 1, ben)).rejects.toThrow(/Only ana/);
  await expect(instance.service.stopRun(run_id, 2, ana)).rejects.toThrow(
    /Nothing is being planned/,
  );
  expect(turn.signal.aborted).toBe(false);
  const run = await instance.service.stopRun(run_id, 1, ana);
  expect(run).toMatchObject({ planning_status: 'aborted', turn: 1 });
  await waitFor('the planner to hear it', () => turn.signal.aborted);
  const page = await instance.service.messages('stop', { limit: 10 });
  expect(page.map(({ text }) => text)).toEqual([
    'Stop me',
    'Planning stopped. Nothing has changed. Say what you want instead.',
  ]);
  await expect(instance.service.stopRun(run_id, 1, ana)).rejects.toThrow(
    /Nothing is being planned/,
  );
});

it.each(['stop', 'cancel', 'Stop!'])('stops the planner at the word “%s”', async (word) => {
  const conversation = `word-${word}`;
  const asked = `Something long, ${word}`;
  await instance.service.say(conversation, asked, ana);
  const turn = await begun(asked);
  await instance.service.say(conversation, word, ana);
  await waitFor('the planner to hear it', () => turn.signal.aborted);
  const page = await instance.service.messages(conversation, { limit: 10 });
  expect(page.map(({ text }) => text)).toEqual([
    asked,
    word,
    'Planning stopped. Nothing has changed. Say what you want instead.',
  ]);
});

it('begins the next turn with words that its planner did not take up', async () => {
  await instance.service.say('more', 'Plan a', person('ana', 'api'));
  const first = await begun('Plan a');
  await instance.service.say('more', 'and b', person('ana', 'api'));
  expect(first.signal.aborted).toBe(false);
  first.answer('A.');
  const second = await begun('and b');
  const reader = follow('more');
  await waitFor('thinking', () => reader.told.includes(thinking));
  second.answer('Both.');
  await waitFor('the answer', () => reader.told.includes('bot: Both.'));
  expect(await reader.leave()).not.toContain('bot: stopped');
});
