// Fingerprints that tell when docs' pictures are out of date.
import { createHash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../setup/process.ts';
import { drawSlackPage } from './slack-page.ts';
import { type CardState, type ChatName, cardStates, drawState } from './states.ts';
import { drawTeamsPage } from './teams-page.ts';

export type Scheme = 'light' | 'dark';

export const drawnCards = 'docs/cards/drawn.json';
export const drawnConsole = 'docs/console/drawn.json';

export function drawPage(platform: ChatName, state: CardState, scheme: Scheme): string {
  const { card } = drawState(platform, state);
  return platform === 'slack'
    ? drawSlackPage(card, scheme, state.said === null ? state.place : 'conversation')
    : drawTeamsPage(card, scheme);
}

const fingerprint = (text: string) => createHash('sha256').update(text).digest('hex').slice(0, 16);

/** By picture (`proposed-slack`). The drawn page itself has times in this machine's zone. */
export function fingerprintCards(): Record<string, string> {
  const states: [string, CardState][] = Object.entries(cardStates);
  return Object.fromEntries(
    (['slack', 'teams'] as const).flatMap((platform) => {
      const frame = readFileSync(join(root, `tests/pictures/${platform}-page.ts`), 'utf8');
      return states.map(([name, state]) => {
        const { card } = drawState(platform, state);
        return [`${name}-${platform}`, fingerprint(frame + JSON.stringify(card))];
      });
    }),
  );
}

export function fingerprintConsole(): Record<string, string> {
  const files = globSync('adapters/console/page/**/*.{css,html,svg,ts}', { cwd: root }).sort();
  const content = files.map((file) => `${file}\n${readFileSync(join(root, file), 'utf8')}`);
  return { page: fingerprint(content.join('\n')) };
}
