// How carefully a person wants work to be done, where they say so: "carefully", "one after another", "as fast as
// possible". Such words inside a task ("write a note saying drive carefully") are no wish about the plan.
import type { RoadmapWay } from '#contracts/planning/roadmap.ts';

const wishes: [RoadmapWay, RegExp][] = [
  [
    'one at a time',
    /\b(?:one (?:after (?:the other|another)|by one|at a time)|(?:strictly |all )?(?:sequential(?:ly)?|in sequence|serially)|step by step|not (?:all )?(?:at once|in parallel|at the same time)|nothing in parallel)\b/i,
  ],
  [
    'checked',
    /\b(?:(?:very |more |extra )?(?:careful(?:ly)?|cautious(?:ly)?)|with (?:great |more )?(?:care|caution)|with (?:a )?checkpoints?|(?:play|keep|to be on) (?:it |the )?safe(?: side)?|safely|(?:take|taking|with) no risks?|double[- ]check)\b/i,
  ],
  [
    'as said',
    /\b(?:as (?:fast|quick(?:ly)?|soon) as (?:possible|you can)|asap|quickly|fast(?:er)?|all at once|in parallel|at the same time|hurry|urgent(?:ly)?|no checkpoints?|without (?:any )?checks?)\b/i,
  ],
];

/** From here on a request may hold somebody's text. */
const opensText =
  /["“”'‘’`«»:]|\b(?:say(?:s|ing)?|that|reading|contain(?:s|ing)?|with (?:the )?(?:text|content|words?|title)|titled|called|named|remind|tell|ask|post|announce|message)\b/i;

/** Words of a request that may be about all of it: what stands at its beginning or its end, outside anybody's text. */
function readEdges(request: string): string[] {
  const text = request.trim().replace(/[.!?]+$/, '');
  const lead = /^(?:please\s+)?([^,;:—]{0,40})[,;:—]/.exec(text)?.[1];
  const open = opensText.exec(text);
  if (open !== null) return lead === undefined ? [] : [lead];
  const tail =
    /(?:^|[\s,;—]+)(?:but |and )?(?:please )?(?:do (?:it|this|that|them) )?([^,;—]{0,40})$/;
  const last = text.split(/[,;—]/).at(-1) ?? '';
  return [lead ?? '', last.length <= 60 ? last : (tail.exec(last)?.[1] ?? '')].filter(
    (words) => words !== '',
  );
}

function findWish(text: string): RoadmapWay | null {
  return wishes.find(([, pattern]) => pattern.test(text))?.[0] ?? null;
}

/** The way that a change request about the order asks for; null: it asks for none. */
export function readWish(feedback: string): RoadmapWay | null {
  return findWish(feedback.slice(0, 5000));
}

/** The way that a request asks for as a whole; null: it says nothing of that. */
export function readRequestWish(request: string): RoadmapWay | null {
  for (const words of readEdges(request.slice(0, 5000))) {
    const bare = words.trim();
    for (const [name, pattern] of wishes) {
      const found = pattern.exec(bare);
      // At the very beginning or end; in the middle the words belong to something else.
      if (found && (found.index === 0 || found.index + found[0].length === bare.length))
        return name;
    }
  }
  return null;
}
