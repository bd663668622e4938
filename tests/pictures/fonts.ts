// The fonts of the card pictures, built into each page: Lato as in Slack, Open Sans for Segoe UI, and one with the signs of cards.
import { readFileSync } from 'node:fs';

function embed(family: string, file: string, weight: number): string {
  const path = new URL(import.meta.resolve(`@fontsource/${file}-${weight}-normal.woff2`));
  const data = readFileSync(path).toString('base64');
  return `@font-face { font-family: "${family}"; font-weight: ${weight};
    src: url(data:font/woff2;base64,${data}) format("woff2"); }`;
}

const signs = embed('Signs', 'noto-sans-symbols-2/files/noto-sans-symbols-2-symbols', 400);

export const slackFonts = [
  ...[400, 700, 900].map((weight) => embed('Lato', 'lato/files/lato-latin', weight)),
  signs,
].join('\n');

export const teamsFonts = [
  ...[400, 600].map((weight) => embed('Open Sans', 'open-sans/files/open-sans-latin', weight)),
  signs,
].join('\n');
