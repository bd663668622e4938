// `npm run pictures [console waiting]`: draws all or the named pictures. Needs Chromium.
import { argv, env } from 'node:process';
import { openBrowser } from '../setup/chromium.ts';
import { drawCards } from './cards.ts';
import { drawConsole } from './console.ts';
import { drawTerminal } from './terminal.ts';

env.TZ = 'Europe/Madrid';
const [kind, ...named] = argv.slice(2);
const browser = await openBrowser();
try {
  if (kind === undefined || kind === 'cards') await drawCards(browser, named);
  if (kind === undefined || kind === 'terminal') await drawTerminal(browser);
  if (kind === undefined || kind === 'console') await drawConsole(browser, named);
} finally {
  await browser.close();
}
