// Which database errors pass by themselves: a lost or refused connection, a server that starts or stops, a deadlock.

const transientStates = /^(08|57P0[123]|40001|40P01|53300)/;
const transientCodes = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EAI_AGAIN',
]);
const transientTexts =
  /connection terminated|timeout exceeded when trying to connect|client has encountered a connection error|not queryable/i;

/** Whether trying the same statement again later can succeed. Looks at the error and at its causes. */
export function isTransient(error: unknown): boolean {
  for (
    let at: unknown = error, depth = 0;
    at instanceof Error && depth < 5;
    at = at.cause, depth++
  ) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : '';
    if (transientStates.test(code) || transientCodes.has(code) || transientTexts.test(at.message)) {
      return true;
    }
  }
  return false;
}
