// What somebody wrote, as text: Teams' mentions and marks become what is read there. Pure.
import type { Mention } from '../transport/read-activity.ts';

// Each looks no further than to the next `<`: a text of nothing but beginnings is read in one go all the same.
const mention = /<at(?:\s[^<>]*)?>([^<]*)<\/at>/gi;
/** Stands for the bot's own name: a character that nobody types. */
const self = '\ue000';
const nameIn = (text: string) => text.replace(mention, '$1').trim();
const entities: Record<string, string> = {
  '&nbsp;': ' ',
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#39;': "'",
  '&amp;': '&',
};

/** The name that the text begins with; null: it begins with none. */
export function firstMention(text: string): string | null {
  const [, name] = /^\s*<at(?:\s[^<>]*)?>([^<]*)<\/at>/i.exec(text) ?? [];
  return name === undefined ? null : name.trim();
}

/** Leaves the bot's name out where the text ends with it. What stands before it is not looked for from each blank anew. */
function dropEnd(text: string): string {
  const end = text.trimEnd();
  if (!end.endsWith(self)) return text;
  const blank = /(?:\s|&nbsp;)$/;
  let rest = end.slice(0, -1);
  for (let last = blank.exec(rest.slice(-6)); last !== null; last = blank.exec(rest.slice(-6)))
    rest = rest.slice(0, -last[0].length);
  return rest;
}

/** @param bot whose name is left out where it begins or ends the text: it is the address on the letter, not the letter */
export function readPlainText(
  { text, format, mentions }: { text: string; format: string; mentions: Mention[] },
  bot: string,
): string {
  const own = mentions.filter(({ id }) => id === bot).map(({ text: shown }) => nameIn(shown));
  const named = text
    .replaceAll(self, ' ')
    .replace(mention, (_, name: string) => (own.includes(name.trim()) ? self : `@${name.trim()}`))
    .replace(/^(?:\s|&nbsp;)*(?:\ue000(?:\s|&nbsp;|[:,])*)+/, '');
  const marked = dropEnd(named).replaceAll(self, `@${own[0] ?? ''}`);
  const bare =
    format === 'xml'
      ? marked
          .replace(/<br\s*\/?>/gi, '\n')
          .replace(/<\/?(?:p|div|span|b|i|u|s|em|strong|code|pre)(?:\s[^<>]*)?>/gi, '')
      : marked;
  return bare
    .replace(/&(?:nbsp|lt|gt|quot|#39|amp);/g, (entity) => entities[entity] ?? entity)
    .replaceAll('\u00a0', ' ')
    .replaceAll(/\r\n?/g, '\n')
    .trim();
}
