// Reads one or several nodes out of words: "the review", "steps 2 and 3", "phases 1-3", "Design, Build and Test".
import type { FoundNode, NodeFinder } from './find-node.ts';

export type References =
  | { kind: 'found'; nodes: number[] }
  | { kind: 'ambiguous'; nodes: number[] }
  | { kind: 'unknown'; words: string };

const range =
  /^(?:the )?(steps?|tasks?|items?|parts?|phases?|milestones?)\s+(\d+)\s*(?:-|–|to|through)\s*(\d+)$/i;
const counted =
  /^(?:the )?(steps?|tasks?|items?|parts?|phases?|milestones?|checkpoints?)\s+(?=\d|#)/i;
const wholeOf =
  /^(?:all|everything|every (?:step|task|part)|the (?:steps|tasks|parts))(?: (?:the )?(?:steps|tasks|parts|work))?(?: (?:of|in|from|under))\s+/i;
const rangeAtMost = 1000;

/** @param from the node that speaks; null: nobody does */
export function findReferences(words: string, from: number | null, finder: NodeFinder): References {
  const text = words
    .trim()
    .replace(/^both\s+/i, '')
    .replace(wholeOf, '');
  const names = splitNames(text);
  const { places, stepPlaces } = finder.index;
  const onlyIds = names.length > 1 && names.every((id) => places.has(id) || stepPlaces.has(id));
  const direct: FoundNode = onlyIds ? { kind: 'unknown' } : finder.find(text, from);
  if (direct.kind === 'found') return { kind: 'found', nodes: [direct.node] };
  if (names.length < 2)
    return direct.kind === 'ambiguous' ? direct : { kind: 'unknown', words: text };
  const nodes = new Set<number>();
  for (const name of names) {
    const found = finder.find(name, from);
    switch (found.kind) {
      case 'found':
        nodes.add(found.node);
        break;
      case 'ambiguous':
        return found;
      case 'unknown':
        return direct.kind === 'ambiguous' ? direct : { kind: 'unknown', words: name };
      default:
        return found satisfies never;
    }
  }
  return { kind: 'found', nodes: [...nodes] };
}

/** "steps 2, 3 and 5" are "step 2", "step 3" and "step 5". */
export function splitNames(text: string): string[] {
  const between = range.exec(text);
  if (between) {
    const [first, last] = [Number(between[2]), Number(between[3])];
    const kind = (between[1] ?? 'step').replace(/s$/i, '');
    if (last < first || last - first >= rangeAtMost) return [];
    return Array.from({ length: last - first + 1 }, (_, at) => `${kind} ${first + at}`);
  }
  const kind = counted.exec(text)?.[1]?.replace(/s$/i, '');
  return text
    .split(/\s*,\s*(?:and\s+)?|\s+and\s+|\s*&\s*|\s*;\s*/i)
    .map((name) => name.trim())
    .filter((name) => name !== '')
    .map((name) => (kind !== undefined && /^#?\d+$/.test(name) ? `${kind} ${name}` : name));
}
