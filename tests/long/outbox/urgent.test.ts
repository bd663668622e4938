// Urgent posts overtake background ones.
import { expect, test } from 'vitest';
import { openPlatform } from '../../fixtures/chat-platform.ts';
import { delivered, open, openPostingInstance } from '../../integration/outbox/bench.ts';
import { useDatabase } from '../../setup/database.ts';
import { ana, noop, openTestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';

const database = useDatabase();

// More than one process posts at once.
const waiting = 60;

test('the outcome of a press is shown before proposals that wait to be posted in other conversations', async () => {
  const platform = openPlatform();
  const gateway = await openTestInstance(database.url, { work: false });
  const poster = await openPostingInstance(database.url, {
    platform: () => platform,
    rule: { callWithinMs: 60_000 },
  });
  const placeOf = (channel: string) => ({
    platform: 'slack' as const,
    tenant: 'T1',
    channel,
    thread: null,
  });
  const propose = async (channel: string) => {
    const conversation = await open(gateway, placeOf(channel));
    return gateway.service.propose({ title: channel, steps: [noop('1')] }, { conversation }, ana);
  };
  const standsIn = (channel: string) =>
    platform.standing.some(({ place }) => place.channel === channel);
  try {
    const pressed = await propose('pressed');
    await waitFor('its card', async () => standsIn('pressed'));
    await delivered(poster);
    const { promise: gate, resolve: openGate } = Promise.withResolvers<void>();
    platform.before = () => gate;
    for (let at = 0; at < waiting; at++) await propose(`waiting ${at}`);
    await waitFor('posts to be under way', async () => platform.calls.length > 8);
    await waitFor('the proposals to be told', async () => {
      const { rows } = await gateway.db.query.execute(
        "select 1 from pgboss.job where name = 'card' and state <= 'active' limit 1",
      );
      return rows.length === 0;
    });
    const { version } = pressed;
    await gateway.service.reject(pressed.id, { version }, ana);
    await waitFor('its outcome to be on its way', async () => {
      const { rows } = await gateway.db.query.execute(
        "select 1 from pgboss.job where name = 'card' and state <= 'active' limit 1",
      );
      return rows.length === 0;
    });
    const before = platform.standing.length;
    platform.before = async () => {};
    openGate();
    await waitFor('the card to change', async () =>
      platform.standing.some(({ place, changes }) => place.channel === 'pressed' && changes > 0),
    );
    expect(platform.standing.length - before).toBeLessThan(waiting / 2);
    await delivered(poster);
    expect(platform.standing.filter(({ place }) => place.channel !== 'pressed')).toHaveLength(
      waiting,
    );
  } finally {
    await poster.close();
    await gateway.close();
  }
});
