// Reading JSON bodies: the framework's safe parser, and a sentence that says where a broken one breaks.
import type { FastifyInstance } from 'fastify';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { mayChange } from '#domain/exact-json.ts';
import { parseRequestJson, requireNamesOnce, requireShallow } from '#domain/json.ts';
import { isStorableText, unstorable } from '#domain/text.ts';
import { explainMisfit } from './validation.ts';

const position = /at position \d+ \(line (\d+) column (\d+)\)/;

/** The error for a body that `JSON.parse` or the guard against forged prototypes refused. */
function explainBrokenJson(text: string): CountersignError {
  if (text.trim() === '')
    return new CountersignError('invalid_json', 'The body is empty. Send a JSON object.');
  try {
    JSON.parse(text);
  } catch (cause) {
    const message = errorMessage(cause);
    const [, line, column] = position.exec(message) ?? [];
    const details = line === undefined ? {} : { line: Number(line), column: Number(column) };
    return new CountersignError('invalid_json', `The body is not valid JSON: ${message}.`, {
      details,
      cause,
    });
  }
  return new CountersignError(
    'invalid_json',
    'The body has a key that is not taken: "__proto__", or "constructor" with a "prototype".',
  );
}

/** How NUL and halves of characters are written; without one, a body is not looked through. */
const suspect = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Where `value` has a text that cannot be stored; null: nowhere. */
function findUnstorable(value: unknown): PropertyKey[] | null {
  if (typeof value === 'string') return isStorableText(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const inner = isStorableText(key) ? findUnstorable(item) : [];
    if (inner !== null) return [Array.isArray(value) ? Number(key) : key, ...inner];
  }
  return null;
}

function requireStorable(body: unknown): void {
  const path = findUnstorable(body);
  if (path !== null) throw explainMisfit('body', path, unstorable);
}

/** On this instance only `application/json` is read, and broken JSON is explained. */
export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    (request, body: string, done) => {
      // The framework's types allow a promise here; its default parser only calls back.
      void parse(request, body, (error, value) => {
        if (error !== null) return done(explainBrokenJson(body));
        try {
          requireShallow(value);
          if (suspect.test(body)) requireStorable(value);
          // The framework's parser guards prototypes; ours keeps numbers.
          if (mayChange(body)) return done(null, parseRequestJson(body));
          requireNamesOnce(body);
          done(null, value);
        } catch (refused) {
          done(refused instanceof Error ? refused : new Error(String(refused)));
        }
      });
    },
  );
}
