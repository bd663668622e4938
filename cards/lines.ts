// Lines and sections with a common "and N more", and the section on blocked steps.
import type { PlanCardFacts } from '#domain/chat/card.ts';
import { describeBlockage } from '#domain/plan/blockage.ts';
import { showLine } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import type { Line, Section, SectionKind } from './view.ts';
import { andMore } from './words.ts';

export function plainLine(text: string, extra: Partial<Line> = {}): Line {
  return { lead: '', text, note: '', quotes: [], aside: '', url: null, ...extra };
}

/** A section of at most `most` lines out of `total`, or null if empty. */
export function makeSection(
  kind: SectionKind,
  label: string,
  lines: Line[],
  most: number,
  total = lines.length,
): Section | null {
  if (total === 0 || lines.length === 0) return null;
  const shown = lines.slice(0, most);
  const hidden = Math.max(0, total - shown.length);
  return { kind, label, lines: shown, hidden, more: andMore(hidden), all: '', inline: '' };
}

/** Sections that an approval binds: if one is cut, it is reviewed first. */
export function isBinding({ kind }: Section): boolean {
  return kind === 'effects' || kind === 'terms';
}

/** `section` with at most `most` lines; omissions are counted. */
export function keepLines(section: Section, most: number): Section {
  const hidden = section.hidden + Math.max(0, section.lines.length - most);
  const lines = section.lines.slice(0, most);
  const more = lines.length === 0 ? countOf(hidden, 'line') : andMore(hidden);
  return { ...section, lines, hidden, more, inline: hidden > section.hidden ? '' : section.inline };
}

const maxLines = 3;

/** @param begun whether the steps wait now, rather than would */
export function viewBlocked({ blocked, labels }: PlanCardFacts, begun: boolean): Section | null {
  const names = new Map(Object.entries(labels));
  const lines = blocked.map((blockage) =>
    plainLine(showLine(describeBlockage(blockage, names, begun), 400), { lead: '△' }),
  );
  return makeSection('blocked', begun ? 'Waiting' : 'Not ready to run', lines, maxLines);
}
