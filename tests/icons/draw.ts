// `npm run icons`: draws the chat apps' icons from the console's icon.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { openBrowser } from '../setup/chromium.ts';

const root = join(import.meta.dirname, '..', '..');
const source = join(root, 'adapters', 'console', 'page', 'icon.svg');

/** Centre and side, in units of the source. */
const mark = { x: 16, y: 17, side: 18 };

type Icon = {
  path: string;
  /** Pixels. */
  size: number;
  /** Side in pixels. */
  mark: number;
  /** Null: transparent. */
  ground: string | null;
  /** Units of the source. */
  strokes: [check: number, line: number];
  /** Opacity. */
  line: number;
};

const icons: Icon[] = [
  {
    path: 'adapters/teams/package/color.png',
    size: 192,
    // Teams may cut the corners; the middle 96 × 96 are always visible.
    mark: 96,
    ground: '#0a58ca',
    strokes: [3, 2],
    line: 0.65,
  },
  {
    path: 'adapters/teams/package/outline.png',
    size: 32,
    mark: 27,
    ground: null,
    // 3 and 2 pixels, as in Teams' own icons. White alone, so the line is as strong as the check.
    strokes: [2, 4 / 3],
    line: 1,
  },
  {
    path: 'docs/slack-icon.png',
    size: 512,
    mark: 300,
    ground: '#0a58ca',
    strokes: [3, 2],
    line: 0.65,
  },
];

function composeSvg({ size, mark: side, ground, strokes, line }: Icon, paths: string[]): string {
  const box = (size * mark.side) / side;
  const [check, under] = paths.map(
    (path, at) =>
      `<path d="${path}" fill="none" stroke="#fff" stroke-width="${strokes[at]}" stroke-linecap="round" stroke-linejoin="round" opacity="${at === 0 ? 1 : line}"/>`,
  );
  const [left, top] = [mark.x - box / 2, mark.y - box / 2];
  const back =
    ground === null
      ? ''
      : `<rect x="${left}" y="${top}" width="${box}" height="${box}" fill="${ground}"/>`;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${size}" height="${size}" viewBox="${left} ${top} ${box} ${box}" style="display:block">${back}${under}${check}</svg>`;
}

/** PNGs by path from the root. */
export async function drawIcons(browser: Browser): Promise<Map<string, Buffer>> {
  const paths = [...(await readFile(source, 'utf8')).matchAll(/ d="([^"]+)"/g)].map(
    ([, path = '']) => path,
  );
  if (paths.length !== 2) throw new Error(`${source} must hold the check and the line, no more`);
  const drawn = new Map<string, Buffer>();
  for (const icon of icons) {
    const page = await browser.newPage({ viewport: { width: icon.size, height: icon.size } });
    await page.setContent(`<body style="margin:0">${composeSvg(icon, paths)}</body>`);
    drawn.set(icon.path, await page.screenshot({ omitBackground: icon.ground === null }));
    await page.close();
  }
  return drawn;
}

if (import.meta.main) {
  const browser = await openBrowser();
  try {
    for (const [path, png] of await drawIcons(browser)) {
      await writeFile(join(root, path), png);
      console.log(`${path}: ${png.length} bytes`);
    }
  } finally {
    await browser.close();
  }
}
