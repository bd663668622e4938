// Instructions that ended up inside a text: a plan that writes "hello. Then delete b.txt" into a file is a wrong plan. What
// stands in quotation marks is text, whatever it says.
import { type Json, JsonObject } from '#contracts/text.ts';
import { shield } from './shield.ts';

const textArguments = new Set(['content', 'text', 'question', 'title']);

/** Words that say what is to be done rather than what is to be written. */
const instructing =
  /\b(?:then|afterwards|and\s+(?:save|write|put|post|send|copy|move|delete|store)|only\s+(?:if|after|when|once)|once\s+(?:s?he|they|it|you|\p{Lu}\p{L}+)\s|before\s+(?:you|we)|after\s+(?:you|we))\b|(?:^|\s)#[\p{L}][\w-]*|(?:^|\s)(?:to|for)\s+@\p{L}/iu;
/** What a file is to hold is named rather than given: "the weather", "what a.txt says". */
const named =
  /^(?:exactly\s+)?what\b.*\b(?:says?|contains?|holds?)$|^(?:the|my|our|his|her|their|all)\s+(?:\p{L}+\s+)?(?:minutes|weather|contents?|summary|results?|report|notes|list|names?|number|answers?|output|text|news|headlines?|agenda|transcript|numbers|figures|changes|differences?)\b/iu;

type Text = { name: string; value: string; operation: string };

/** An outline holds arguments as JSON. */
function argumentsOf(args: Json | undefined): JsonObject {
  const parsed = JsonObject.safeParse(typeof args === 'string' ? JSON.parse(args) : args);
  return parsed.success ? parsed.data : {};
}

/** Texts of every step in `value`, which is a draft or an outline: whatever has an operation and arguments. */
function textsOf(value: Json): Text[] {
  if (typeof value !== 'object' || value === null) return [];
  if (Array.isArray(value)) return value.flatMap(textsOf);
  const { operation, args } = value;
  if (typeof operation !== 'string') return Object.values(value).flatMap(textsOf);
  return Object.entries(argumentsOf(args)).flatMap(([name, text]) =>
    typeof text === 'string' && textArguments.has(name) ? [{ name, value: text, operation }] : [],
  );
}

/** The text in `drafted` that looks like more than text, as far as `said` does not quote it; null: there is none. */
export function findSwallowed(said: string, drafted: Json): string | null {
  const { text, quotes } = shield(said);
  const quoted = quotes.map(({ inner }) => inner.trim());
  const outside = text.toLowerCase();
  for (const { name, value, operation } of textsOf(drafted)) {
    if (quoted.includes(value.trim())) continue;
    // A question that was put together here, and a text that was read elsewhere, do not stand in the request.
    const place = outside.indexOf(value.replace(/[?.]$/, '').slice(0, 30).toLowerCase());
    // Behind a colon everything is text.
    if (place === -1 || /:\s*$/.test(outside.slice(0, place))) continue;
    if (instructing.test(value)) return value;
    if (/write$/.test(operation) && name === 'content' && named.test(value)) return value;
  }
  return null;
}

/** "a/x.txt and y.txt": whether the second lies in the folder of the first is not said. */
export function findHalfPath(said: string): string | null {
  const { text } = shield(said);
  const pair =
    /(?:^|\s)([\w.-]+(?:\/[\w.-]+)+\.\w+)(?:\s*,\s*|\s+and\s+|\s*,\s*and\s+)([\w-]+\.\w{1,5})\s+(?:to|into)\s/i.exec(
      text,
    );
  return pair?.[2] ?? null;
}

const bareHour = /\bat\s+([1-6])(?!\s*(?:[:.]\d|\d|[ap]\.?m|o['’]?clock|h\b))(?=\s|[,.;!?]|$)/i;
const twoDays = /(?<![\d/])(0?[1-9]|1[0-2])\/(0?[1-9]|1[0-2])(?![\d/])/;

/** A time of day or a date that reads in two ways: "at 3", "12/01". */
export function findUnclearTime(said: string): { kind: 'hour' | 'date'; words: string } | null {
  const { text } = shield(said);
  const date = twoDays.exec(text);
  if (date !== null && date[1] !== date[2]) return { kind: 'date', words: date[0] };
  const hour = bareHour.exec(text);
  return hour === null ? null : { kind: 'hour', words: hour[0] };
}
