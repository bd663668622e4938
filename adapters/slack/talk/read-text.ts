// Turns Slack messages into plain text.
// https://docs.slack.dev/messaging/formatting-message-text
import { trimBlanks } from '#domain/words.ts';

const markup = /<([^<>]+)>/g;

export function mentionedIn(text: string): string[] {
  return [...text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g)].flatMap(([, user]) => user ?? []);
}

function decode(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

function hrefOf(address: string): string | null {
  return URL.canParse(address) ? new URL(address).href : null;
}

/** Linked by Slack: `notes.md` as `http://notes.md`. */
function isAutomatic(target: string, label: string): boolean {
  const [, scheme = '', rest = ''] = /^([a-z][a-z0-9+.-]*:(?:\/\/)?)(.*)$/is.exec(target) ?? [];
  if (scheme === '') return false;
  if (target === label || rest === label) return true;
  if (/^tel:$/i.test(scheme)) return rest.replace(/\D/g, '') === label.replace(/\D/g, '');
  if (!/^(?:https?:\/\/|mailto:)$/i.test(scheme) || /[\s@]/.test(label)) return false;
  const href = hrefOf(target);
  return href !== null && (href === hrefOf(`${scheme}${label}`) || href === hrefOf(label));
}

function readLink(target: string, label: string): string {
  const plain = decode(target);
  const shown = decode(label);
  if (shown === '') return target.replace(/^(?:mailto|tel):/, '');
  return isAutomatic(plain, shown) ? label : `${label} (${target})`;
}

/** `<!date^1700000000^{date}^https://…|today>` */
function readDate(target: string): string {
  const at = new Date(Number(target.split('^')[1]) * 1000);
  return Number.isNaN(at.getTime()) ? '' : at.toISOString();
}

function readMark(mark: string, names: ReadonlyMap<string, string>): string {
  const bar = mark.indexOf('|');
  const [target, label] = bar < 0 ? [mark, ''] : [mark.slice(0, bar), mark.slice(bar + 1)];
  if (target.startsWith('@')) return `@${names.get(target.slice(1)) ?? (label || target.slice(1))}`;
  if (target.startsWith('#')) return `#${label || target.slice(1)}`;
  if (target.startsWith('!subteam'))
    return label || (names.get(target.slice('!subteam^'.length)) ?? '@group');
  if (target.startsWith('!date')) return label || readDate(target);
  if (target.startsWith('!')) return `@${target.slice(1)}`;
  return readLink(target, label);
}

const ownName = 'Countersign';

/** @param bot dropped at either end of the text */
export function readPlainText(
  text: string,
  names: ReadonlyMap<string, string>,
  bot: string | null,
): string {
  const read = (bot === null ? text : dropAddress(text, bot)).replace(markup, (_, mark: string) =>
    readMark(mark, names),
  );
  return trimBlanks(decode(read));
}

function dropAddress(text: string, bot: string): string {
  const mention = `<@${RegExp.escape(bot)}(?:\\|[^<>]*)?>`;
  const whole = new RegExp(`^${mention}$`);
  let rest = trimBlanks(text).replace(new RegExp(`^(?:${mention}[\\s:,]*)+`), '');
  while (rest.endsWith('>')) {
    const at = rest.lastIndexOf('<');
    if (at < 0 || !whole.test(rest.slice(at))) break;
    rest = trimBlanks(rest.slice(0, at));
  }
  return rest.replace(new RegExp(mention, 'g'), `@${ownName}`);
}
