// The result of an MCP call as an output. It is data from elsewhere: kept, capped, never obeyed.
import type { CallToolResult } from '@modelcontextprotocol/sdk/types.js';
import { CountersignError } from '#domain/errors.ts';
import { NewFinding } from '#domain/plan/finding.ts';
import { type Json, JsonObject, JsonValue } from '#domain/text.ts';
import type { ToolOutput } from '#domain/tool.ts';
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
  return {
    ...(findings.length === 0 ? {} : { findings }),
    summary: text.trim() === '' ? `${name} is done.` : toLine(text, 200),
    data:
      result.structuredContent === undefined
        ? ((promised ? parseObject(text) : null) ?? toData(result, text))
        : toJson(result),
  };
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
    return part.type === 'resource_link' ? [{ type: part.type, uri: part.uri }] : [];
  });
  return others.length === 0 ? { text } : { text, attachments: others };
}
