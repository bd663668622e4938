// Repairs tool results whose intent is clear.
import type { JSONRPCMessage, Transport } from '@modelcontextprotocol/client';
import { isObject } from '#domain/text.ts';
import { countOf } from '#domain/words.ts';

const maxShown = 10_000;
const isTrue = (value: unknown): boolean => value === true || value === 'true' || value === 1;

function repairPart(part: unknown): Record<string, unknown> {
  if (typeof part === 'string') return { type: 'text', text: part };
  if (!isObject(part)) return { type: 'text', text: JSON.stringify(part) ?? '' };
  const { annotations: _, _meta, ...rest } = part;
  const has = (...names: string[]) => names.every((name) => typeof rest[name] === 'string');
  switch (rest.type) {
    case 'text':
      return typeof rest.text === 'string' ? rest : { type: 'text', text: toText(rest.text) };
    case 'image':
    case 'audio':
      if (has('data', 'mimeType')) return rest;
      break;
    case 'resource_link':
      if (has('uri'))
        return { ...rest, name: typeof rest.name === 'string' ? rest.name : rest.uri };
      break;
    case 'resource':
      if (isObject(rest.resource) && typeof rest.resource.uri === 'string') return rest;
      break;
    default:
  }
  return { type: 'text', text: toText(rest) };
}

const toText = (value: unknown): string => (JSON.stringify(value) ?? '').slice(0, maxShown);

/** Non-text parts, each validated separately. */
const maxParts = 1000;

function repairParts(given: readonly unknown[]): Record<string, unknown>[] {
  const parts: Record<string, unknown>[] = [];
  let texts: string[] = [];
  let left = 0;
  const closeText = () => {
    if (texts.length > 0) parts.push({ type: 'text', text: texts.join('\n') });
    texts = [];
  };
  for (const one of given) {
    const part = repairPart(one);
    if (part.type === 'text') {
      if (part.text !== '') texts.push(String(part.text));
    } else if (parts.length < maxParts) {
      closeText();
      parts.push(part);
    } else left += 1;
  }
  if (left > 0) texts.push(`[${countOf(left, 'more part')} of the result left out]`);
  closeText();
  return parts;
}

function repairResult(result: Record<string, unknown>): Record<string, unknown> {
  const { content, structuredContent, isError, _meta, ...rest } = result;
  const parts = Array.isArray(content) ? content : content == null ? [] : [content];
  return {
    ...rest,
    content: repairParts(parts),
    ...(isObject(structuredContent)
      ? { structuredContent }
      : structuredContent == null
        ? {}
        : { structuredContent: { result: structuredContent } }),
    ...(isTrue(isError) ? { isError: true } : {}),
    ...(isObject(_meta) ? { _meta } : {}),
  };
}

function repairMessage<M extends JSONRPCMessage>(message: M): M {
  if (!('result' in message) || !isObject(message.result)) return message;
  const { result } = message;
  const isCall = ['content', 'structuredContent', 'isError'].some((name) =>
    Object.hasOwn(result, name),
  );
  return isCall ? { ...message, result: repairResult(result) } : message;
}

export function repairMessages(transport: Transport): void {
  let handler = transport.onmessage;
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => handler,
    set(next: Transport['onmessage']) {
      handler =
        next === undefined ? undefined : (message, extra) => next(repairMessage(message), extra);
    },
  });
}
