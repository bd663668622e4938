// Converts an MCP call result into an output: external data, never obeyed.
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

/** With an output schema, text may replace structured content, as for older clients. @throws `tool_failed` */
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
const telling = ['title', 'name', 'id', 'key', 'status', 'message', 'url', 'html_url', 'link'];

/** `title: Broken · id: 42 · 3 labels`: as many as fit on a line, the most telling first. */
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

function summarise(name: string, text: string, result: CallToolResult): string {
  const links = result.content.flatMap((part) =>
    part.type === 'resource_link' ? [`${part.title ?? part.name}: ${part.uri}`] : [],
  );
  const parsed = parseJson(text);
  const isData = typeof parsed === 'object' && parsed !== null;
  const value = isData || text.trim() === '' ? (result.structuredContent ?? parsed) : undefined;
  const rows = Array.isArray(value)
    ? countOf(value.length, 'item')
    : isObject(value)
      ? tellFields(value)
      : isData
        ? ''
        : text.trim();
  const words = [rows, ...links].filter((part) => part !== '').join(' · ');
  return words === '' ? `${name} is done.` : toLine(words, maxSummary);
}

const Reported = NewFinding.pick({ severity: true, message: true, evidence: true });

function readFindings({ _meta }: CallToolResult): NewFinding[] {
  const listed: unknown = _meta?.['countersign/findings'];
  if (!Array.isArray(listed)) return [];
  return listed.flatMap((one): NewFinding[] => {
    const read = Reported.safeParse(one);
    return read.success ? [{ ...read.data, category: 'reported' }] : [];
  });
}

/** Exact numbers come from the text: the SDK has rounded the content's. @throws `tool_failed` if the text lacks one */
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

/** If it equals `content` apart from rounded numbers. */
function readSame(text: string, content: unknown): Json | undefined {
  try {
    const read = AnyJson.parse(parseExactly(text));
    return isDeepStrictEqual(JSON.parse(text), content) ? read : undefined;
  } catch {
    return undefined; // no exact numbers
  }
}

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
