// Opaque cursors for keyset pages: the sort key of the last row.
import { CountersignError } from '#domain/errors.ts';

export function encodeCursor(key: string): string {
  return Buffer.from(key).toString('base64url');
}

/** The key inside `cursor`. @throws `invalid_request` when it does not have the `form` that this list gives out */
export function decodeCursor(cursor: string, form: RegExp): string {
  const key = Buffer.from(cursor, 'base64url').toString();
  if (form.test(key)) return key;
  throw new CountersignError(
    'invalid_request',
    'cursor: not one that this list gave out. Leave it away to begin again.',
  );
}
