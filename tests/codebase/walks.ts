// Counts source files used by walks through the instance. node tests/codebase/walks.ts [--files]
import { Session } from 'node:inspector/promises';
import { join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Chat, startChats } from '../integration/platforms/chats.ts';
import { endServer, startServer } from '../setup/global-database.ts';
import { waitFor } from '../wait.ts';

const root = join(import.meta.dirname, '..', '..');
const approve = { action: 'approve', title: 'Approve' };
const request = 'write "hello" to hello.txt';

type Walk = {
  name: string;
  atMost: number;
  prepare(chat: Chat): Promise<unknown>;
  go(chat: Chat): Promise<unknown>;
};

const see = (chat: Chat, words: RegExp) =>
  waitFor(`a message with ${words}`, () => chat.messages().some((message) => words.test(message)));

const askFor = async (chat: Chat) => {
  await chat.ask(request);
  await see(chat, /countersign:approve|"approve"/);
};

const walks: Record<'slack' | 'teams', Walk> = {
  slack: {
    name: 'Approve in Slack → job → card',
    atMost: 148,
    prepare: askFor,
    async go(chat) {
      await chat.press('ana', 0, approve);
      await see(chat, /✓ Done/);
    },
  },
  teams: { name: 'Teams ask → plan', atMost: 218, prepare: async () => undefined, go: askFor },
};

async function takeFiles(session: Session): Promise<string[]> {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  return result.flatMap(({ url, functions }) => {
    if (!url.startsWith('file:')) return [];
    const path = relative(root, fileURLToPath(url)).split(sep).join('/');
    // The first function of a script is the module itself.
    const ran = functions.slice(1).some(({ ranges }) => (ranges[0]?.count ?? 0) > 0);
    return ran && /^(?:src|adapters|cards|jobs)\//.test(path) ? [path] : [];
  });
}

const server = await startServer();
const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
// Rounds of recovery would add files that no walk needs.
const url = server.server.url.replace(/countersign$/, 'countersign_template');
const chats = await startChats(url, undefined, 3_600_000);
try {
  for (const [platform, walk] of Object.entries(walks)) {
    let files: string[] = [];
    // The first round fills caches; housekeeping may fall into some of the others.
    for (let round = 0; round < 7; round += 1) {
      const chat = chats.open[platform as keyof typeof walks]();
      await walk.prepare(chat);
      await takeFiles(session);
      await walk.go(chat);
      const ran = (await takeFiles(session)).sort();
      files = round < 2 ? ran : ran.filter((file) => files.includes(file));
    }
    console.log(`${walk.name}: ${files.length} files, at most ${walk.atMost}`);
    if (process.argv.includes('--files')) console.log(files.map((file) => `  ${file}`).join('\n'));
    if (files.length > walk.atMost) process.exitCode = 1;
  }
} finally {
  await chats.close();
  await endServer(server);
}
