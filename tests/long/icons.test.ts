// Chat apps' icons meet platform rules and match the console's icon.
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { drawIcons } from '../icons/draw.ts';
import { openBrowser } from '../setup/chromium.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string) => readFile(join(root, path));
const color = 'adapters/teams/package/color.png';
const outline = 'adapters/teams/package/outline.png';
const slack = 'docs/slack-icon.png';

let browser: Browser;
let page: Page;
beforeAll(async () => {
  browser = await openBrowser();
  page = await browser.newPage();
}, 300_000); // Chromium may have to be installed first.
afterAll(() => browser?.close());

type Image = { width: number; height: number; pixels: Buffer };

// Runs in the page; text returns faster than arrays.
const look = `async (source) => {
  const image = new Image();
  image.src = source;
  await image.decode();
  const { width, height } = image;
  const context = new OffscreenCanvas(width, height).getContext('2d');
  context.drawImage(image, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  return { width, height, text: Array.from(data, (value) => String.fromCharCode(value)).join('') };
}`;

// RGBA, row by row.
async function decode(png: Buffer): Promise<Image> {
  const source = JSON.stringify(`data:image/png;base64,${png.toString('base64')}`);
  const { text, ...size } = await page.evaluate<{ width: number; height: number; text: string }>(
    `(${look})(${source})`,
  );
  return { ...size, pixels: Buffer.from(text, 'latin1') };
}

const pixelsOf = ({ width, pixels }: Image) =>
  Array.from({ length: pixels.length / 4 }, (_, at) => ({
    x: at % width,
    y: Math.floor(at / width),
    rgb: pixels.subarray(at * 4, at * 4 + 3),
    alpha: pixels[at * 4 + 3] ?? 0,
  }));

test.each([
  [color, 192],
  [outline, 32],
  [slack, 512],
])('%s is a square of %d pixels', async (path, size) => {
  expect(await decode(await read(path))).toMatchObject({ width: size, height: size });
});

test('the outline is white and nothing else, on a ground that is not there', async () => {
  const pixels = pixelsOf(await decode(await read(outline)));
  const seen = pixels.filter(({ alpha }) => alpha > 0);
  expect(seen.length).toBeGreaterThan(100);
  expect(seen.length).toBeLessThan(pixels.length / 2);
  for (const { rgb } of seen) expect(Math.min(...rgb)).toBe(255);
});

test('the coloured one has no hole, and its mark stays within the middle 96 pixels', async () => {
  const pixels = pixelsOf(await decode(await read(color)));
  expect(pixels.every(({ alpha }) => alpha === 255)).toBe(true);
  const marked = pixels.filter(({ rgb }) => rgb.toString('hex') !== '0a58ca');
  expect(marked.length).toBeGreaterThan(500);
  for (const { x, y } of marked) {
    expect(Math.min(x, y)).toBeGreaterThanOrEqual(48);
    expect(Math.max(x, y)).toBeLessThan(144);
  }
});

describe('what "npm run icons" draws', () => {
  test('is what is committed', async () => {
    const drawn = await drawIcons(browser);
    expect([...drawn.keys()].sort()).toEqual([color, outline, slack].sort());
    for (const [path, png] of drawn) {
      const [fresh, kept] = [await decode(png), await decode(await read(path))];
      expect(fresh.pixels.length).toBe(kept.pixels.length);
      // Chromium versions smooth edges a little differently.
      const apart = fresh.pixels.filter(
        (value, at) => Math.abs(value - (kept.pixels[at] ?? 0)) > 64,
      );
      expect(apart.length, path).toBe(0);
    }
  });
});
