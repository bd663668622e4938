// Near-misses of a decision, such as `approve!`. They decide nothing: their author gets the buttons and the exact word. Pure.

export type NearWord = 'approve' | 'reject' | 'cancel' | 'undo';

const longest = 160;
const it = '(?:it|this|that|them|all|everything|(?:the|this) plan)';

/** The phrases allowed between commas, full stops and “and”. */
const phrases: Record<NearWord, RegExp> = {
  approve: new RegExp(
    `^(?:approved?|(?:please )?(?:approve|run|start|do|ship|execute|launch) ${it}|approve please|i approve(?: of)?(?: ${it})?|lgtm|` +
      `(?:${it} )?(?:looks?|sounds?|is|seems) (?:good|great|fine|right|ok|okay|perfect)(?: to me)?|(?:that's|it's|all) (?:good|great|fine|right|ok|okay|perfect)|` +
      'good|great|fine|perfect|nice|ok|okay|k|yes|yep|yeah|yup|sure|agreed|go|go ahead(?: with (?:it|this|that))?|go for it|please go ahead|proceed|do so|' +
      '[👍✅👌🚀✔☑]+)$',
    'u',
  ),
  reject: new RegExp(
    `^(?:rejected|(?:please )?reject ${it}|no|nope|no way|(?:please )?(?:don't|do not)(?: (?:do|run|start))?(?: ${it})?|not (?:this|that)|[👎❌]+)$`,
    'u',
  ),
  cancel: new RegExp(
    `^(?:cancelled|canceled|(?:please )?(?:cancel|stop|abort|drop|scrap) ${it}|stop|abort|never ?mind|forget (?:it|this|that))$`,
    'u',
  ),
  undo: new RegExp(
    `^(?:(?:please )?(?:undo|revert|roll back|take back)(?: ${it})?|roll ${it} back)$`,
    'u',
  ),
};

/** Allowed with any of them; alone it means nothing. */
const filler = /^(?:please|thanks|thank you|cheers)$/u;

function readParts(text: string): string[] {
  const plain = text
    .normalize('NFKC')
    .toLowerCase()
    .replace(/[\u{fe0f}\u{1f3fb}-\u{1f3ff}]/gu, '')
    .replace(/[’`]/g, "'");
  return plain
    .split(/[,;.!…\n]|\s[-–—]\s|\sand\s/u)
    .map((part) =>
      part
        .trim()
        .replace(/\s+/g, ' ')
        .replace(/ (?:please|thanks|thank you)$/, ''),
    )
    .filter((part) => part !== '');
}

/** The decision that `text` nearly is, or null. Exact words are read before this. */
export function readNearWord(text: string): NearWord | null {
  if (text.length > longest || text.includes('?')) return null;
  const parts = readParts(text).filter((part) => !filler.test(part));
  if (parts.length === 0) return null;
  for (const word of ['approve', 'reject', 'cancel', 'undo'] as const) {
    if (parts.every((part) => part === word || phrases[word].test(part))) return word;
  }
  return null;
}
