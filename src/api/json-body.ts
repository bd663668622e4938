// Reading JSON bodies: the framework's safe parser, and a sentence that says where a broken one breaks.
import type { FastifyInstance } from 'fastify';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { requireShallow } from '#domain/json.ts';

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
        } catch (tooDeep) {
          return done(tooDeep instanceof Error ? tooDeep : new Error(String(tooDeep)));
        }
        done(null, value);
      });
    },
  );
}
