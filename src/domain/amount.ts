// Parses written amounts exactly; a column resolves ambiguous ones such as "1,234".
import { type Decimal, readDecimal } from './decimal.ts';

/** `unit`: currency, or empty. */
export type Amount = { point: Decimal | null; comma: Decimal | null; unit: string };

const currency = String.raw`\p{Sc}|[A-Z]{3}|[A-Z]{1,2}\p{Sc}|kr|zł|Kč|Ft|Fr\.`;
const outer = new RegExp(
  String.raw`^(\()?(${currency})?\s?([+\-−])?\s?(${currency})?\s?([\d.,'’\s]{1,60}(?:[eE][+-]?\d{1,3})?)\s?(${currency})?(\))?$`,
  'u',
);
/** Not any capitals: `INV-1000` is no amount. */
const currencyCodes = new Set(Intl.supportedValuesOf('currency'));
const isUnit = (unit: string): boolean => !/^[A-Z]{3}$/.test(unit) || currencyCodes.has(unit);
const longest = 100;
const blanks = String.raw`['’\u0020\u00a0\u202f\u2009]`;
const groupedByPoint = new RegExp(
  String.raw`^\d{1,3}(?:(?:\.\d{3})+|(?:${blanks}\d{3})+)(?:,\d+)?$|^\d+(?:,\d+)?$`,
);
const groupedByComma = new RegExp(
  String.raw`^\d{1,3}(?:(?:,\d{3})+|(?:,\d{2})+,\d{3}|(?:${blanks}\d{3})+)(?:\.\d+)?$|^(?:\d+(?:\.\d+)?|\.\d+)(?:[eE][+-]?\d{1,3})?$`,
);
/** A leading zero means a code, such as a postcode. */
const isCode = (digits: string): boolean => /^0\d/.test(digits);

export function readAmount(written: string): Amount | null {
  if (written.length > longest) return null;
  const match = outer.exec(written.trim());
  if (match === null) return null;
  const [, opens, before, sign, after, digits = '', behind, closes] = match;
  if ((opens === undefined) !== (closes === undefined)) return null;
  if (opens !== undefined && sign !== undefined) return null;
  const units = [before, after, behind].filter((one) => one !== undefined);
  if (units.length > 1 || !units.every(isUnit) || isCode(digits.trim())) return null;
  const minus = opens !== undefined || sign === '-' || sign === '−' ? '-' : '';
  const text = digits.trim();
  const read = (plain: string) =>
    readDecimal(`${minus}${plain.startsWith('.') ? '0' : ''}${plain}`);
  const point = groupedByComma.test(text) ? read(text.replace(/[,'’\s]/g, '')) : null;
  const comma = groupedByPoint.test(text)
    ? read(text.replace(/[.'’\s]/g, '').replace(',', '.'))
    : null;
  return point === null && comma === null ? null : { point, comma, unit: units[0] ?? '' };
}
