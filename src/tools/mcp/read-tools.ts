// Reads a server's untrusted tool list: repairs or leaves out tools.
import type { Tool } from '@modelcontextprotocol/client';
import { errorMessage } from '#domain/errors.ts';
import { isObject } from '#domain/text.ts';
import type { JsonSchema } from '#domain/tool.ts';
import { isStorableText } from '#domain/words.ts';
import { repairSchema } from '../repair-schema.ts';

export type SkippedTool = { name: string; reason: string };
export type ReadTools = { tools: Tool[]; skipped: SkippedTool[] };

export const maxTools = 2000;
const longest = { name: 150, text: 100_000 };

/** `Read.File`, `read_file` and `read-file` could be confused. */
const likenessOf = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');

const textOf = (value: unknown): string | undefined =>
  typeof value === 'string' ? value.slice(0, longest.text).toWellFormed() : undefined;

function readSchema(given: unknown): JsonSchema {
  const schema = isObject(given) ? repairSchema(given) : {};
  const type = schema.type ?? 'object';
  if (type !== 'object' && !(Array.isArray(type) && type.includes('object')))
    throw new Error(`its arguments are ${JSON.stringify(type)} where an object is needed`);
  return { ...schema, type: 'object' };
}

function readOutput(given: unknown): JsonSchema | undefined {
  try {
    return isObject(given) ? repairSchema(given) : undefined;
  } catch {
    return undefined;
  }
}

const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];

function readAnnotations(given: unknown): Tool['annotations'] {
  if (!isObject(given)) return undefined;
  const kept = Object.entries(given).filter(([name, value]) =>
    hints.includes(name)
      ? typeof value === 'boolean'
      : name !== 'title' || typeof value === 'string',
  );
  return Object.fromEntries(kept);
}

function readTool(given: unknown): Tool {
  if (!isObject(given)) throw new Error('it is no object');
  const { name, title, description, inputSchema, outputSchema, annotations, execution } = given;
  if (typeof name !== 'string' || name.trim() === '') throw new Error('it has no name');
  if (name.length > longest.name)
    throw new Error(`its name has more than ${longest.name} characters`);
  if (!isStorableText(name) || /\p{Cc}/u.test(name))
    throw new Error('its name has characters that cannot be shown');
  const output = readOutput(outputSchema);
  const read = {
    name,
    title: textOf(title),
    description: textOf(description),
    inputSchema: readSchema(inputSchema),
    outputSchema: output,
    annotations: readAnnotations(annotations),
    execution: isObject(execution) ? execution : undefined,
  };
  return Object.fromEntries(
    Object.entries(read).filter(([, value]) => value !== undefined),
  ) as Tool; // each part was read above
}

export function readTools(listed: readonly unknown[]): ReadTools {
  const tools: Tool[] = [];
  const skipped: SkippedTool[] = [];
  const names = new Map<string, string>();
  for (const [at, given] of listed.slice(0, maxTools).entries()) {
    const toolName = isObject(given) && typeof given.name === 'string' ? given.name : '';
    const name = toolName.trim() === '' ? `tool ${at + 1}` : toolName.slice(0, longest.name);
    try {
      const tool = readTool(given);
      const alike = names.get(likenessOf(tool.name));
      if (alike !== undefined) throw new Error(`it could be taken for ${alike}`);
      names.set(likenessOf(tool.name), tool.name);
      tools.push(tool);
    } catch (error) {
      skipped.push({ name: name.toWellFormed(), reason: errorMessage(error) });
    }
  }
  if (listed.length > maxTools)
    skipped.push({
      name: `${(listed.length - maxTools).toLocaleString('en-US')} more tools`,
      reason: `a server offers ${maxTools.toLocaleString('en-US')} tools at most`,
    });
  return { tools, skipped };
}
