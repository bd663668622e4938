// The result of an MCP call as an output. It is data from elsewhere: kept, capped, never obeyed.
import { isDeepStrictEqual } from 'node:util';
import type { CallToolResult } from '@modelcontextprotocol/client';
import { CountersignError } from '#domain/errors.ts';
import { mayChange, parseExactly } from '#domain/exact-json.ts';
import { NewFinding } from '#domain/plan/finding.ts';
import { AnyJson, isObject, type Json, JsonObject, parseJson } from '#domain/text.ts';
import type { Effect, ToolOutput } from '#domain/tool.ts';
import { countOf, shorten } from '#domain/words.ts';
import { outcomeUnknown } from '../failures.ts';
import { cutText, toLine } from '../limit-output.ts';

const maxErrorText = 2000;

/**
 * `data` is the structured content where there is one, else `{ text }`; other parts are only named. With an output
 * schema the text may stand for the structured content, as servers send it for the sake of older clients.
 * @param promised the tool has an output schema
 * @param effect what the call may have changed
 * @throws CountersignError tool_failed when the server says the call failed
 */
export function readResult(
  name: string,
  result: CallToolResult,
  promised: boolean,
  effect: Effect = 'read',
): ToolOutput {
  const text = result.content
    .map((part) => {
      if (part.type === 'text') return part.text;
      if (part.type === 'resource' && 'text' in part.resource) return part.resource.text;
      return '';
    })
    .filter((part) => part !== '')
    .join('\n');
  if (result.isError === true)
    throw new CountersignError(
      'tool_failed',
      text.trim() === '' ? `${name} failed without saying why.` : cutText(text, maxErrorText),
    );
  const findings = readFindings(result);
  const data =
    result.structuredContent === undefined
      ? ((promised ? parseObject(text) : null) ?? toData(result, text))
      : readStructured(name, result.structuredContent, text, effect);
  return {
    ...(findings.length === 0 ? {} : { findings }),
    summary: summarise(name, text, result),
    data,
  };
}

const maxSummary = 200;
const maxFields = 4;
/** What people look for first in a record. */
const telling = ['title', 'name', 'id', 'key', 'status', 'message', 'url', 'html_url', 'link'];

/** `title: Broken · id: 42 · 3 labels`: the values of a record that fit on a line, the telling ones first. */
function tellFields(record: Record<string, unknown>): string {
  const rank = (name: string) => (telling.includes(name) ? telling.indexOf(name) : telling.length);
  const fields = Object.entries(record).flatMap(([name, value]): [string, string][] => {
    if (value === null || value === '') return [];
    if (Array.isArray(value)) return [[name, `${name}: ${countOf(value.length, 'item')}`]];
    return isObject(value) ? [] : [[name, `${name}: ${shorten(String(value), 80)}`]];
  });
  const shown = fields
    .toSorted(([a], [b]) => rank(a) - rank(b))
    .slice(0, maxFields)
    .map(([, words]) => words);
  return shown.join(' · ');
}

/** What came back, in a line that people read: never raw JSON. */
function summarise(name: string, text: string, result: CallToolResult): string {
  const links = result.content.flatMap((part) =>
    part.type === 'resource_link' ? [`${part.title ?? part.name}: ${part.uri}`] : [],
  );
  const parsed = parseJson(text);
  const isData = typeof parsed === 'object' && parsed !== null;
  const value = isData || text.trim() === '' ? (result.structuredContent ?? parsed) : undefined;
  const told = Array.isArray(value)
    ? countOf(value.length, 'item')
    : isObject(value)
      ? tellFields(value)
      : isData
        ? ''
        : text.trim();
  const words = [told, ...links].filter((part) => part !== '').join(' · ');
  return words === '' ? `${name} is done.` : toLine(words, maxSummary);
}

/** What a server may report about the step that calls it; what the step is called, it need not know. */
const Reported = NewFinding.pick({ severity: true, message: true, evidence: true });

/** The findings in `_meta["countersign/findings"]`; those that are none are left out. */
function readFindings({ _meta }: CallToolResult): NewFinding[] {
  const listed: unknown = _meta?.['countersign/findings'];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one): NewFinding[] => {
    const read = Reported.safeParse(one);
    return read.success ? [{ ...read.data, category: 'reported' }] : [];
  });
}

/**
 * The structured content, with the numbers of its text: the protocol's library has read the content itself, and rounded it.
 * @throws CountersignError tool_failed for a rounded number that no text has
 */
function readStructured(name: string, content: unknown, text: string, effect: Effect): Json {
  const rounded = findRounded(content, '');
  const exact = rounded !== null || mayChange(text) ? readSame(text, content) : undefined;
  if (exact !== undefined) return exact;
  if (rounded !== null)
    throw new CountersignError(
      'tool_failed',
      `${name} returned a number that cannot be read exactly (${rounded || 'the whole answer'}), so its answer was not used. Its server must send such numbers as text.`,
      { details: effect === 'read' ? {} : outcomeUnknown },
    );
  return AnyJson.parse(content);
}

/** `text` parsed if it equals `content` apart from rounded numbers. */
function readSame(text: string, content: unknown): Json | undefined {
  try {
    const read = AnyJson.parse(parseExactly(text));
    return isDeepStrictEqual(JSON.parse(text), content) ? read : undefined;
  } catch {
    return undefined; // a text that is no JSON says nothing of numbers
  }
}

/** The place of a number that was or may have been rounded; null: there is none. */
function findRounded(value: unknown, place: string): string | null {
  if (typeof value === 'number')
    return Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
      ? null
      : place;
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const found = findRounded(item, `${place}/${key}`);
    if (found !== null) return found;
  }
  return null;
}

/** null: it is no JSON object. */
function parseObject(text: string): Json | null {
  try {
    const parsed = JsonObject.safeParse(parseExactly(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}

function toData(result: CallToolResult, text: string): Json {
  const others = result.content.flatMap((part): Json[] => {
    if (part.type === 'image' || part.type === 'audio')
      return [{ type: part.type, mime_type: part.mimeType, bytes: part.data.length }];
    return part.type === 'resource_link'
      ? [{ type: part.type, uri: part.uri, name: part.title ?? part.name }]
      : [];
  });
  return others.length === 0 ? { text } : { text, attachments: others };
}
