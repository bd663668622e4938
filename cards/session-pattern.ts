// A pattern that is new and waits for a person's word: what it would be called, and what is known already.
import type { SessionCardFacts } from '#contracts/session-card.ts';
import { makeSection, plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import type { Section } from './view.ts';

/** `proposed:daily_health` → `daily health`. */
function readable(name: string): string {
  return showLine(name.replace(/^proposed:/, '').replaceAll('_', ' '), 120);
}

export function viewPattern({ pattern, rfc }: SessionCardFacts): (Section | null)[] {
  const proposes = rfc?.proposes ?? pattern?.subtype ?? pattern?.pattern_type;
  const isSubtype = pattern !== null && !pattern.pattern_type.startsWith('proposed:');
  const kind = isSubtype ? 'Proposed subtype' : 'Proposed pattern';
  const nearest = isSubtype ? pattern?.pattern_type : pattern?.source_pattern;
  return [
    proposes === undefined
      ? null
      : makeSection('pattern', kind, [plainLine(readable(proposes))], 1),
    nearest === undefined
      ? null
      : makeSection('options', 'Nearest known pattern', [plainLine(readable(nearest))], 1),
  ];
}
