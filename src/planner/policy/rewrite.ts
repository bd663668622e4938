// Wording by style and tone, rule by rule, so that the same text always becomes the same. Quoted words, code, paths and
// addresses are never touched.
import type { InteractionPolicy } from '#contracts/policy.ts';

/** What is left as it stands; looked for from its beginning only, since a text may have no blanks at all. */
const untouched =
  /```[\s\S]*?(?:```|$)|`[^`\n]*`|"[^"\n]*"|“[^”\n]*”|«[^»\n]*»|\bhttps?:\/\/\S+|(?<![^\s`"”»])\S*[\\/]\S*|(?<![\p{L}\p{N}_-])[\p{L}\p{N}_-]+\.\p{L}[\p{L}\p{N}]*(?![\p{L}\p{N}])|(?<![^\s`"”»])\S*@\S+/gu;

type Rule = [RegExp, string];

/** Said by nobody here: apologies, self-abasement, what only fills. */
const always: Rule[] = [
  [
    /(?<!\p{L})(?:i['’]?m|i am|we['’]?re|we are)\s+(?:so |very |really )?sorry(?:,?\s+but)?[,:]?\s+/giu,
    '',
  ],
  [/(?<!\p{L})(?:sorry|unfortunately|apologies|my apologies)(?:,?\s+but[,:]?|[,:.])\s+/giu, ''],
  [/(?<!\p{L})(?:i apologi[sz]e|my apologies|apologies)\b[^.!?\n]*[.!?]\s*/giu, ''],
  [/(?<!\p{L})as an? (?:ai|language)\b[^,.\n]*,\s*/giu, ''],
  [/(?<!\p{L})i['’]?m (?:just|only) an? (?:ai|bot|language model)\b[^.!?\n]*[.!?]\s*/giu, ''],
  [/(?<=[\p{L}\p{N})”"’])!+(?=\s|$)/gu, '.'],
];

const pleasantries: Rule[] = [
  [/^(?:great|good|excellent|nice) (?:question|idea|choice)[.!,]\s*/giu, ''],
  [
    /^(?:sure|certainly|absolutely|of course|gladly|okay|ok|alright|great|perfect|wonderful)(?: thing)?[.!,]\s+/giu,
    '',
  ],
  [/^(?:hello|hi|hey)(?: there| \p{Lu}\p{L}+)?[.!,]\s+/giu, ''],
  [
    /(?:^|(?<=[.!?]\s))(?:i['’]?m|i am|i['’]?d be|i would be) (?:happy|glad|delighted|pleased) to (?:help|assist)[^.!?\n]*[.!?]\s*/giu,
    '',
  ],
  [
    /(?:^|(?<=[.!?]\s))(?:let me know if|feel free to|don['’]?t hesitate to|do not hesitate to|hope this helps|i hope this)[^.!?\n]*[.!?]\s*/giu,
    '',
  ],
];

const fillers: Rule[] = [
  [
    /(?<!\p{L})(?:please note that|note that|it is worth noting that|it should be noted that|keep in mind that|as you can see,|as mentioned(?: before| above)?,|as you know,)\s+/giu,
    '',
  ],
  [
    /(?<!\p{L})(?:basically|essentially|actually|obviously|of course|in fact|generally speaking|to be honest),?\s+/giu,
    '',
  ],
  [/(?<!\p{L})in order to(?!\p{L})/giu, 'to'],
  [/(?<!\p{L})due to the fact that(?!\p{L})/giu, 'because'],
  [/(?<!\p{L})at this point in time(?!\p{L})/giu, 'now'],
  [/(?<!\p{L})(?:really|very|quite|simply) (?=\p{Ll})/gu, ''],
  [/(?<!\p{L})i (?:think|believe|feel) (?:that )?(?=\p{L})/giu, ''],
];

const contracted: Rule[] = [
  [/\b(I) will\b/g, '$1’ll'],
  [/\b(you|we|they|You|We|They) will\b/g, '$1’ll'],
  [/\b(I) am\b/g, '$1’m'],
  [
    /\b(I|you|we|they|You|We|They) have (?=(?:not|made|found|put|read|written|moved|planned|noted|left|taken|asked)\b)/g,
    '$1’ve ',
  ],
  [/\b(you|we|they|You|We|They) are\b/g, '$1’re'],
  [/\b(can)not\b/gi, '$1’t'],
  [/\b(do|does|did|is|are|was|were|has|have|had|would|could|should) not\b/gi, '$1n’t'],
  [/\b([Ii]t|[Tt]hat|[Tt]here) is\b(?=\s)/g, '$1’s'],
];

const expanded: Rule[] = [
  [/\bcan['’]t\b/g, 'cannot'],
  [/\bCan['’]t\b/g, 'Cannot'],
  [/\bwon['’]t\b/g, 'will not'],
  [
    /\b(do|does|did|is|are|was|were|has|have|had|would|could|should|Do|Does|Did|Is|Are)n['’]t\b/g,
    '$1 not',
  ],
  [/\b(I|[Yy]ou|[Ww]e|[Tt]hey|[Ii]t|[Hh]e|[Ss]he|[Tt]hat|[Tt]here)['’]ll\b/g, '$1 will'],
  [/\b(I)['’]m\b/g, '$1 am'],
  [/\b([Yy]ou|[Ww]e|[Tt]hey)['’]re\b/g, '$1 are'],
  [/\b(I|[Yy]ou|[Ww]e|[Tt]hey)['’]ve\b/g, '$1 have'],
  [/\b([Ii]t|[Tt]hat|[Tt]here)['’]s (?=(?:an?|the|no|not|in|on|at|ready|done)\b)/g, '$1 is '],
];

function rulesFor({ tone }: InteractionPolicy, brief: boolean): Rule[] {
  const rules = [...always];
  if (brief || tone === 'clinical') rules.push(...pleasantries, ...fillers);
  if (tone === 'friendly') rules.push(...contracted);
  if (tone === 'clinical') rules.push(...expanded);
  return rules;
}

/** A sentence that loses its beginning begins anew, with a capital. */
function applyRule(text: string, [pattern, replacement]: Rule): string {
  if (replacement !== '') return text.replace(pattern, replacement);
  const withNext = new RegExp(`(?:${pattern.source})+(\\p{Ll})?`, pattern.flags);
  return text.replace(withNext, (match: string, next: string | undefined) => {
    if (next === undefined) return '';
    return /^\p{Lu}/u.test(match) ? next.toUpperCase() : next;
  });
}

const anyMark = /[\uE000-\uF8FF]/g;
const mostMarks = 0xf8ff - 0xe000;
const mostRounds = 20;

/** `text` in the person's tone, and without filling words where they want it brief. */
export function rewriteText(text: string, policy: InteractionPolicy, brief: boolean): string {
  // Characters of the private use area could not be told from the marks that stand for what is left alone.
  if (text.search(anyMark) !== -1) return text;
  const kept: string[] = [];
  const hidden = text.replace(untouched, (piece) => {
    if (kept.length >= mostMarks) return piece;
    kept.push(piece);
    return String.fromCharCode(0xe000 + kept.length - 1);
  });
  const rules = rulesFor(policy, brief);
  let rewritten = hidden;
  // What one rule takes away can bring words together that another one is about.
  for (let round = 0; round < mostRounds; round += 1) {
    const next = rules.reduce(applyRule, rewritten);
    if (next === rewritten) break;
    rewritten = next;
  }
  return rewritten.replace(anyMark, (mark) => kept[mark.charCodeAt(0) - 0xe000] ?? mark).trim();
}
