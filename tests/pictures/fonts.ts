// Fonts of card pictures: Lato (Slack), Open Sans for Segoe UI, symbols.
import { readFileSync } from 'node:fs';

function embed(family: string, weight: number, url: string): string {
  const data = readFileSync(new URL(url)).toString('base64');
  return `@font-face { font-family: "${family}"; font-weight: ${weight};
    src: url(data:font/woff2;base64,${data}) format("woff2"); }`;
}

const signs = embed(
  'Signs',
  400,
  import.meta.resolve(
    '@fontsource/noto-sans-symbols-2/files/noto-sans-symbols-2-symbols-400-normal.woff2',
  ),
);

export const slackFonts = [
  embed('Lato', 400, import.meta.resolve('@fontsource/lato/files/lato-latin-400-normal.woff2')),
  embed('Lato', 700, import.meta.resolve('@fontsource/lato/files/lato-latin-700-normal.woff2')),
  embed('Lato', 900, import.meta.resolve('@fontsource/lato/files/lato-latin-900-normal.woff2')),
  signs,
].join('\n');

export const teamsFonts = [
  embed(
    'Open Sans',
    400,
    import.meta.resolve('@fontsource/open-sans/files/open-sans-latin-400-normal.woff2'),
  ),
  embed(
    'Open Sans',
    600,
    import.meta.resolve('@fontsource/open-sans/files/open-sans-latin-600-normal.woff2'),
  ),
  signs,
].join('\n');
