// The result of an MCP call as an output. It is data from elsewhere: kept, capped, never obeyed.
import type { CallToolResult } from '@modelcontextprotocol/client';
import { CountersignError } from '#domain/errors.ts';
import { NewFinding } from '#domain/plan/finding.ts';
import { isObject, type Json, JsonObject, JsonValue, parseJson } from '#domain/text.ts';
import type { ToolOutput } from '#domain/tool.ts';
import { countOf, shorten } from '#domain/words.ts';
import { cutText, toLine } from '../limit-output.ts';

const maxErrorText = 2000;

/**
 * `data` is the structured content where there is one, else `{ text }`; other parts are only named. With an output
 * schema the text may stand for the structured content, as servers send it for the sake of older clients.
 * @param promised the tool has an output schema
 * @throws CountersignError tool_failed when the server says the call failed
 */
export function readResult(name: string, result: CallToolResult, promised: boolean): ToolOutput {
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
      : toJson(result);
  return {
    ...(findings.length === 0 ? {} : { findings }),
    summary: summarise(name, text, result),
    data,
  };
}

const summaryAtMost = 200;
const fieldsAtMost = 4;
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
    .slice(0, fieldsAtMost)
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
  return words === '' ? `${name} is done.` : toLine(words, summaryAtMost);
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

function toJson(result: CallToolResult): Json {
  const parsed = JsonValue.safeParse(result.structuredContent);
  // What does not parse has characters that cannot be stored; the cap replaces them afterwards.
  return parsed.success ? parsed.data : JSON.parse(JSON.stringify(result.structuredContent));
}

/** null: it is no JSON object. */
function parseObject(text: string): Json | null {
  try {
    const parsed = JsonObject.safeParse(JSON.parse(text));
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
