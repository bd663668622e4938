// What acknowledging is compared with, as a program of its own: Bolt over HTTP with its own check of signatures, and a
// handler that does nothing. It stores nothing; what it acknowledges and does not finish is lost.
import { App, HTTPReceiver, LogLevel } from '@slack/bolt';

const receiver = new HTTPReceiver({
  signingSecret: process.env.SLACK_SIGNING_SECRET ?? '',
  logLevel: LogLevel.ERROR,
});
const app = new App({
  receiver,
  logLevel: LogLevel.ERROR,
  authorize: async () => ({ botToken: 'xoxb-bench', botId: 'B1', botUserId: 'UBOT' }),
});
app.event('message', async () => {});

const server = await receiver.start({ host: '127.0.0.1', port: 0 });
const address = server.address();
const port = typeof address === 'object' && address !== null ? address.port : 0;
console.log(`Listening at http://127.0.0.1:${port}`);
process.once('SIGTERM', () => void receiver.stop());
