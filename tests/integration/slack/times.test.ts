// Times that people speak of are theirs: what they ask for "at 9:30" is planned at their 9:30, wherever the instance is, and cards that
// several read say whose times they show.
import { expect, test } from 'vitest';
import { person } from '#domain/people/actor.ts';
import { useDatabase } from '../../setup/database.ts';
import { waitFor } from '../../wait.ts';
import { askFor, type Desk, seeCard, useDesk } from './desk.ts';

const database = useDatabase();
const written = (value: unknown) => JSON.stringify(value);

/** The local time at which each step of the plan begins. */
async function startsOf({ instance }: Desk, id: string, timeZone: string): Promise<string[]> {
  const { steps } = await instance.service.listSteps(id, { limit: 10 });
  return steps.map(({ not_before }) =>
    new Date(not_before ?? 0).toLocaleTimeString('en-GB', {
      ...{ timeZone, hour: '2-digit', minute: '2-digit' },
    }),
  );
}

test('what is asked for in a direct message is planned by the clock of whoever asks', async () => {
  const desk = await useDesk(database);
  const { slack } = desk;
  const aiko = slack.addUser({ name: 'aiko', tz: 'Asia/Tokyo' });
  const dm = slack.direct(aiko.id).id;
  await slack.say(aiko.id, dm, 'Tomorrow at 9:30 write hello to a.txt');
  const card = await waitFor('the card', async () =>
    slack.messages(dm).find(({ blocks }) => written(blocks).includes('countersign:approve')),
  );
  const id = /PLAN-[0-9a-f]{8}/.exec(written(card.blocks))?.[0] ?? '';
  expect(await startsOf(desk, id, 'Asia/Tokyo')).toEqual(['09:30']);
  const times = written(card.blocks).match(/\d\d:\d\d[^",·)]*/g) ?? [];
  expect(times.length).toBeGreaterThan(1);
  // Her own times need no name.
  for (const time of times) expect(time).toMatch(/^09:30(?! GMT)/);
});

test('in a channel the card says whose times it shows, and a change is read in those of who wants it', async () => {
  const desk = await useDesk(database);
  const { slack, instance } = desk;
  const aiko = slack.addUser({ name: 'aiko', tz: 'Asia/Tokyo' });
  const channel = slack.addChannel({ name: 'across', members: [aiko.id] }).id;
  const asking: Desk = { ...desk, ana: aiko, channel };
  const { card, root, plan } = await askFor(asking, 'Tomorrow at 9:30 write hello to a.txt');
  expect(await startsOf(desk, plan.id, 'Asia/Tokyo')).toEqual(['09:30']);
  expect(written(card.blocks)).toContain('09:30 GMT+9');
  const cleo = person('aiko@example.com', 'slack', 'America/New_York');
  const { version, id } = plan;
  await instance.service.proposeChanges(id, { version, feedback: 'at 16:15 instead' }, cleo);
  await waitFor('version 2', async () => (await instance.service.getPlan(id)).version === 2);
  expect(await startsOf(desk, id, 'America/New_York')).toEqual(['16:15']);
  const next = await seeCard(asking, root, 'version 2');
  expect(written(next.blocks)).toMatch(/16:15 (EST|GMT-[45]|EDT)/);
});
