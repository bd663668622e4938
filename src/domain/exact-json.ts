// Reading JSON without changing its numbers. A whole number that a JavaScript number cannot hold becomes a bigint, which is written
// back as it was; any other number that would change (0.1000000000000000055, 1e400) becomes its text, or is refused.
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

const written = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** A number of JSON in one form: its digits, and how many zeros follow or places precede. null: it is none, or out of reach. */
function toOneForm(text: string): string | null {
  const [, sign, whole = '', fraction = '', exponent = '0'] = written.exec(text) ?? [];
  if (sign === undefined) return null;
  const digits = whole + fraction;
  let [from, to] = [0, digits.length];
  while (digits[from] === '0') from += 1;
  if (from === to) return '0';
  while (digits[to - 1] === '0') to -= 1;
  const zeros = Number(exponent) - fraction.length + digits.length - to;
  return `${sign}${digits.slice(from, to)}e${zeros}`;
}

function survives(source: string, value: number): boolean {
  if (source === String(value)) return true;
  const form = toOneForm(source);
  return form !== null && form === toOneForm(String(value));
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
