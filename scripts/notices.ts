// `npm run notices`: writes THIRD-PARTY-NOTICES; unknown licences stop it.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const root = join(import.meta.dirname, '..');
export const noticesFile = join(root, 'THIRD-PARTY-NOTICES');

/** Licences compatible with MIT. */
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

/** Silent where npm looks. */
const readByHand: Record<string, string> = { jspath: 'MIT' };

type Locked = { version?: string; license?: string; dev?: boolean; os?: unknown };
type Lock = { packages: { [path: string]: Locked } };

function readTexts(folder: string): string {
  if (!existsSync(folder)) return '';
  return readdirSync(folder)
    .filter((name) => /^(?:licen[cs]e|copying|notice)(?:[.-]|$)/i.test(name))
    .sort()
    .map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n').trim())
    .join('\n\n');
}

/** @throws Error naming unaccepted licences */
export function buildNotices(): string {
  const lock: Lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const byText = new Map<string, Set<string>>();
  const unknown = new Set<string>();
  for (const [path, { version, license, dev, os }] of Object.entries(lock.packages)) {
    if (path === '' || dev === true) continue;
    const name = path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
    const licence = license ?? readByHand[name] ?? 'unknown';
    if (!accepted.has(licence)) unknown.add(`${name} ${version} (${licence})`);
    // The list must not depend on the platform.
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
