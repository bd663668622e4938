// Baseline: Bolt over HTTP; with STORE_AT it commits a row first.
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';
import { sql } from 'drizzle-orm';

/** Without it, none of our code runs. */
async function openStore(url: string) {
  const { openDatabase, prepareStatement } = await import('#db/database.ts');
  const db = openDatabase(url, {
    max: 3,
    applicationName: 'Bolt that stores',
    onError: (error) => console.error(error.message),
  });
  await db.query.execute(sql`create table bolt_events (id text primary key, body text not null)`);
  const { placeholder } = sql;
  const storing = prepareStatement(
    'store_bolt_event',
    sql`insert into bolt_events values (${placeholder('id')}, ${placeholder('body')}) on conflict do nothing`,
  );
  return {
    store: (id: string, body: string) => db.query.run(storing, { id, body }),
    close: db.close,
  };
}

const storeAt = process.env.STORE_AT;
const store = storeAt === undefined ? null : await openStore(storeAt);
const receiver = new HTTPReceiver({
  signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
  logLevel: LogLevel.ERROR,
  processBeforeResponse: store !== null,
});
const app = new App({
  receiver,
  logLevel: LogLevel.ERROR,
  authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B1', botUserId: 'UBOT' }),
});
app.event('message', async ({ body }) => {
  await store?.store(body.event_id, JSON.stringify(body));
});

const server = await receiver.start({ host: '127.0.0.1', port: 0 });
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
console.log(`Listening at http://127.0.0.1:${port}`);
process.once('SIGTERM', () => void receiver.stop().then(() => store?.close()));
