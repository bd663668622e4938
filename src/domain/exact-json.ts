// Reading JSON without changing its numbers. A whole number that a JavaScript number cannot hold becomes a bigint, which is written
// back as it was; any other number that would change (0.1000000000000000055, 1e400) becomes its text, or is refused.
import { compareDecimals, readDecimal } from './decimal.ts';

declare global {
  interface BigInt {
    toJSON(): unknown;
  }
  interface JSON {
    /** A JSON text that `stringify` writes as it is. */
    rawJSON(text: string): object;
  }
}

// Every JSON writer, libraries included, writes a bigint as a number.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint) {
    return JSON.rawJSON(String(this));
  },
});

/** Numbers that could change have sixteen digits or a long exponent; without these the text is read as it always was. */
const suspicious = /(?:\d\.?){16}|\d[eE][+-]?\d{3}/;
const whole = /^-?\d{1,1000}$/;

/** Whether `text` may hold numbers that `JSON.parse` would change. */
export const mayChange = (text: string): boolean => suspicious.test(text);

function survives(source: string, value: number): boolean {
  if (source === String(value)) return true;
  const [exact, kept] = [readDecimal(source), readDecimal(String(value))];
  return exact !== null && kept !== null && compareDecimals(exact, kept) === 0;
}

/**
 * `JSON.parse` that keeps every number. Its values are JSON's, and bigints.
 * @param onInexact what becomes of a number that neither a number nor a bigint can be; it may throw
 * @throws SyntaxError
 */
export function parseExactly(
  text: string,
  onInexact: (source: string, key: string) => unknown = (source) => source,
): unknown {
  if (!mayChange(text)) return JSON.parse(text);
  // The types of TypeScript do not know the third argument yet.
  const revive = (key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || survives(source, value)) return value;
    return whole.test(source) ? BigInt(source) : onInexact(source, key);
  };
  return JSON.parse(text, revive);
}
