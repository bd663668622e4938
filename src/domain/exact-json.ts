// Parses JSON losslessly; inexact numbers become text or are refused.
declare global {
  interface BigInt {
    toJSON(): unknown;
  }
  interface JSON {
    rawJSON(text: string): object;
  }
}

// For every JSON writer, libraries included.
Object.defineProperty(BigInt.prototype, 'toJSON', {
  configurable: true,
  writable: true,
  value(this: bigint) {
    return JSON.rawJSON(String(this));
  },
});

/** Sixteen digits or a long exponent. */
const suspicious = /(?:\d\.?){16}|\d[eE][+-]?\d{3}/;
const whole = /^-?\d{1,1000}$/;

export const mayChange = (text: string): boolean => suspicious.test(text);

const written = /^(-?)(\d*)(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?$/;

/** Normalised digits and exponent, or null if no number or out of range. */
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

/** @param onInexact replaces a number that neither type can hold; may throw @throws SyntaxError */
export function parseExactly(
  text: string,
  onInexact: (source: string, key: string) => unknown = (source) => source,
): unknown {
  if (!mayChange(text)) return JSON.parse(text);
  // TypeScript lacks the third argument.
  const revive = (key: string, value: unknown, context?: { source?: string }): unknown => {
    const source = context?.source;
    if (typeof value !== 'number' || source === undefined || survives(source, value)) return value;
    return whole.test(source) ? BigInt(source) : onInexact(source, key);
  };
  return JSON.parse(text, revive);
}
