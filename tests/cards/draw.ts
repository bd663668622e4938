// Draws every state of a card as Slack and Teams show it, into docs/cards: `npm run cards`. Needs a Chromium; Lato and Open
// Sans, which stand for the platforms' own fonts, are used where they are installed.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { argv, env } from 'node:process';
import type { Browser } from 'playwright-core';
import type { Platform } from '#domain/chat/inbox.ts';
import { openBrowser } from '../setup/chromium.ts';
import { shrinkPng } from './shrink-png.ts';
import { drawSlackPage, slackWidth } from './slack-page.ts';
import { type CardState, cardStates, drawState } from './states.ts';
import { drawTeamsPage, teamsWidth } from './teams-page.ts';

const folder = join(import.meta.dirname, '..', '..', 'docs', 'cards');
const platforms = ['slack', 'teams'] as const satisfies Platform[];
/** Drawn in the dark theme as well. */
const alsoDark = 'proposed';

type Scheme = 'light' | 'dark';

async function takePicture(
  browser: Browser,
  platform: Platform,
  state: CardState,
  scheme: Scheme,
): Promise<Buffer> {
  const { card } = drawState(platform, state);
  const width = platform === 'slack' ? slackWidth : teamsWidth;
  const page = await browser.newPage({ viewport: { width, height: 1 }, colorScheme: scheme });
  try {
    await page.setContent(
      platform === 'slack'
        ? drawSlackPage(card, scheme, state.said === null ? state.place : 'conversation')
        : drawTeamsPage(card, scheme),
    );
    await page.evaluate('document.fonts.ready');
    return shrinkPng(await page.screenshot({ fullPage: true }));
  } finally {
    await page.close();
  }
}

function describeIndex(states: [string, CardState][]): string {
  const rows = states.map(([name, { about }]) => {
    const pictures = platforms.map((platform) => `![${about}](${name}-${platform}.png)`);
    return `| ${about} | ${pictures.join(' | ')} |`;
  });
  const dark = platforms.map(
    (platform) => `![In the dark theme](${alsoDark}-${platform}-dark.png)`,
  );
  return [
    '# Cards',
    '',
    'Every state in which Slack and Teams show a plan or a planning session, drawn by `npm run cards` from sample facts:',
    'Block Kit by `slack-blocks-to-jsx`, Adaptive Cards by the official renderer with a host configuration like that of Teams.',
    '',
    '| State | Slack | Teams |',
    '|---|---|---|',
    ...rows,
    `| In the dark theme | ${dark.join(' | ')} |`,
    '',
  ].join('\n');
}

/** Draws the states that are named, or all of them and their index. */
async function drawAll(browser: Browser, named: string[]): Promise<void> {
  const all: [string, CardState][] = Object.entries(cardStates);
  const states = named.length === 0 ? all : all.filter(([name]) => named.includes(name));
  await mkdir(folder, { recursive: true });
  const written = new Set<string>(['README.md']);
  const keep = async (name: string, png: Buffer) => {
    written.add(name);
    await writeFile(join(folder, name), png);
    console.log(`${name}: ${png.length} bytes`);
  };
  for (const [name, state] of states) {
    for (const platform of platforms) {
      await keep(`${name}-${platform}.png`, await takePicture(browser, platform, state, 'light'));
      if (name !== alsoDark) continue;
      const dark = await takePicture(browser, platform, state, 'dark');
      await keep(`${name}-${platform}-dark.png`, dark);
    }
  }
  if (named.length > 0) return;
  await writeFile(join(folder, 'README.md'), describeIndex(all));
  for (const name of await readdir(folder)) {
    if (!written.has(name)) await rm(join(folder, name));
  }
}

if (import.meta.main) {
  env.TZ = 'Europe/Madrid';
  const browser = await openBrowser();
  try {
    await drawAll(browser, argv.slice(2));
  } finally {
    await browser.close();
  }
}
