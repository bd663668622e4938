// Parses JSON bodies, and says where one breaks.
import type { FastifyInstance } from 'fastify';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { mayChange } from '#domain/exact-json.ts';
import { parseRequestJson, requireNamesOnce, requireShallow } from '#domain/json.ts';
import { type PieceLocation, parseInPieces } from '#domain/json-pieces.ts';
import { unstorable } from '#domain/text.ts';
import { isStorableText } from '#domain/words.ts';
import { explainMisfit, pathInWords } from './validation.ts';

const position = /at position \d+ \(line (\d+) column (\d+)\)/;

function explainSyntax(cause: unknown, place: PieceLocation | null): CountersignError {
  const message = errorMessage(cause);
  const [found, line, column] = position.exec(message) ?? [];
  // Positions in a piece differ from the body's.
  const where = place === null ? '' : `, in ${pathInWords(place.path)} behind item ${place.first}`;
  const reason = place === null ? message : message.replace(found ?? '', '').trim();
  const details =
    line === undefined || place !== null ? {} : { line: Number(line), column: Number(column) };
  return new CountersignError('invalid_json', `The body is not valid JSON: ${reason}${where}.`, {
    details,
    cause,
  });
}

function explainBrokenJson(text: string, place: PieceLocation | null): CountersignError {
  if (text.trim() === '')
    return new CountersignError('invalid_json', 'The body is empty. Send a JSON object.');
  try {
    JSON.parse(text);
  } catch (cause) {
    return explainSyntax(cause, place);
  }
  return new CountersignError(
    'invalid_json',
    'The request contains a forbidden key: "__proto__", or "constructor" with a "prototype".',
  );
}

/** Escaped NUL or surrogates. */
const suspect = /\\u(?:0000|d[89a-f][0-9a-f]{2})/i;

/** Null if it can be stored. */
function findUnstorable(value: unknown): PropertyKey[] | null {
  if (typeof value === 'string') return isStorableText(value) ? null : [];
  if (typeof value !== 'object' || value === null) return null;
  for (const [key, item] of Object.entries(value)) {
    const inner = isStorableText(key) ? findUnstorable(item) : [];
    if (inner !== null) return [Array.isArray(value) ? Number(key) : key, ...inner];
  }
  return null;
}

function requireStorable(value: unknown, place: PieceLocation | null): void {
  const path = findUnstorable(value);
  if (path === null) return;
  const [, index, ...inner] = path;
  const whole = place === null ? path : [...place.path, place.first + Number(index), ...inner];
  throw explainMisfit('body', whole, unstorable);
}

export function readJsonBodies(app: FastifyInstance): void {
  const parse = app.getDefaultJsonParser('error', 'error');
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    'application/json',
    { parseAs: 'string' },
    // The types lack an async text parser.
    (request, body: string, done) => {
      const parsePiece = (text: string, place: PieceLocation | null): unknown => {
        let [parsed, isBroken]: [unknown, boolean] = [undefined, false];
        void parse(request, text, (error, value) => {
          isBroken = error !== null;
          parsed = value;
        });
        if (isBroken) throw explainBrokenJson(text, place);
        requireShallow(parsed);
        if (suspect.test(text)) requireStorable(parsed, place);
        // The framework's parser guards prototypes; ours keeps numbers exact.
        if (mayChange(text)) return parseRequestJson(text);
        requireNamesOnce(text);
        return parsed;
      };
      parseInPieces(body, parsePiece).then(
        (value) => done(null, value),
        (error: unknown) =>
          done(error instanceof SyntaxError ? explainSyntax(error, null) : toError(error)),
      );
    },
  );
}

const toError = (error: unknown): Error =>
  error instanceof Error ? error : new Error(String(error));
