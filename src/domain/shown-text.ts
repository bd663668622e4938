// Makes untrusted text safe to show.

const graphemes = new Intl.Segmenter('en', { granularity: 'grapheme' });

const pictograph = String.raw`[\p{Extended_Pictographic}\p{Emoji_Modifier}\ufe0f]`;
/** Need zero-width joiners. */
const joining = String.raw`[\p{Script=Arabic}\p{Script=Devanagari}\p{Script=Bengali}\p{Script=Gurmukhi}\p{Script=Gujarati}\p{Script=Oriya}\p{Script=Tamil}\p{Script=Telugu}\p{Script=Kannada}\p{Script=Malayalam}\p{Script=Sinhala}\p{Script=Khmer}\p{Script=Myanmar}\p{Script=Mongolian}]`;

/**
 * Could hide, reorder or strike out others. Keeps joiners of emoji and scripts that need them, flag tags of 🏴, and newer emoji.
 */
const hiddenOne = [
  String.raw`[\u{e0020}-\u{e007f}](?<!\u{1f3f4}[\u{e0020}-\u{e007f}]{1,7})`,
  String.raw`[\u200c\u200d](?<!(?:${pictograph}|${joining})[\u200c\u200d])`,
  String.raw`[\ufe0e\ufe0f](?<![\p{Extended_Pictographic}0-9#*][\ufe0e\ufe0f])`,
  // Unassigned, private, format, control; surrogates; invisible letters and marks.
  String.raw`(?![\n\t\u200c\u200d\ufe0e\ufe0f\u{e0020}-\u{e007f}])(?:\p{C}(?<!\p{Extended_Pictographic})|\p{Default_Ignorable_Code_Point})`,
  // Blank signs, striking or enclosing marks, and more marks than any script stacks.
  String.raw`[\u2800\u{1d159}\u{13441}\u{13442}]|(?!\u20e3)\p{Me}|[\u0334-\u0338\u20d2\u20d3\u20d8-\u20da\u20e5\u20e6\u20ea\u20eb\u{1d167}-\u{1d169}]`,
  String.raw`(?<=\p{M}{4})\p{M}|(?<![\p{L}\p{N}\p{S}\p{M}])(?![\u20e3\ufe0e\ufe0f])\p{M}`,
].join('|');
/** A mark after an escaped character is escaped too. */
const hidden = new RegExp(`(?:${hiddenOne})\\p{M}*`, 'gu');
const rightToLeft =
  /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u;

const escapeAll = (characters: string): string =>
  Array.from(
    characters,
    (one) => `\\u{${(one.codePointAt(0) ?? 0).toString(16).toUpperCase()}}`,
  ).join('');

/** As `\u{202E}`; a backslash that could start such an escape is doubled. */
function escapeHidden(text: string): string {
  return text.replace(/\\(?=u\{)/g, '\\\\').replace(hidden, escapeAll);
}

const isolates = /([\u2068\u2069])/u;

function closesIsolates(line: string): boolean {
  let depth = 0;
  for (const [mark] of line.matchAll(/[\u2068\u2069]/gu)) {
    depth += mark === '\u2068' ? 1 : -1;
    if (depth < 0) return false;
  }
  return depth === 0;
}

/** Last guard: escapes everything hidden except closed isolates. */
export function guardDrawn(text: string): string {
  const guard = (part: string) =>
    part.replace(hidden, escapeAll).replace(/[\u2028\u2029]/gu, escapeAll);
  return text
    .split('\n')
    .map((line) =>
      closesIsolates(line)
        ? line
            .split(isolates)
            .map((part) => (isolates.test(part) ? part : guard(part)))
            .join('')
        : guard(line),
    )
    .join('\n');
}

/** Except line breaks and tabs. */
export function hidesSomething(text: string): boolean {
  return text.replace(hidden, '').length < text.length || /[\u2028\u2029]/u.test(text);
}

/** Safe to print. */
export function escapeJson(json: string): string {
  const asEscapes = (run: string) =>
    run.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
  return json.replace(hidden, asEscapes).replace(/[\u2028\u2029]/gu, asEscapes);
}

/** On one line. */
export function cleanLine(text: string): string {
  return text
    .replace(/[\t \r\n\u2028\u2029]+/gu, (run) => (/^ +$/.test(run) ? run : ' '))
    .replace(hidden, escapeAll)
    .trim();
}

/** Several lines, then the names of look-alike hosts. */
export function showText(text: string): string {
  return escapeHidden(text).replace(/[\u2028\u2029]/gu, escapeAll) + nameHosts(text);
}

const latin = /\p{Script=Latin}/u;
const lookAlike =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Armenian}\p{Script=Cherokee}\uff01-\uff5e]\p{M}*/gu;
/** Unusual spaces, and our sign for a line break. */
const oddSpace = /[↵\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]/gu;
const breaks: Record<string, string> = { '\r': '\\r', '\t': '\\t' };

