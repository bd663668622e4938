// The text of an artifact that awaits approval.
import { nameWay } from '#cards/words.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import type { MessageLine } from '#domain/planning/asked-question.ts';
import type { OutlineNode, PlanOutline } from '#domain/planning/outline.ts';
import type { Roadmap } from '#domain/planning/roadmap.ts';
import type { Schedule } from '#domain/planning/schedule.ts';
import { quoteWords } from '#domain/shown-text.ts';
import { countOf, endSentence, listOf, shorten, trimTail } from '#domain/words.ts';
import { formatMoment } from '#timeline/recurrence.ts';
import { detailOf, explainsReasons, lengthOf } from './effects.ts';

const maxTitle = 120;

function limit(lines: string[], most: number, noun: string): string[] {
  const shown = lines.slice(0, most);
  const hidden = lines.length - shown.length;
  return hidden > 0 ? [...shown, `- and ${countOf(hidden, `more ${noun}`)}`] : shown;
}

function drawNode({ title, level, structure }: OutlineNode, top: number): string {
  const mark = structure === 'checkpoint' ? 'Check: ' : '';
  return `${'  '.repeat(Math.max(0, level - top))}- ${mark}${shorten(title, maxTitle)}`;
}

function countStructures({ nodes }: PlanOutline): string {
  const count = (structure: OutlineNode['structure'], noun: string) => {
    const found = nodes.filter((node) => node.structure === structure).length;
    return found === 0 ? [] : [countOf(found, noun)];
  };
  const parts = [
    ...count('phase', 'phase'),
    ...count('milestone', 'milestone'),
    ...count('task', 'task'),
    ...count('checkpoint', 'checkpoint'),
  ];
  return parts.length === 0 ? 'nothing to do yet' : listOf(parts);
}

export function describeOutline(outline: PlanOutline, policy: InteractionPolicy): MessageLine[] {
  const head = `The outline of ${quoteWords(outline.title, maxTitle)} is ready: ${countStructures(outline)}.`;
  const wanted = detailOf(policy);
  const tree = outline.nodes.filter(({ structure }) => structure !== 'goal');
  const top = Math.min(...tree.map(({ level }) => level), 9);
  const drawn = wanted === 'normal' ? tree.filter(({ level }) => level === top) : tree;
  const lines = limit(
    drawn.map((node) => drawNode(node, top)),
    lengthOf(policy).items,
    'line',
  );
  const taken = outline.assumptions.slice(0, lengthOf(policy).items);
  const assumed = taken.length === 0 ? [] : [`I assume: ${taken.map(trimEnd).join('; ')}.`];
  const next =
    "Next I'll put these in order for you to review. Nothing runs until you approve the plan.";
  return [
    { text: head },
    ...(wanted === 'short' ? [] : [endSentence(outline.summary), ...lines].map(onCard)),
    ...assumed.map((text) => ({ text })),
    ...(explainsReasons(policy) ? [{ text: next }] : []),
  ];
}

const trimEnd = (text: string): string => trimTail(text, /[\s.;]/);

export function describeRoadmap(
  roadmap: Roadmap,
  outline: PlanOutline,
  policy: InteractionPolicy,
): MessageLine[] {
  const titles = new Map(outline.nodes.map(({ id, title }) => [id, shorten(title, 60)]));
  const wanted = detailOf(policy);
  const head = `The order is ready: ${quoteWords(nameWay(roadmap.chosen), 200)}, in ${countOf(roadmap.waves.length, 'stage')}.`;
  const waves = roadmap.waves.map(
    (wave, index) => `${index + 1}. ${listOf(limitNames(wave.map((id) => titles.get(id) ?? id)))}`,
  );
  const others = roadmap.options_tried
    .filter(({ name }) => name !== roadmap.chosen)
    .map(({ name, differs }) => `- ${quoteWords(nameWay(name), 200)}: ${endSentence(differs)}`);
  const next =
    "Next I'll work out when each of these happens. Nothing runs until you approve the plan.";
  return [
    { text: head },
    { text: endSentence(roadmap.reason), on_card: true },
    ...(wanted === 'short' ? [] : limit(waves, lengthOf(policy).items, 'stage').map(onCard)),
    ...(wanted === 'full' && others.length > 0 ? ['Also possible:', ...others].map(onCard) : []),
    ...(explainsReasons(policy) ? [{ text: next }] : []),
  ];
}

export function describeSchedule(
  { blocks, starts_at, ends_at, earliest_end, timezone }: Schedule,
  { nodes }: PlanOutline,
  utilisation: number | null,
  policy: InteractionPolicy,
): MessageLine[] {
  const titles = new Map(nodes.map(({ id, title }) => [id, shorten(title, maxTitle)]));
  const say = (iso: string) => formatMoment(new Date(iso), timezone);
  const span = (from: string, to: string) =>
    from === to ? say(from) : `${say(from)} to ${say(to)}`;
  const head =
    starts_at === null || ends_at === null
      ? 'The schedule is ready.'
      : `The schedule is ready: ${span(starts_at, ends_at)} (${timezone}).`;
  const bound =
    earliest_end === undefined || ends_at === null
      ? ''
      : earliest_end < ends_at
        ? ` No order ends earlier than ${say(earliest_end)}.`
        : ' No order ends earlier.';
  const dates = blocks
    .toSorted((a, b) => Date.parse(a.starts_at) - Date.parse(b.starts_at))
    .map(
      (block) =>
        `- ${titles.get(block.node) ?? block.node}: ${span(block.starts_at, block.ends_at)}`,
    );
  const booked =
    utilisation === null
      ? []
      : [
          `Working time between these dates: ${Math.round(utilisation * 100)}% booked, including this plan.`,
        ];
  const next = 'Next you get the plan itself. Nothing runs until you approve it.';
  const shown = detailOf(policy) === 'short' ? [] : limit(dates, lengthOf(policy).items, 'date');
  return [
    { text: head + bound },
    ...[...shown, ...booked].map(onCard),
    ...(explainsReasons(policy) ? [{ text: next }] : []),
  ];
}

const onCard = (text: string): MessageLine => ({ text, on_card: true });

function limitNames(names: string[]): string[] {
  return names.length > 4 ? [...names.slice(0, 3), `${names.length - 3} more`] : names;
}
