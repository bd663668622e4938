// Changes of an outline's parts in words: "rename phase 1 to Setup", "drop the review phase", "every Tuesday instead". What is
// about single steps is left for those who read that.
import type { OutlineNode, PlanOutline } from '#contracts/planning/outline.ts';
import { makeNode } from '../grammar/make-node.ts';
import { indexOutline } from '../roadmap/outline-index.ts';
import { createNodeFinder, type NodeFinder } from './find-node.ts';
import { readRecurrence } from './recurrences.ts';
import { type TimeContext, takeRule } from './said-times.ts';
import { restoreQuotes, shield } from './shield.ts';

export type ChangedParts = {
  outline: PlanOutline;
  /** What is not about parts. */
  rest: string;
  /** The part into which what is added goes. */
  into: { id: string; node: OutlineNode } | null;
};

const rename =
  /^(?:(?:rename|retitle)\s+(?:the\s+)?(.+?)\s+(?:to|as|into)\s+(.+)|(?:call|name)\s+(?:the\s+)?(plan|project|it|(?:phase|milestone|stage)\s+\S+|\S+\s+(?:phase|milestone|stage))\s+(.+))$/iu;
const remove =
  /^(?:remove|drop|delete|skip|omit|leave\s+out|cut|cancel|without|no)\s+(?:the\s+)?(.+)$/i;
const addPart =
  /^(?:also\s+)?add\s+(?:an?(?:other)?\s+|one\s+more\s+)?(phase|stage|milestone)\s*(\d{0,2})\s*(?:called\s+|named\s+)?([^:]{0,80}?)\s*:\s*(.+)$/i;

export function changeParts(
  given: PlanOutline,
  feedback: string,
  context: TimeContext,
): ChangedParts {
  const shielded = shield(feedback.replace(/^\s*propose changes\s*:\s*/i, ''));
  const restore = (text: string) => restoreQuotes(text, shielded.quotes);
  let outline = given;
  let into: ChangedParts['into'] = null;
  const left: string[] = [];
  const parts = shielded.text.split(
    /\s*;\s+|\.\s+(?=\p{L})|\s*\n+\s*|\s*,?\s+and\s+(?=(?:rename|retitle|drop|remove|skip|call)\b)/iu,
  );
  for (const said of parts) {
    const part = said
      .trim()
      .replace(/^(?:please|and|but|also)\s+/i, '')
      .replace(/[\s.!]+$/, '');
    if (part === '') continue;
    const added = addPart.exec(part);
    if (added !== null && into === null) {
      into = newPart(outline, added);
      left.push(`also ${restore(added[4] ?? '')}`);
      continue;
    }
    const changed = changeOne(outline, part, restore, context);
    if (changed === null) left.push(restore(said.trim()));
    else outline = changed;
  }
  return { outline, rest: left.join('; '), into };
}

function newPart(
  { nodes }: PlanOutline,
  [, kind = 'phase', number = '', title = '']: RegExpExecArray,
): NonNullable<ChangedParts['into']> {
  const ids = new Set(nodes.map(({ id }) => id));
  let count = 1;
  while (ids.has(`part-${count}`)) count += 1;
  const structure = /^milestone$/i.test(kind) ? ('milestone' as const) : ('phase' as const);
  const word = structure === 'phase' ? 'Phase' : 'Milestone';
  const beside = nodes.filter((node) => node.structure === structure).length;
  const name = `${word} ${number === '' ? beside + 1 : number}`;
  const id = `part-${count}`;
  const goal = nodes.find(({ parent }) => parent === null)?.id ?? null;
  return {
    id,
    node: makeNode({
      id,
      parent: goal,
      title: title === '' ? name : `${name}: ${title}`,
      structure,
      level: 2,
      origin: 'user_feedback',
    }),
  };
}

function changeOne(
  outline: PlanOutline,
  part: string,
  restore: (text: string) => string,
  context: TimeContext,
): PlanOutline | null {
  const finder = createNodeFinder(indexOutline(outline));
  const renamed = rename.exec(part);
  if (renamed !== null) {
    const words = renamed[1] ?? renamed[3] ?? '';
    const title = restore(renamed[2] ?? renamed[4] ?? '').replace(/^["“'](.*)["”']$/, '$1');
    return renamePart(outline, words, title, finder);
  }
  const removed = remove.exec(part)?.[1];
  if (removed !== undefined) {
    const whole = findWhole(removed, outline, finder);
    return whole === null || whole.parent === null ? null : withoutPart(outline, whole.id);
  }
  return changeRule(outline, part, context);
}

/** A part that holds others or names a moment; steps are no parts. */
function findWhole(words: string, { nodes }: PlanOutline, finder: NodeFinder): OutlineNode | null {
  const found = finder.find(words, null);
  const node = found.kind === 'found' ? nodes[found.node] : undefined;
  return node === undefined || node.steps.length > 0 ? null : node;
}

function renamePart(
  outline: PlanOutline,
  words: string,
  title: string,
  finder: NodeFinder,
): PlanOutline | null {
  const isAll = /^(?:(?:whole\s+)?(?:plan|project)|it)$/i.test(words);
  const goal = outline.nodes.find(({ parent }) => parent === null) ?? null;
  const node = isAll ? goal : findWhole(words, outline, finder);
  if (node === null) return null;
  const nodes = outline.nodes.map((one) => (one === node ? { ...one, title } : one));
  return { ...outline, nodes, ...(node.parent === null ? { title: title.slice(0, 300) } : {}) };
}

function withoutPart(outline: PlanOutline, id: string): PlanOutline {
  const gone = new Set([id]);
  for (let size = 0; size !== gone.size; ) {
    size = gone.size;
    for (const node of outline.nodes) if (gone.has(node.parent ?? '')) gone.add(node.id);
  }
  const nodes = outline.nodes
    .filter((node) => !gone.has(node.id))
    .map((node) => ({ ...node, after: node.after.filter((edge) => !gone.has(edge.id)) }));
  return { ...outline, nodes };
}

/** "Every Tuesday instead": of the one part that comes again, or the one that is named. The hour stays if none is said. */
function changeRule(outline: PlanOutline, part: string, context: TimeContext): PlanOutline | null {
  const read = readRecurrence(part);
  const taken = read === null ? null : takeRule(part, context);
  if (read === null || taken === null) return null;
  const words = taken.rest
    .replace(
      /\b(?:instead(?: of .*)?|please|only|do it|make it|run it|run|do|change|move|to)\b/gi,
      ' ',
    )
    .replace(/\s+/g, ' ')
    .trim();
  const again = outline.nodes.filter(({ recurs }) => recurs !== null);
  const finder = createNodeFinder(indexOutline(outline));
  const found = words === '' ? null : finder.find(words, null);
  const node =
    found === null
      ? again.length === 1
        ? again[0]
        : undefined
      : found.kind === 'found'
        ? again.find(({ id }) => id === outline.nodes[found.node]?.id)
        : undefined;
  if (node === undefined || node.recurs === null) return null;
  const rrule = read.assumedHour ? keepHour(taken.rrule, node.recurs.rrule) : taken.rrule;
  const recurs = { ...node.recurs, rrule, until: taken.recurs.until ?? node.recurs.until };
  const nodes = outline.nodes.map((one) => (one.id === node.id ? { ...one, recurs } : one));
  return { ...outline, nodes };
}

function keepHour(rule: string, old: string): string {
  return rule.replace(
    /BY(HOUR|MINUTE)=[\d,]+/g,
    (same, unit: string) => new RegExp(`BY${unit}=[\\d,]+`).exec(old)?.[0] ?? same,
  );
}
