// Counts, groups and sums over the items of a for_each, by code and exactly, so that nobody's words stand for a total.
import { readAmount } from '#domain/amount.ts';
import { addDecimals, type Decimal, writeDecimal, zero } from '#domain/decimal.ts';
import { isObject, type Json } from '#domain/text.ts';
import { countOf, shorten } from '#domain/words.ts';

const columnsAtMost = 40;
/** Most distinct values that are counted per column. */
const groupsAtMost = 20;
const linesAtMost = 30;
const examplesAtMost = 3;

type Sums = { point: Decimal | null; comma: Decimal | null };

const add = (sum: Decimal | null, value: Decimal | null): Decimal | null =>
  sum === null || value === null ? null : addDecimals(sum, value);

class Column {
  readonly name: string;
  #values = 0;
  #empty = 0;
  #numbers = 0;
  #sums: Sums = { point: zero, comma: zero };
  readonly #units = new Set<string>();
  readonly #others: string[] = [];
  #groups: Map<string, number> | null = new Map();

  constructor(name: string) {
    this.name = name;
  }

  add(value: Json | undefined): void {
    const text = value === undefined || value === null ? '' : String(value);
    if (text.trim() === '') {
      this.#empty += 1;
      return;
    }
    this.#values += 1;
    if (this.#groups !== null) {
      this.#groups.set(text, (this.#groups.get(text) ?? 0) + 1);
      if (this.#groups.size > groupsAtMost) this.#groups = null;
    }
    const amount = typeof value === 'boolean' ? null : readAmount(text);
    if (amount === null) {
      if (this.#others.length < examplesAtMost) this.#others.push(text);
      return;
    }
    this.#numbers += 1;
    this.#units.add(amount.unit);
    this.#sums = {
      point: add(this.#sums.point, amount.point),
      comma: add(this.#sums.comma, amount.comma),
    };
  }

  /** Sentences about all items. */
  tell(): string[] {
    const empty = this.#empty === 0 ? '' : `, ${this.#empty.toLocaleString('en-US')} empty`;
    const groups =
      this.#groups === null || this.#groups.size === this.#values
        ? []
        : [
            `${this.name}: ${[...this.#groups]
              .toSorted(([, a], [, b]) => b - a)
              .map(([text, count]) => `${shorten(text, 60)} (${count.toLocaleString('en-US')})`)
              .join(', ')}${empty}`,
          ];
    const sum = this.#numbers === 0 ? null : this.#tellSum();
    return [...groups, ...(sum === null ? [] : [`${this.name}: ${sum}${empty}`])];
  }

  #tellSum(): string | null {
    const others = this.#values - this.#numbers;
    if (others > this.#numbers) return null;
    const left =
      others === 0
        ? ''
        : `; ${countOf(others, 'value')} no number: ${this.#others.map((text) => shorten(text, 30)).join(', ')}`;
    if (this.#units.size > 1) return `not summed, as its currencies differ${left}`;
    const { point, comma } = this.#sums;
    const [one, other] = [point ?? comma, comma ?? point];
    if (one === null || other === null) return `not summed, as points and commas are mixed${left}`;
    if (writeDecimal(one) !== writeDecimal(other))
      return `not summed, as 1,234 may be read in two ways${left}`;
    const [unit = ''] = this.#units;
    const total = `${writeDecimal(one)}${unit === '' ? '' : ` ${unit}`}`;
    return `sum ${total} of ${countOf(this.#numbers, 'number')}${left}`;
  }
}

/** Takes items one by one; those that are no records are only counted. */
export class Tally {
  readonly #columns = new Map<string, Column>();
  #items = 0;

  add(item: Json): void {
    this.#items += 1;
    if (!isObject(item)) return;
    for (const [name, value] of Object.entries(item)) {
      if (typeof value === 'object' && value !== null) continue;
      let column = this.#columns.get(name);
      if (column === undefined) {
        if (this.#columns.size >= columnsAtMost) continue;
        column = new Column(name);
        this.#columns.set(name, column);
      }
      column.add(value);
    }
  }

  /** `300 items`, then what each column comes to. */
  tell(): string[] {
    const columns = [...this.#columns.values()].flatMap((column) => column.tell());
    return [countOf(this.#items, 'item'), ...columns.slice(0, linesAtMost)];
  }
}
