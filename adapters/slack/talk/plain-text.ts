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

/** @param bot left out where it begins the text: it is the address on the letter, not the letter */
export function readPlainText(
  text: string,
  names: ReadonlyMap<string, string>,
  bot: string | null,
): string {
  const own = bot === null ? /^$/ : new RegExp(`^\\s*<@${bot}(?:\\|[^<>]*)?>[\\s:,]*`);
  return text
    .replace(own, '')
    .replace(markup, (_, mark: string) => readMark(mark, names))
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
    .trim();
}
