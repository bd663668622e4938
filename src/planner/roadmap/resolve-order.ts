// Moves what was said about order into the `after` of nodes: ids that are titles, timing in words, edges that a model
// gives, and what a person wants changed. What cannot be read is returned as questions.
import type { DependencyType } from '#contracts/plan.ts';
import type { OutlineNode, PlanOutline } from '#contracts/planning/outline.ts';
import type { Adaptation } from '#contracts/planning/trace.ts';
import { OrderEditor } from './apply-links.ts';
import { findEnds } from './events.ts';
import { createNodeFinder, type NodeFinder } from './find-node.ts';
import { titleOf } from './name-nodes.ts';
import { indexOutline } from './outline-index.ts';
import { readWish } from './preference.ts';
import { readDateTiming } from './read-date-timing.ts';
import { readOrderChange } from './read-order-change.ts';
import { readTiming } from './read-timing.ts';

export type GivenEdge = {
  from: string;
  to: string;
  type: DependencyType;
  lag_minutes: number;
  remove: boolean;
};

/** A question about the timing of a node; `choices` are ids, where it asks to choose. */
export type OpenTiming = { node: string; words: string; text: string; choices: string[] };

export type ResolvedOrder = {
  outline: PlanOutline;
  adaptations: Adaptation[];
  open: OpenTiming[];
  /** Why given edges cannot be. */
  refused: string[];
  /** Of what the person wants changed: wishes for a way, which others read, and questions about what cannot be read. */
  feedback: { wishes: string[]; unclear: string[] } | null;
};

export type OrderSources = {
  now: Date;
  timezone: string;
  edges: GivenEdge[] | null;
  feedback: string | null;
  /** What a person answered to questions about timing, by node. */
  answers: ReadonlyMap<string, string>;
};

const waitedForAtMost = 1000;

export function resolveOrder(outline: PlanOutline, sources: OrderSources): ResolvedOrder {
  const editor = new OrderEditor(outline);
  const finder = createNodeFinder(indexOutline(outline));
  readIds(outline, editor, finder);
  const open = outline.nodes.flatMap((node) => settleTiming(node, editor, finder, sources));
  editor.by = 'ai_adaptation';
  const refused = linkGiven(sources.edges ?? [], editor, finder);
  editor.by = 'user_feedback';
  const feedback = sources.feedback === null ? null : changeOrder(sources.feedback, editor, finder);
  const crowded = editor.outline.nodes.find(({ after }) => after.length > waitedForAtMost);
  if (crowded !== undefined)
    refused.push(
      `“${crowded.title.slice(0, 80)}” would wait for ${crowded.after.length} others; ${waitedForAtMost} are the most. Let it wait for the whole they are part of.`,
    );
  return { outline: editor.outline, adaptations: editor.adaptations, open, refused, feedback };
}

/** Precedence may name a title where an id is wanted. What waits for itself, its part or its whole is taken out. */
function readIds({ nodes }: PlanOutline, editor: OrderEditor, finder: NodeFinder): void {
  const { index } = finder;
  nodes.forEach((node, place) => {
    for (const { id, type, lag_minutes } of node.after) {
      if (findEnds(index, { from: id, to: node.id }) !== null) continue;
      const found = index.places.has(id) ? null : finder.find(id, place);
      const other = found?.kind === 'found' ? index.nodes[found.node]?.id : undefined;
      if (other !== undefined) {
        editor.unlink(id, node.id, `“${id}” means ${other}`);
        editor.link({ from: other, to: node.id, type, lag_minutes }, `“${id}” means ${other}`);
      } else if (index.places.has(id))
        editor.unlink(id, node.id, 'nothing waits for itself, its parts or what it is part of');
    }
  });
}

function settleTiming(
  node: OutlineNode,
  editor: OrderEditor,
  finder: NodeFinder,
  { answers, now, timezone }: OrderSources,
): OpenTiming[] {
  const { timing } = node;
  const place = finder.index.places.get(node.id);
  if (timing === undefined || place === undefined) return [];
  const answer = answers.get(node.id);
  const reading = readAnswered(timing, answer, place, finder);
  if (reading.kind === 'read') {
    dropTiming(node.id, editor);
    for (const link of reading.links) editor.link(link, `“${timing}”`);
    return [];
  }
  const date = readDateTiming(answer ?? timing, now, timezone);
  if (date !== null) {
    dropTiming(node.id, editor);
    editor.change(node.id, date);
    editor.adaptations.push({
      what: 'rescheduled',
      node: node.id.slice(0, 500),
      introduced_by: 'system',
      why: `“${timing}” names a time, not an order`.slice(0, 1000),
    });
    return [];
  }
  const title = titleOf(finder.index, node.id);
  const choices = reading.choices.flatMap((choice) => finder.index.nodes[choice]?.id ?? []);
  return [{ node: node.id, words: timing, text: `About “${title}”: ${reading.text}`, choices }];
}

/** The words, or what the person said when asked about them: other words, or the part that was meant. */
function readAnswered(
  timing: string,
  answer: string | undefined,
  place: number,
  finder: NodeFinder,
): ReturnType<typeof readTiming> {
  if (answer === undefined) return readTiming(timing, place, finder);
  const anew = readTiming(answer, place, finder);
  if (anew.kind === 'read') return anew;
  const meant = finder.find(answer.trim().replace(/[.!]+$/, ''), place);
  if (meant.kind !== 'found') return readTiming(timing, place, finder);
  // Where the words fit several parts or none, they mean the one that was named.
  return readTiming(timing, place, {
    index: finder.index,
    find(words, from) {
      const found = finder.find(words, from);
      return found.kind === 'found' ? found : meant;
    },
  });
}

function dropTiming(id: string, editor: OrderEditor): void {
  const { timing: _, ...rest } = editor.node(id);
  editor.replace(rest);
}

function linkGiven(edges: GivenEdge[], editor: OrderEditor, finder: NodeFinder): string[] {
  const refused: string[] = [];
  const find = (words: string): string | null => {
    const found = finder.find(words, null);
    if (found.kind === 'found') return finder.index.nodes[found.node]?.id ?? null;
    refused.push(
      found.kind === 'ambiguous'
        ? `“${words}” fits several nodes; give an id.`
        : `There is no node “${words}”.`,
    );
    return null;
  };
  for (const { from: before, to: behind, type, lag_minutes, remove } of edges) {
    const [from, to] = [find(before), find(behind)];
    if (from === null || to === null) continue;
    if (findEnds(finder.index, { from, to }) === null)
      refused.push(`“${from}” and “${to}” are one, or part of each other.`);
    else if (remove) editor.unlink(from, to, 'it need not wait');
    else editor.link({ from, to, type, lag_minutes }, 'it has to wait', true);
  }
  return refused;
}

function changeOrder(
  feedback: string,
  editor: OrderEditor,
  finder: NodeFinder,
): ResolvedOrder['feedback'] {
  const { changes, rest, unclear } = readOrderChange(feedback, finder);
  for (const change of changes) editor.apply(change, feedback);
  const wishes = rest.filter((words) => readWish(words) !== null);
  const unread = rest
    .filter((words) => readWish(words) === null)
    .map(
      (words) =>
        `“${words.slice(0, 200)}” says no order I can read. Say it as “X before Y”, “X last” or “X and Y in parallel”: which?`,
    );
  return { wishes, unclear: [...unclear, ...unread] };
}