/** Lossless, one line: `↵` for a break; odd spaces and foreign letters within a Latin word escaped. */
export function escapeExact(text: string): string {
  return escapeHidden(
    text.replace(/\\(?=[rt"])/g, '\\\\').replace(/[\r\t]/g, (c) => breaks[c] ?? c),
  )
    .replace(oddSpace, escapeAll)
    .replaceAll('\n', '↵')
    .replace(/[^\s/.,:;@?&=#]+/gu, (word) =>
      latin.test(word) ? word.replace(lookAlike, escapeAll) : word,
    );
}

/** As `escapeExact`; quoted if its ends would be invisible. @param marked always quote */
export function showExact(text: string, marked = false): string {
  const escaped = escapeExact(text);
  const needsMarks =
    marked || escaped === '' || /^ | $| {2}|^"|[🛡⟲✓✕△│“”]|(?<!\S)[·•‧∙⋅・](?!\S)/u.test(escaped);
  return (
    isolateText(needsMarks ? `"${escaped.replaceAll('"', '\\"')}"` : escaped) + nameHosts(text)
  );
}

/** A number, true, false, null, list or record. */
export function readsLikeJson(text: string): boolean {
  const trimmed = text.trim();
  if (/^(?:true|false|null)$/i.test(trimmed)) return true;
  if (/^[[{]/.test(trimmed)) return /[\]}]$/.test(trimmed);
  return trimmed !== '' && !Number.isNaN(Number(trimmed));
}

/** Quoted if confusable: `"false"`, `"1"`, `""`. */
export function showString(text: string): string {
  return showExact(text, readsLikeJson(text));
}

/** Cut between graphemes. @param max UTF-16 code units */
export function cutText(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max < 1) return '';
  let kept = 0;
  for (const { segment } of graphemes.segment(text.slice(0, max + 64))) {
    if (kept + segment.length > max - 1) break;
    kept += segment.length;
  }
  return `${text.slice(0, kept).trimEnd()}…`;
}

const quotation = /(?<!\u2068)“[^“”\u2068\u2069]*”/gu;
const isolated = /\u2068[^\u2068\u2069]*\u2069/gu;

function isolateIn(line: string): string {
  if (!rightToLeft.test(line)) return line;
  const apart = line.replace(quotation, (words) =>
    rightToLeft.test(words) ? `\u2068${words}\u2069` : words,
  );
  // Isolates nest once: quotations in an isolated line.
  const around = apart.replace(isolated, '').replace(isolated, '');
  return rightToLeft.test(around) ? `\u2068${apart}\u2069` : apart;
}

/** Keeps right-to-left text from reordering its surroundings. Idempotent; stored sentences have none. */
export function isolateText(text: string): string {
  return rightToLeft.test(text) ? text.split('\n').map(isolateIn).join('\n') : text;
}

/** The rest needn't be examined. */
function beginning(text: string, max: number): string {
  return text.length <= 4 * max + 200 ? text : text.trimStart().slice(0, 4 * max + 200);
}

/** Cleaned, cut to `max` code units, isolated. */
export function showLine(text: string, max: number): string {
  return nameHostsIn(isolateText(cutText(cleanLine(beginning(text, max)), max)));
}

/** Uncut, for text that people consent to. */
export function showWhole(text: string): string {
  return nameHostsIn(isolateText(cleanLine(text)));
}

/** The last line is cut. */
function cutLines(text: string, max: number): string {
  const kept: string[] = [];
  let left = max;
  for (const line of text.split('\n')) {
    if (line.length > left) {
      if (left > 2) kept.push(cutShown(line, left));
      break;
    }
    kept.push(line);
    left -= line.length + 1;
  }
  return kept.join('\n');
}

const plainMark = /(?<!\\)"/;
const countIn = (text: string, mark: string | RegExp) => text.split(mark).length - 1;

/** Keeps isolates and quotations closed. */
export function cutShown(text: string, max: number): string {
  if (text.length <= max) return text;
  if (text.includes('\n')) return cutLines(text, max);
  const cut = cutWithin(text, max);
  const names = nameHosts(cut);
  // A host whose name was cut off is named again.
  return names === '' || names.length > max / 2 ? cut : cutWithin(text, max - names.length) + names;
}

const closing: Record<string, string> = { '\u2068': '\u2069', '“': '”' };

function closeMarks(cut: string): string {
  const open: string[] = [];
  for (const [mark] of cut.matchAll(/[\u2068\u2069“”]/gu)) {
    const end = closing[mark];
    if (end !== undefined) open.push(end);
    else if (open.at(-1) === mark) open.pop();
  }
  return open.reverse().join('');
}

function cutWithin(text: string, max: number, room = 3): string {
  if (!/[\u2068\u2069“”"]/u.test(text)) return cutText(text, max);
  const cut = cutText(text, max - room);
  const exact = countIn(cut, plainMark) % 2 > countIn(text, plainMark) % 2 ? '"' : '';
  const closed = cut + exact + closeMarks(cut);
  return closed.length > max && room < max ? cutWithin(text, max, room + 1) : closed;
}

/** Could be taken for our separator. */
const separator = /(?<!\S)[·•‧∙⋅・·⸱･]+(?!\S)/gu;

/** After a scheme, user or @, or with an ending that chats link. */
const hostLike = /(?<prefix>\/\/|@)?(?<host>[^\s/?#@:"'“”‘’<>(),;|[\]{}\\]+)/gu;
const linkedEnd =
  /[.．。｡](?:com|net|org|info|biz|io|app|dev|gov|edu|eu|de|uk|fr|nl|ch|at|it|es|us|ca|ru|ua|cn|jp|рф|рус|укр|бел|срб|бг|ею|онлайн|сайт|орг|ком)$/iu;
const ascii = /^\p{ASCII}*$/u;
const hostsNamed = 50;

/** ` (xn--80ak6aa92e.com)`: non-ASCII hosts as DNS sees them. */
function nameHosts(text: string): string {
  if (ascii.test(text)) return '';
  const hosts = new Set<string>();
  for (const { groups } of text.matchAll(hostLike)) {
    const { prefix, host = '' } = groups ?? {};
    if (ascii.test(host) || !/[.．。｡]/u.test(host)) continue;
    if (prefix === undefined && !linkedEnd.test(host)) continue;
    const address = `http://${host.endsWith('…') ? host.slice(0, -1) : host}`;
    if (URL.canParse(address)) hosts.add(new URL(address).hostname);
    if (hosts.size > hostsNamed) break;
  }
  const named = [...hosts].filter((host) => !text.includes(host));
  if (named.length === 0) return '';
  const shown = named.slice(0, hostsNamed);
  return ` (${[...shown, ...(named.length > shown.length ? ['more'] : [])].join(', ')})`;
}

const nameHostsIn = (shown: string): string => shown + nameHosts(shown);

/** One line that can't close its marks. */
function withinMarks(text: string): string {
  return cleanLine(text)
    .replace(/[“„‟〝]/gu, '‘')
    .replace(/[”〞]/gu, '’')
    .replace(/["＂]/gu, "'")
    .replace(separator, escapeAll);
}

/** '' if empty. @param max code units */
export function quoteWords(text: string, max: number): string {
  const words = cutText(withinMarks(beginning(text, max)), Math.max(1, max));
  return words === '' ? '' : `“${words}”${nameHosts(words)}`;
}

/** At most four words, left to right, without our signs. */
const plainName =
  /^(?!.*\/\/)[\p{L}\p{N}@_][\p{L}\p{N}\p{M}@_.:/+'’&#*-]*(?: [\p{L}\p{N}(@][\p{L}\p{N}\p{M}@_.:/+'’&#*)-]*){0,3}$/u;
const joinsSentence = /\b(?:and|or|by|but|before|after|if)\b/iu;

/** Quoted if it could be read as part of our sentence. */
export function quoteName(text: string, max: number): string {
  const line = cleanLine(beginning(text, max));
  const plain = plainName.test(line) && !joinsSentence.test(line) && !rightToLeft.test(line);
  return line === '' || plain ? cutText(line, max) + nameHosts(line) : quoteWords(line, max);
}

/** At the start of our own lines. */
const signsOfOurs = /[🛡⟲⟳↻✓✔☑✅✕✖✗✘❌◷△▲⚠▸■‖●○ⓘ│▰▱∥“”„‟]|^[\p{P}\p{S}]/u;
/** State a decision or fact. */
const wordsOfOurs =
  /\b(?:approved|rejected|cancelled|confirmed|guarded|digest)\b|^(?:reason|error|goal|why|if no|result|evidence)\s*:/iu;

function quoteIf(line: string, looksLikeOurs: boolean, max: number): string {
  const split = line.replace(separator, escapeAll) !== line;
  return split || looksLikeOurs ? quoteWords(line, max) : showLine(line, max);
}

/** Others' line, quoted if it looks like ours. */
export function showTitle(text: string, max: number): string {
  const line = cleanLine(beginning(text, max));
  return quoteIf(line, signsOfOurs.test(line) || wordsOfOurs.test(line), max);
}

/** Quoted if a sign in it looks like ours. */
export function showLabel(text: string, max: number): string {
  const line = cleanLine(beginning(text, max));
  return quoteIf(line, signsOfOurs.test(line), max);
}
