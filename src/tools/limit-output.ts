// Makes outputs storable and limits their size.
import { z } from 'zod';
import { isObject, type Json, makeStorable, makeStorableText } from '#domain/text.ts';
import type { ToolOutput } from '#domain/tool.ts';

export const maxOutputBytes = 1_000_000;
const maxSummary = 300;
const maxFinding = 2000;
const maxFindings = 20;
const previewLength = 10_000;

/** For data that is too large and has no long text to cut. */
export const Preview = z
  .strictObject({
    truncated: z.literal(true),
    note: z.string(),
    size_bytes: z.number().int(),
    preview: z.string(),
  })
  .describe('Instead, when the result is too large to keep.');

/** `limit` is in bytes of JSON. */
export function limitOutput(output: ToolOutput, limit: number = maxOutputBytes): ToolOutput {
  const summary = toLine(output.summary, maxSummary);
  const data = output.data === null ? null : limitData(output.data, limit);
  if (output.findings === undefined) return { summary, data };
  const findings = output.findings.slice(0, maxFindings).map((finding) => ({
    ...finding,
    message: toLine(finding.message, maxFinding),
  }));
  return { summary, data, findings };
}

const textKeys = new Set(['text', 'content', 'contents', 'body', 'result', 'message', 'preview']);
/** Characters. */
const longestName = 1000;

/** In a cut output, names and numbers are complete, but lists and texts aren't. */
export function isShortened(output: Json, keys: string[], value: Json): boolean {
  if (!isObject(output) || output.truncated !== true) return false;
  if (typeof value === 'object') return value !== null;
  if (typeof value !== 'string') return false;
  return value.length > longestName || keys.some((key) => textKeys.has(key));
}

export function toLine(text: string, max: number): string {
  const line = makeStorableText(text).replace(/\s+/g, ' ').trim();
  return line.length <= max ? line : `${cutText(line, max - 1)}…`;
}

/** UTF-16 units, never splitting a character. */
export function cutText(text: string, length: number): string {
  const cut = text.slice(0, length);
  return cut.isWellFormed() ? cut : cut.slice(0, -1);
}

function limitData(data: Json, limit: number): Json {
  const clean = makeStorable(data);
  const size = byteLength(clean);
  if (size <= limit) return clean;
  return cutLongestText(clean, size, limit) ?? toPreview(clean, size);
}

function cutLongestText(data: Json, size: number, limit: number): Json | null {
  if (!isObject(data)) return null;
  let longest: { key: string; text: string } | null = null;
  for (const [key, value] of Object.entries(data)) {
    if (typeof value === 'string' && value.length > (longest?.text.length ?? 0))
      longest = { key, text: value };
  }
  if (longest === null) return null;
  const { key, text } = longest;
  const bytes = byteLength(text);
  const room = limit - (size - bytes) - 200;
  if (room < 1000) return null;
  // A character takes up to six bytes in JSON: shrink by the actual ratio.
  for (let length = Math.floor((text.length * room) / bytes); length > 0; ) {
    const kept = cutText(text, length);
    const mark = `\n[cut: the first ${kept.length} of ${text.length} characters]`;
    const result = { ...data, [key]: kept + mark, truncated: true };
    if (byteLength(result) <= limit) return result;
    length = Math.floor(length * 0.8);
  }
  return null;
}

function toPreview(data: Json, size: number): z.output<typeof Preview> {
  return {
    truncated: true,
    note: `The result was too large (${size} bytes) and only its beginning was kept.`,
    size_bytes: size,
    preview: cutText(JSON.stringify(data), previewLength),
  };
}

function byteLength(data: Json): number {
  return Buffer.byteLength(JSON.stringify(data));
}
