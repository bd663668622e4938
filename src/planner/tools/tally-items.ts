// Exact counts and sums over a for_each's items.
import { type Amount, readAmount } from '#domain/amount.ts';
import { addDecimals, type Decimal, writeDecimal, zero } from '#domain/decimal.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';

const maxColumns = 40;
export const maxListedGroups = 20;
const maxGroups = 300;
const maxGroupColumns = 12;
const maxSummedColumns = 6;
const maxLines = 30;
const maxTotals = 49;
const maxGroupCharacters = 16_000;
const maxExamples = 3;
const maxFormatted = 200;
const maxLineLength = 1900;

const add = (sum: Decimal | null, value: Decimal | null): Decimal | null =>
  sum === null || value === null ? null : addDecimals(sum, value);

const many = (count: number) => count.toLocaleString('en-US');

/** `text` is the item's own. */
type Written = Amount & { text: string };

/** `1200` as `1,200.00 EUR`, like the column's values. */
class Format {
  #decimals = 0;
  #group = '';
  #around: [string, string] | null = null;

  add(text: string, notation: 'point' | 'comma'): void {
    const [digits = ''] = /\d[\d.,'’\u0020\u00a0\u202f\u2009]*/u.exec(text.trim()) ?? [];
    const [whole = '', decimals = ''] = digits.trim().split(notation === 'point' ? '.' : ',');
    this.#decimals = Math.max(this.#decimals, decimals.length);
    this.#group ||= /\D/.exec(whole)?.[0] ?? '';
    const at = text.trim().indexOf(digits.trim());
    this.#around ??= [text.trim().slice(0, at), text.trim().slice(at + digits.trim().length)];
  }

  write(plain: string, notation: 'point' | 'comma'): string {
    const minus = plain.startsWith('-') ? '-' : '';
    const [whole = '', decimals = ''] = plain.slice(minus.length).split('.');
    const first = whole.length % 3;
    const parts = [whole.slice(0, first), ...(whole.slice(first).match(/\d{3}/g) ?? [])];
    const grouped = parts.filter((part) => part !== '').join(this.#group);
    const fraction = decimals.padEnd(this.#decimals, '0');
    const [before, behind] = this.#around ?? ['', ''];
    const digits =
      fraction === '' ? grouped : `${grouped}${notation === 'point' ? '.' : ','}${fraction}`;
    return `${minus}${before.replace(/[-+−(]/g, '')}${digits}${behind.replace(')', '')}`;
  }
}

class Sum {
  count = 0;
  readonly #texts: string[] = [];
  #point: Decimal | null = zero;
  #comma: Decimal | null = zero;
  readonly #units = new Set<string>();

  add({ point, comma, unit, text }: Written): void {
    this.count += 1;
    if (this.#texts.length < maxFormatted) this.#texts.push(text);
    this.#units.add(unit);
    this.#point = add(this.#point, point);
    this.#comma = add(this.#comma, comma);
  }

  get notation(): 'point' | 'comma' | null {
    if (this.#point !== null) return 'point';
    return this.#comma === null ? null : 'comma';
  }

  get problem(): string | null {
    if (this.#units.size > 1) return 'its currencies differ';
    if (this.notation === null) return 'points and commas are mixed';
    return this.isAmbiguous ? '1,234 may be read in two ways' : null;
  }

  get isAmbiguous(): boolean {
    const [one, other] = [this.#point ?? this.#comma, this.#comma ?? this.#point];
    return one !== null && other !== null && writeDecimal(one) !== writeDecimal(other);
  }

  /** @param notation of the column */
  format(notation: 'point' | 'comma'): string | null {
    const total = notation === 'point' ? this.#point : this.#comma;
    if (total === null || this.#units.size > 1) return null;
    const format = new Format();
    for (const text of this.#texts) format.add(text, notation);
    return format.write(writeDecimal(total), notation);
  }

  /** A plain number for conditions. */
  get plain(): string | null {
    const total = this.notation === 'point' ? this.#point : this.#comma;
    return total === null || this.problem !== null ? null : writeDecimal(total);
  }
}

class Column {
  readonly name: string;
  readonly sum = new Sum();
  values = 0;
  #empty = 0;
  readonly #others: string[] = [];
  /** Null if too many. */
  groups: Map<string, number> | null = new Map();

  constructor(name: string) {
    this.name = name;
  }

  /** @returns the group's text, and the amount */
  add(value: Json | undefined): { text: string; amount: Written | null } | null {
    const text = value === undefined || value === null ? '' : String(value);
    if (text.trim() === '') {
      this.#empty += 1;
      return null;
    }
    this.values += 1;
    if (this.groups !== null) {
      this.groups.set(text, (this.groups.get(text) ?? 0) + 1);
      if (this.groups.size > maxGroups) this.groups = null;
    }
    const read = typeof value === 'boolean' ? null : readAmount(text);
    const amount = read === null ? null : { ...read, text };
    if (amount !== null) this.sum.add(amount);
    else if (this.#others.length < maxExamples) this.#others.push(text);
    return { text, amount };
  }

  /** IDs are not summed. */
  get isNumeric(): boolean {
    if (/(?:^|[_\s])(?:id|no|nr|number|code)$/i.test(this.name)) return false;
    return this.sum.count > 0 && this.values - this.sum.count <= this.sum.count;
  }

  describe(): string[] {
    const empty = this.#empty === 0 ? '' : `, ${many(this.#empty)} empty`;
    const { groups } = this;
    const counts =
      groups === null || groups.size > maxListedGroups || groups.size === this.values
        ? []
        : [
            `${this.name}: ${[...groups]
              .toSorted(([, a], [, b]) => b - a)
              .map(([text, count]) => `${shorten(text, 60)} (${many(count)})`)
              .join(', ')}${empty}`,
          ];
    return [...counts, ...(this.isNumeric ? [`${this.name}: ${this.#tellSum()}${empty}`] : [])];
  }

  #tellSum(): string {
    const others = this.values - this.sum.count;
    const left =
      others === 0
        ? ''
        : `; ${countOf(others, 'value')} no number: ${this.#others.map((text) => shorten(text, 30)).join(', ')}`;
    const { problem, notation, count } = this.sum;
    if (problem !== null || notation === null) return `not summed, as ${problem}${left}`;
    return `sum ${this.sum.format(notation)} of ${countOf(count, 'number')}${left}`;
  }
}

function tellGroups(by: Column, summed: Column, sums: Map<string, Sum>): string[] {
  const { notation, isAmbiguous } = summed.sum;
  if (notation === null || isAmbiguous) return [];
  const groupLines = [...sums]
    .toSorted(([, a], [, b]) => b.count - a.count)
    .map(
      ([text, sum]) =>
        `${shorten(text, 60)} ${sum.format(notation) ?? 'not summed'} (${many(sum.count)})`,
    );
  const counted = [...sums.values()].reduce((all, { count }) => all + count, 0);
  if (counted < summed.sum.count)
    groupLines.push(`without ${by.name} (${many(summed.sum.count - counted)})`);
  const lines: string[] = [];
  for (const one of groupLines) {
    const last = lines.at(-1);
    if (last === undefined || last.length + one.length > maxLineLength)
      lines.push(`${summed.name} by ${by.name}: ${one}`);
    else lines[lines.length - 1] = `${last}, ${one}`;
  }
  return lines;
}

/** Not if all differ; numbers only if few. */
const isGroup = ({ groups, values, isNumeric }: Column): boolean =>
  groups !== null && groups.size < values && (!isNumeric || groups.size <= maxListedGroups);

/** Larger groups have no `items`, rather than some. */
const maxGroupItems = 1000;

type Group = {
  key: Json;
  items: Json[];
  count: number;
  sums: Map<string, Sum>;
  /** Values shared by all items. */
  shared: Map<string, Json>;
};

export class Groups {
  readonly #groups = new Map<string, Group>();

  add(key: Json, item: Json): void {
    const name = JSON.stringify(key);
    const known = this.#groups.get(name);
    const group: Group = known ?? { key, items: [], count: 0, sums: new Map(), shared: new Map() };
    this.#groups.set(name, group);
    group.count += 1;
    if (group.items.length < maxGroupItems) group.items.push(item);
    if (!isObject(item)) return;
    const values = Object.entries(item).slice(0, maxColumns);
    if (known === undefined) group.shared = new Map(values);
    for (const [column, value] of group.shared)
      if (item[column] !== value) group.shared.delete(column);
    for (const [column, value] of values) {
      const text = typeof value === 'number' || typeof value === 'string' ? String(value) : '';
      const amount = readAmount(text);
      if (amount === null) continue;
      const sum = group.sums.get(column) ?? new Sum();
      group.sums.set(column, sum);
      sum.add({ ...amount, text });
    }
  }

  /**
   * `{ key, count, sum: { amount: "41 EUR" }, items }` and shared values; inexact totals are left out.
   * @param having conditions on a group with plain sums
   */
  list(having: (group: Json) => boolean): JsonObject[] {
    return [...this.#groups.values()].flatMap(({ key, count, sums, items, shared }) => {
      const exact = [...sums].filter(([, sum]) => sum.plain !== null);
      const sumsBy = (tell: (sum: Sum) => string | null) =>
        Object.fromEntries(exact.map(([column, sum]) => [column, tell(sum)]));
      if (!having({ key, count, sum: sumsBy(({ plain }) => plain) })) return [];
      const written = sumsBy((sum) => sum.format(sum.notation ?? 'point'));
      const all = count > items.length ? {} : { items };
      return [{ ...Object.fromEntries(shared), key, count, sum: written, ...all }];
    });
  }
}

/** Non-records are only counted. */
export class Tally {
  readonly #columns = new Map<string, Column>();
  /** Sums by grouping column, then summed column. */
  readonly #grouped = new Map<Column, Map<Column, Map<string, Sum>>>();
  /** The only column to group by, or undefined for any. */
  readonly #by: string | undefined;
  #items = 0;

  /** @param by pointer to the group of an item, if they are grouped */
  constructor(by?: string) {
    this.#by = by?.slice(1);
  }

  add(item: Json): void {
    this.#items += 1;
    if (!isObject(item)) return;
    const texts: [Column, string][] = [];
    const amounts: [Column, Written][] = [];
    for (const [name, value] of Object.entries(item)) {
      if (typeof value === 'object' && value !== null) continue;
      let column = this.#columns.get(name);
      if (column === undefined) {
        if (this.#columns.size >= maxColumns) continue;
        column = new Column(name);
        this.#columns.set(name, column);
      }
      const given = column.add(value);
      if (given === null) continue;
      texts.push([column, given.text]);
      if (given.amount !== null) amounts.push([column, given.amount]);
    }
    this.#addToGroups(texts, amounts);
  }

  #addToGroups(texts: [Column, string][], amounts: [Column, Written][]): void {
    for (const [by, text] of texts) {
      if (this.#by !== undefined && by.name !== this.#by) continue;
      if (by.groups === null) {
        this.#grouped.delete(by);
        continue;
      }
      let summed = this.#grouped.get(by);
      if (summed === undefined) {
        // Sums from the first item on only, else incomplete.
        if (by.values > 1 || this.#grouped.size >= maxGroupColumns) continue;
        summed = new Map();
        this.#grouped.set(by, summed);
      }
      for (const [column, amount] of amounts) {
        let sums = summed.get(column);
        if (sums === undefined) {
          if (column === by || summed.size >= maxSummedColumns) continue;
          sums = new Map();
          summed.set(column, sums);
        }
        let sum = sums.get(text);
        if (sum === undefined) {
          sum = new Sum();
          sums.set(text, sum);
        }
        sum.add(amount);
      }
    }
  }

  /**
   * `300 items`, column totals, then by group.
   * @param largest number of values by which totals are listed unasked
   */
  describe(largest = maxGroups): string[] {
    const columns = [...this.#columns.values()].flatMap((column) => column.describe());
    const isListed = ({ groups }: Column) =>
      this.#by !== undefined || (groups?.size ?? 0) <= largest;
    const groups = [...this.#grouped]
      .filter(([by]) => isGroup(by) && isListed(by))
      .toSorted(([a], [b]) => Number(a.isNumeric) - Number(b.isNumeric))
      .flatMap(([by, summed]) =>
        [...summed].flatMap(([column, sums]) =>
          column.isNumeric ? tellGroups(by, column, sums) : [],
        ),
      );
    const kept = columns.slice(0, maxLines);
    const lines: string[] = [];
    let length = 0;
    for (const line of groups) {
      length += line.length;
      if (length > maxGroupCharacters || kept.length + lines.length >= maxTotals - 1) break;
      lines.push(line);
    }
    const left = groups.length - lines.length;
    return [
      countOf(this.#items, 'item'),
      ...kept,
      ...lines,
      ...(left === 0 ? [] : [`${countOf(left, 'line')} of totals by group left out`]),
    ];
  }
}
