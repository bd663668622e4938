// Exact decimal numbers.

/** `digits` × 10^-`scale`, without trailing zeros. */
export type Decimal = { digits: bigint; scale: number };

const written = /^([+-]?)(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d{1,6}))?$/;
/** On each side of the point. */
const maxDigits = 1000;

export const zero: Decimal = { digits: 0n, scale: 0 };

function normalise(digits: bigint, scale: number): Decimal {
  if (digits === 0n) return zero;
  let [rest, places] = [digits, scale];
  while (places > 0 && rest % 10n === 0n) [rest, places] = [rest / 10n, places - 1];
  return places < 0
    ? { digits: rest * 10n ** BigInt(-places), scale: 0 }
    : { digits: rest, scale: places };
}

/** Null if invalid or too long. */
export function readDecimal(text: string): Decimal | null {
  if (text.length > maxDigits) return null;
  const [, sign, whole = '', fraction = '', exponent = '0'] = written.exec(text) ?? [];
  if (sign === undefined) return null;
  const scale = fraction.length - Number(exponent);
  if (Math.abs(scale) > maxDigits) return null;
  const digits = BigInt(whole + fraction);
  return normalise(sign === '-' ? -digits : digits, scale);
}

function align(a: Decimal, b: Decimal): [bigint, bigint, number] {
  const scale = Math.max(a.scale, b.scale);
  const at = (one: Decimal) => one.digits * 10n ** BigInt(scale - one.scale);
  return [at(a), at(b), scale];
}

export function addDecimals(a: Decimal, b: Decimal): Decimal {
  const [one, other, scale] = align(a, b);
  return normalise(one + other, scale);
}

export function compareDecimals(a: Decimal, b: Decimal): number {
  const [one, other] = align(a, b);
  return one < other ? -1 : Number(one > other);
}

/** `-1234.5` */
export function writeDecimal({ digits, scale }: Decimal): string {
  if (scale === 0) return String(digits);
  const sign = digits < 0n ? '-' : '';
  const text = String(digits < 0n ? -digits : digits).padStart(scale + 1, '0');
  return `${sign}${text.slice(0, -scale)}.${text.slice(-scale)}`;
}
