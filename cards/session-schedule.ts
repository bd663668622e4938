// The schedule: when each part happens in the reader's zone, and where it meets something else in a person's time.
import type { SessionCardFacts } from '#contracts/session-card.ts';
import { countOf } from '#contracts/words.ts';
import { makeSection, plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import type { Details, Line, Section } from './view.ts';
import { andMore, tellSpan, tellTime } from './words.ts';

const blocksAtMost = 12;
const detailsAtMost = 200;

function titleOf({ outline }: SessionCardFacts, id: string): string {
  return showLine(outline?.nodes.find((node) => node.id === id)?.title ?? id, 120);
}

function linesOf(facts: SessionCardFacts): Line[] {
  const blocks = [...(facts.schedule?.blocks ?? [])].sort((a, b) =>
    a.starts_at < b.starts_at ? -1 : Number(a.starts_at > b.starts_at),
  );
  const titles = new Map(facts.outline?.nodes.map(({ id, title }) => [id, title]));
  return blocks.map(({ node, starts_at, ends_at, fixed, holds, person }) =>
    plainLine(showLine(titles.get(node) ?? node, 120), {
      note: [
        tellSpan(starts_at, ends_at, facts),
        ...(person === null ? [] : [showLine(person, 60)]),
        ...(fixed ? ['as you said'] : holds ? [] : ['forecast']),
      ].join(' · '),
    }),
  );
}

function viewConflicts(facts: SessionCardFacts): Section | null {
  const { portfolio, now, viewer } = facts;
  if (portfolio === null) return null;
  const conflicts = portfolio.conflicts.map(({ node, with: other, shift_to }) =>
    plainLine(`${titleOf(facts, node)} meets ${showLine(other, 120)}`, {
      note: shift_to === null ? 'no free time near' : `free ${tellTime(shift_to, { now, viewer })}`,
    }),
  );
  const unread = portfolio.unread.map((text) =>
    plainLine(showLine(text, 200), { note: 'not read' }),
  );
  return makeSection('conflicts', 'Conflicts with other plans', [...conflicts, ...unread], 4);
}

export function viewSchedule(facts: SessionCardFacts): (Section | null)[] {
  const share = facts.portfolio?.utilisation ?? null;
  const busy =
    share === null
      ? null
      : makeSection(
          'options',
          'Working time',
          [plainLine(`${Math.round(share * 100)} % of it is taken`)],
          1,
        );
  return [makeSection('times', 'Dates', linesOf(facts), blocksAtMost), viewConflicts(facts), busy];
}

/** Every block; null where the card shows them all. */
export function viewScheduleDetails(facts: SessionCardFacts): Details | null {
  const lines = linesOf(facts);
  if (lines.length <= blocksAtMost) return null;
  return {
    title: `All ${countOf(lines.length, 'date')}`,
    lines: lines.slice(0, detailsAtMost),
    more: andMore(lines.length - detailsAtMost),
  };
}
