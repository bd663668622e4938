// Shared by tests of sessions in chats: an instance with a staged planner on one platform. Each test reads only its own channel.
import { afterAll, beforeAll, beforeEach } from 'vitest';
import type { ChatPlace } from '#domain/chat/chat.ts';
import { openPlatform } from '../../fixtures/chat-platform.ts';
import { stagedPlanner } from '../../fixtures/staged-planner.ts';
import { ana, type TestInstance } from '../../setup/instance.ts';
import { waitFor } from '../../wait.ts';
import { open, openPostingInstance } from './bench.ts';

export function useSessions(database: { url: string }) {
  const platform = openPlatform();
  let instance: TestInstance;
  let channels = 0;
  let threads = 0;
  const planner = stagedPlanner(() => instance.db.query);

  beforeAll(async () => {
    instance = await openPostingInstance(database.url, { platform: () => platform, planner });
  });
  afterAll(() => instance.close());
  beforeEach(() => {
    channels += 1;
    platform.before = () => {};
  });

  const isHere = ({ channel }: ChatPlace) => channel === `C${channels}`;
  const standing = () => platform.standing.filter(({ place }) => isHere(place));
  const cards = () => standing().map(({ content }) => JSON.stringify(content.card));
  return {
    instance: () => instance,
    platform,
    isHere,
    standing,
    cards,
    card: (at: number) => cards().at(at) ?? '',
    /** A conversation in a new thread of the test's channel. */
    thread: (on: ChatPlace['platform'] = 'slack') =>
      open(instance, {
        platform: on,
        tenant: 'T1',
        channel: `C${channels}`,
        thread: `${++threads}`,
      }),
    /** Ana asks for something. @returns the run */
    ask: async (conversation: string, text: string) =>
      (await instance.service.startRun({ text, conversation }, ana)).run_id,
    shown: (words: string) =>
      waitFor(`“${words}”`, () => cards().some((one) => one.includes(words))),
  };
}
