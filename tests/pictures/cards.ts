// Draws every card state on both platforms into docs/cards.
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import sharp, { type Sharp } from 'sharp';
import { root } from '../setup/process.ts';
import { drawnCards, drawPage, fingerprintCards, type Scheme } from './drawn.ts';
import { slackWidth } from './slack-page.ts';
import { type CardState, type ChatName, cardStates } from './states.ts';
import { teamsWidth } from './teams-page.ts';

const docs = join(root, 'docs');
const folder = join(docs, 'cards');
const platforms = ['slack', 'teams'] as const;
const schemes: Scheme[] = ['light', 'dark'];
const widths = { slack: [slackWidth, 390], teams: [teamsWidth, 390] } as const;
const shownInReadme = 'proposed';

async function takePicture(
  browser: Browser,
  platform: ChatName,
  state: CardState,
  look: { scheme: Scheme; width: number },
): Promise<Buffer> {
  const { scheme, width } = look;
  const page = await browser.newPage({ viewport: { width, height: 1 }, colorScheme: scheme });
  try {
    await page.setContent(drawPage(platform, state, scheme));
    await page.evaluate('document.fonts.ready');
    return await page.screenshot({ fullPage: true });
  } finally {
    await page.close();
  }
}

const gap = 16;

/** Side by side, aligned at the top, transparent. */
async function joinPictures(pictures: Buffer[]): Promise<Sharp> {
  const sized = await Promise.all(
    pictures.map(async (input) => {
      const { width, height } = await sharp(input).metadata();
      return { input, width, height };
    }),
  );
  const placed = sized.map(({ input }, index) => {
    const before = sized.slice(0, index).reduce((sum, { width }) => sum + width + gap, 0);
    return { input, left: before, top: 0 };
  });
  const width = sized.reduce((sum, one) => sum + one.width + gap, -gap);
  const height = Math.max(...sized.map((one) => one.height));
  return sharp({ create: { width, height, channels: 4, background: '#0000' } }).composite(placed);
}

async function drawSheet(browser: Browser, platform: ChatName, state: CardState): Promise<Sharp> {
  const pictures: Buffer[] = [];
  for (const width of widths[platform]) {
    for (const scheme of schemes) {
      pictures.push(await takePicture(browser, platform, state, { scheme, width }));
    }
  }
  return joinPictures(pictures);
}

function describeIndex(states: [string, CardState][]): string {
  const rows = states.map(([name, { about }]) => {
    const pictures = platforms.map((platform) => `![${about}](${name}-${platform}.webp)`);
    return `| ${about} | ${pictures.join(' | ')} |`;
  });
  return [
    '# Cards',
    '',
    'Every state in which Slack and Teams show a plan or a planning session, drawn by `npm run pictures cards` from sample facts:',
    'Block Kit by `slack-blocks-to-jsx`, Adaptive Cards by the official renderer with a host configuration like that of Teams. Each',
    'sheet shows it light and dark, in a wide window and on a phone.',
    '',
    '| State | Slack | Teams |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Without names: all states and their index. */
export async function drawCards(browser: Browser, named: string[]): Promise<void> {
  const all: [string, CardState][] = Object.entries(cardStates);
  const states = named.length === 0 ? all : all.filter(([name]) => named.includes(name));
  await mkdir(folder, { recursive: true });
  const written = new Set<string>(['README.md', 'drawn.json']);
  for (const [name, state] of states) {
    for (const platform of platforms) {
      const file = `${name}-${platform}.webp`;
      const sheet = await drawSheet(browser, platform, state);
      const { size } = await sheet
        .webp({ nearLossless: true, quality: 40, effort: 6 })
        .toFile(join(folder, file));
      written.add(file);
      console.log(`${file}: ${size} bytes`);
    }
    if (name !== shownInReadme) continue;
    for (const platform of platforms) {
      const look = { scheme: 'light', width: widths[platform][0] } as const;
      const png = await takePicture(browser, platform, state, look);
      await sharp(png)
        .png({ palette: true, effort: 10 })
        .toFile(join(docs, `${platform}.png`));
    }
  }
  if (named.length > 0) return;
  await writeFile(join(folder, 'README.md'), describeIndex(all));
  await writeFile(join(root, drawnCards), `${JSON.stringify(fingerprintCards(), null, 2)}\n`);
  for (const name of await readdir(folder)) {
    if (!written.has(name)) await rm(join(folder, name));
  }
}
