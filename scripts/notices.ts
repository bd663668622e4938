// Writes THIRD-PARTY-NOTICES: the packages that the program is installed with, their licences, and the texts of those, each once. From the
// lock file and node_modules: `npm run notices`. A licence that is not in the list below stops it: somebody has to read that one first.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
export const noticesFile = join(root, 'THIRD-PARTY-NOTICES');

/** Licences under which a program that is MIT may be installed with the package. */
const accepted = new Set([
  ...['0BSD', 'Apache-2.0', 'BSD-2-Clause', 'BSD-3-Clause', 'BlueOak-1.0.0', 'EPL-2.0', 'ISC'],
  ...[
    'MIT',
    '(MIT OR CC0-1.0)',
    '(MIT OR Apache-2.0)',
    'Python-2.0',
    'PSF-2.0',
    'Unlicense',
    'MPL-2.0',
    'Unicode-3.0',
  ],
  'EPL-2.0 OR GPL-3.0-or-later',
]);

/** Packages that say nothing where npm looks, and what their files say. */
const readByHand: Record<string, string> = { jspath: 'MIT' };

type Locked = { version?: string; license?: string; dev?: boolean; os?: unknown };
type Lock = { packages: { [path: string]: Locked } };

/** The licence files of a package, as one text. */
function readTexts(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}

/** @throws Error that names packages whose licence nobody has accepted yet */
export function buildNotices(): string {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const byText = new Map<string, Set<string>>();
  const unknown = new Set<string>();
  for (const [path, { version, license, dev, os }] of Object.entries(lock.packages)) {
    if (path === '' || dev === true) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = license ?? readByHand[name] ?? 'unknown';
    if (!accepted.has(licence)) unknown.add(`${name} ${version} (${licence})`);
    // Packages for one platform are not installed on others; the list must be the same on all.
    const text = os === undefined ? readTexts(join(root, path)) : '';
    const key = text === '' ? `Licence: ${licence}.` : text;
    byText.set(key, (byText.get(key) ?? new Set()).add(`${name} ${version} (${licence})`));
  }
  if (unknown.size > 0)
    throw new Error(
      `Read these licences and add them to scripts/notices.ts: ${[...unknown].join(', ')}`,
    );
  const parts = [...byText].map(([text, names]) => `${[...names].sort().join('\n')}\n\n${text}\n`);
  const line = `\n${'-'.repeat(80)}\n\n`;
  return `Countersign is installed with the packages below, each under its own licence.\n${line}${parts.sort().join(line)}`;
}

if (import.meta.main) writeFileSync(noticesFile, buildNotices());
