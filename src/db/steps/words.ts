// Finds steps that contain all of some words, in any case and order.
import { type Placeholder, type SQL, sql } from 'drizzle-orm';

const maxWords = 20;

export function patternsOf(words: string): string[] {
  const found = words.split(/\s+/).filter((word) => word !== '');
  return found.slice(0, maxWords).map((word) => `%${word.replace(/[\\%_]/g, '\\$&')}%`);
}

/** A step's position, if the words are just a number. */
export function numberIn(words: string): number | null {
  const found = /^#?(\d{1,9})$/.exec(words.trim());
  return found === null ? null : Number(found[1]);
}

/**
 * `c` is `plan_steps`. No index helps: a match can be inside a word, and not every server has trigrams. 100,000 steps: half a
 * second.
 */
export const saysWords = (patterns: Placeholder | SQL, number: Placeholder | SQL): SQL => sql`(
  lower(concat_ws(' ', c.step_id, c.description, c.tool || '_' || c.operation, c.partition, c.args::text))
    like all (array(select lower(p) from unnest(${patterns}::text[]) p))
  or c.position = ${number}::int)`;
