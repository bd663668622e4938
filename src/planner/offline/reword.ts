// Says in the planner's own order of words what people put differently: the place or the time first, a wish, "for each".
import { readLeadVerb } from './lexicon.ts';
import { pathPattern } from './paths.ts';

const forEach =
  /^(\s*(?:please\s+)?)for\s+(?:each|every|all)(?:\s+of)?(?:\s+the)?\s+((?:\S+\s+)?(?:files?|documents?|notes))((?:\s+(?:in|inside|under|from)\s+(?:the\s+)?[^\s,:]+(?:\s+(?:folder|directory))?)?)\s*[,:]?\s+([\s\S]+)$/i;

/** "Tomorrow at 8, remind me to …" says "remind me tomorrow at 8 to …". */
const timeFirst =
  /^\s*((?:every|each|on|at|in|tomorrow|today|tonight|next|daily|weekly|monthly)\b[^.;\n]{0,60}?)\s*,?\s+(?:please\s+)?(remind\s+(?:me|us))\b\s*([\s\S]*)$/i;
const wish =
  /^\s*(?:i|we)(?:['’]d|\s+would)?\s+(?:like|want|need)\s+(?=(?:(?:a|an|the|two|three|new|empty|\d+)\s+)+(?:text\s+)?(?:files?|documents?|folders?|notes?)\b)/i;

/** "In the docs folder, create a.txt" says "create a.txt in the docs folder", where that is the place of the text. */
const placeFirst = new RegExp(
  `^\\s*(in(?:side)?\\s+(?:the\\s+)?(?:file\\s+|folder\\s+)?(?:${pathPattern}|[\\p{L}\\p{N}_-]+\\s+(?:folder|directory)))\\s*,?\\s+((?:replace|change|delete|remove|list)\\b[^,;\\n]*)$`,
  'iu',
);

const opening = /^(\s*(?:please\s+)?)first(?:ly)?\s*[,:]?\s+/i;
const following =
  /\s*[;.]\s*(?:and\s+)?(?:then\s+)?(?:second|third|fourth|fifth|last)(?:ly)?\s*[,:]?\s+|\s*[;.]\s*(?:and\s+)?finally\s*[,:]?\s+|\s*;\s*(?:and\s+)?then\s*[,:]?\s+/gi;

/** "First A; second, B; finally, C" says "A, then B, then C". Quoted text is hidden before. */
export function spellOrder(given: string): string {
  const text = given.replace(/\n\s*(?:[-*•]|\d+[.)])\s+(?:and\s+)?then\s+/gi, ', then ');
  if (!opening.test(text) || text.search(following) === -1) return text;
  return text.replace(opening, '$1').replace(following, ', then ');
}

/** "for each file in X, move it to Y" says "move every file in X to Y". */
export function reword(given: string): string {
  const timed = timeFirst.exec(given);
  const asked = /^\s*(?:(?:hey|hi|hello|please)\b[\s,]*)*(?:can|could|would|will)\s+you\b/i.test(
    given,
  );
  const said = given
    .replace(asked ? /\?\s*$/ : /$^/, '')
    .replace(/\s+(?:as well as|along with|together with|plus)\s+(?=\S)/gi, ' and ')
    .replace(/\bwith the name\s+(?=\S)/gi, 'named ');
  const text = timed ? `${timed[2]} ${timed[1]} ${timed[3]}` : said.replace(wish, 'create ');
  const placed = placeFirst.exec(text);
  if (placed?.[1] && placed[2] && readLeadVerb(placed[2])) return `${placed[2]} ${placed[1]}`;
  const match = forEach.exec(text);
  if (!match) return text;
  const [, , kind = 'file', where = '', body = ''] = match;
  return body.replace(
    /\b(?:it|them|that file|the file|this file|each(?: one)?)\b/i,
    `every ${kind.replace(/s$/i, '')}${where}`,
  );
}
