// What somebody wrote, as text: Slack's markup for people, channels, links and dates becomes what is read there.
// https://docs.slack.dev/messaging/formatting-message-text

const markup = /<([^<>]+)>/g;

/** Whom the text names. */
export function mentionedIn(text: string): string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].flatMap(([, user]) => user ?? []);
}

function readMark(mark: string, names: ReadonlyMap<string, string>): string {
  const bar = mark.indexOf('|');
  const [target, label] = bar < 0 ? [mark, ''] : [mark.slice(0, bar), mark.slice(bar + 1)];
  if (target.startsWith('@')) return `@${names.get(target.slice(1)) ?? (label || target.slice(1))}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!subteam')) return label || '@group';
  if (target.startsWith('!date')) return label;
  if (target.startsWith('!')) return `@${target.slice(1)}`;
  const shown = target.replace(/^(mailto|tel):/, '');
  return label === '' || label === shown ? shown : `${label} (${shown})`;
}

/** The bot's name, as it stands for it in the middle of a text. */
const ownName = 'Countersign';

/** @param bot whose mention is left out where it begins or ends the text: it is the address on the letter, not the letter */
export function readPlainText(
  text: string,
  names: ReadonlyMap<string, string>,
  bot: string | null,
): string {
  return (bot === null ? text : dropAddress(text, bot))
    .replace(markup, (_, mark: string) => readMark(mark, names))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}

function dropAddress(text: string, bot: string): string {
  const mention = `<@${bot}(?:\\|[^<>]*)?>`;
  const whole = new RegExp(`^${mention}$`);
  let rest = text.trim().replace(new RegExp(`^(?:${mention}[\\s:,]*)+`), '');
  while (rest.endsWith('>')) {
    const at = rest.lastIndexOf('<');
    if (at < 0 || !whole.test(rest.slice(at))) break;
    rest = rest.slice(0, at).trimEnd();
  }
  return rest.replace(new RegExp(mention, 'g'), `@${ownName}`);
}
