// The roadmap: what comes after what, in waves, and the ways that were compared with the reason for the one taken.
import type { RoadmapMetrics } from '#contracts/planning/roadmap.ts';
import type { SessionCardFacts } from '#contracts/session-card.ts';
import { countOf } from '#contracts/words.ts';
import { makeSection, plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import type { Details, Line, Section } from './view.ts';
import { andMore, formatDuration } from './words.ts';

const wavesAtMost = 8;
const besideAtMost = 4;
const detailsAtMost = 200;

/** Nodes that are worked on: a phase or a goal above them is no place in the order. */
function titlesOf({ outline }: SessionCardFacts): (id: string) => string | null {
  const nodes = outline?.nodes ?? [];
  const parents = new Set(nodes.map(({ parent }) => parent));
  const byId = new Map(nodes.map((node) => [node.id, node]));
  return (id) => {
    const node = byId.get(id);
    if (node === undefined) return showLine(id, 120);
    return parents.has(id) && node.steps.length === 0 ? null : showLine(node.title, 120);
  };
}

function wavesOf(facts: SessionCardFacts): string[][] {
  const titleOf = titlesOf(facts);
  const waves = (facts.roadmap?.waves ?? []).map((wave) =>
    wave.map(titleOf).filter((title) => title !== null),
  );
  return waves.filter((wave) => wave.length > 0);
}

function viewOrder(facts: SessionCardFacts): Section | null {
  const lines = wavesOf(facts).map((wave, at): Line => {
    const beside = wave.slice(0, besideAtMost).join('  ∥  ');
    return plainLine(beside, { lead: `${at + 1}`, note: andMore(wave.length - besideAtMost) });
  });
  return makeSection('order', 'Order', lines, wavesAtMost);
}

function describeMetrics(metrics: RoadmapMetrics): string[] {
  const { makespan_minutes: minutes, width, unchecked_writes, unguarded, checkpoints } = metrics;
  return [
    ...(minutes > 0 ? [`about ${formatDuration(minutes * 60_000)}`] : []),
    width < 2 ? 'one at a time' : `${width} at once`,
    ...(checkpoints > 0 ? [countOf(checkpoints, 'checkpoint')] : []),
    ...(unchecked_writes > 0 ? [`${countOf(unchecked_writes, 'change')} before a check`] : []),
    ...(unguarded > 0
      ? [
          `${countOf(unguarded, 'guarded step')} without a check before ${unguarded === 1 ? 'it' : 'them'}`,
        ]
      : []),
  ];
}

/** The ways compared, the taken one marked in words too. */
function viewWays({ roadmap }: SessionCardFacts): Section | null {
  if (roadmap === null) return null;
  const lines = roadmap.options_tried.map(({ name, differs, metrics }) => {
    const taken = name === roadmap.chosen;
    return plainLine(`${showLine(name, 60)}${taken ? ' (taken)' : ''}`, {
      lead: taken ? '●' : '○',
      note: [showLine(differs, 240).replace(/\.$/, ''), ...describeMetrics(metrics)].join(' · '),
    });
  });
  return makeSection('ways', lines.length > 1 ? 'Ways compared' : 'The only way', lines, 3);
}

function viewReason({ roadmap }: SessionCardFacts): Section | null {
  if (roadmap === null) return null;
  return makeSection('options', 'Why', [plainLine(showLine(roadmap.reason, 400))], 1);
}

export function viewRoadmap(facts: SessionCardFacts): (Section | null)[] {
  return [viewOrder(facts), viewWays(facts), viewReason(facts)];
}

/** Every wave with everything in it; null where the card shows it all. */
export function viewRoadmapDetails(facts: SessionCardFacts): Details | null {
  const waves = wavesOf(facts);
  if (waves.length <= wavesAtMost && waves.every((wave) => wave.length <= besideAtMost)) {
    return null;
  }
  const lines = waves.flatMap((wave, at) =>
    wave.map((title) => plainLine(title, { lead: `${at + 1}` })),
  );
  return {
    title: `The whole order`,
    lines: lines.slice(0, detailsAtMost),
    more: andMore(lines.length - detailsAtMost),
  };
}
