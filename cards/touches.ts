// "Touches": the operations that change something, each with its target, guarded ones first and with a shield.
import type { PlanCardFacts, Touch } from '#contracts/card.ts';
import { countOf } from '#contracts/words.ts';
import { plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import type { Section } from './view.ts';
import { andMore } from './words.ts';

const shield = '🛡';
const linesAtMost = 8;
const targetAtMost = 60;
/** Targets are named one by one as long as they fit in this; after that they are counted. */
const namedAtMost = 60;
/** Operations stand on one line as long as they fit in this. */
const inlineAtMost = 160;

const nouns: Record<string, string> = { workspace: 'file', http: 'address', chat: 'message' };

function nounOf(operation: string): string {
  const tool = operation.split('_')[0] ?? '';
  return nouns[tool] ?? 'target';
}

/** `ana@…`, `a.txt, b.txt`, `3 files`; empty when there is one call without a target. */
function describeTargets(touch: Touch): string {
  const named = touch.targets.map((target) => showLine(target, targetAtMost));
  const all = named.join(', ');
  if (
    named.length > 0 &&
    named.length === touch.count &&
    (named.length === 1 || all.length <= namedAtMost)
  ) {
    return all;
  }
  if (named.length === 0) return touch.count > 1 ? countOf(touch.count, 'time') : '';
  const plural = nounOf(touch.operation) === 'address' ? 'es' : 's';
  const noun = nounOf(touch.operation) + (touch.count === 1 ? '' : plural);
  return named.length === 1 && touch.count > 1
    ? `${named[0]}, ${countOf(touch.count, 'time')}`
    : `${touch.count.toLocaleString('en-US')} ${noun}`;
}

function describeTouch(touch: Touch): { operation: string; targets: string } {
  return { operation: showLine(touch.operation, targetAtMost), targets: describeTargets(touch) };
}

/** The section every open card has; "Reads only" when nothing is changed. */
export function viewTouches(facts: PlanCardFacts): Section {
  const ordered = [...facts.touches].sort((a, b) => Number(b.guarded) - Number(a.guarded));
  const lines = ordered.slice(0, linesAtMost).map((touch) => {
    const { operation, targets } = describeTouch(touch);
    return plainLine(targets === '' ? operation : `${operation} → ${targets}`, {
      lead: touch.guarded ? shield : '',
    });
  });
  const hidden = ordered.length - lines.length;
  const shown = lines.length === 0 ? [plainLine('Reads only')] : lines;
  const words = shown.map((line) => (line.lead === '' ? line.text : `${line.lead} ${line.text}`));
  const more = andMore(hidden);
  const inline = [...words, ...(more === '' ? [] : [more])].join('  ·  ');
  return {
    kind: 'touches',
    label: 'Touches',
    lines: shown,
    hidden,
    more,
    all: '',
    inline: inline.length <= inlineAtMost ? inline : '',
  };
}
