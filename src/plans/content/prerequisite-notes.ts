// Resolves prerequisites in notes by title, tag or ID.
import { z } from 'zod';
import { quoteWords } from '#domain/shown-text.ts';
import { AnyJson, isObject, type Json } from '#domain/text.ts';
import { countOf, listOf } from '#domain/words.ts';

const names = z.preprocess(
  (value) => (Array.isArray(value) ? value : [value]),
  z.array(z.union([z.string(), z.number().transform(String)])).max(10_000),
);
const keys = ['prereq_titles', 'prereq_tags', 'prereq_step_ids'] as const;
const Prerequisites = z.object({
  prereq_titles: names.default([]),
  prereq_tags: names.default([]),
  prereq_step_ids: names.default([]),
});
type Prerequisites = z.infer<typeof Prerequisites>;

export function namesPrerequisites(notes: Json | undefined): boolean {
  return isObject(notes) && keys.some((key) => Object.hasOwn(notes, key));
}

export function readPrerequisites(notes: Json | undefined): {
  prerequisites: Prerequisites | { unreadable: string };
  rest: Json;
} {
  const { success, data, error } = Prerequisites.safeParse(notes);
  const others = Object.entries(isObject(notes) ? notes : {}).filter(
    ([key]) => !keys.some((one) => one === key),
  );
  const key = String(error?.issues[0]?.path[0] ?? 'note');
  return {
    prerequisites: success ? data : { unreadable: `its ${key} is no list of texts` },
    rest: others.length === 0 ? null : AnyJson.parse(Object.fromEntries(others)),
  };
}

export type Nameable = {
  id: string;
  description: string;
  partition?: string | null | undefined;
  tags?: readonly string[] | undefined;
};

/** Compared if no title matches exactly. */
export function foldTitle(title: string): string {
  return title.normalize('NFC').replace(/\s+/g, ' ').trim().toLowerCase();
}

function push<K, V>(map: Map<K, V[]>, key: K, value: V): void {
  const known = map.get(key);
  if (known === undefined) map.set(key, [value]);
  else known.push(value);
}

export class StepNames {
  readonly #ids = new Set<string>();
  readonly #titles = new Map<string, string[]>();
  #folded: Map<string, string[]> | null = null;
  readonly #partitions = new Map<string, string[]>();
  readonly #tags = new Map<string, string[]>();

  constructor(steps: Iterable<Nameable>) {
    for (const { id, description, partition, tags = [] } of steps) {
      this.#ids.add(id);
      push(this.#titles, description, id);
      if (partition != null) push(this.#partitions, foldTitle(partition), id);
      for (const tag of new Set(tags)) push(this.#tags, tag, id);
    }
  }

  /** On demand: folding is slow, and most notes match exactly. */
  #findFolded(title: string): string[] | undefined {
    if (this.#folded === null) {
      this.#folded = new Map();
      for (const [description, ids] of this.#titles)
        for (const id of ids) push(this.#folded, foldTitle(description), id);
    }
    return this.#folded.get(title);
  }

  /** Without `id` itself. `problems`: endings of "its note …". */
  find(id: string, prerequisites: Prerequisites): { ids: string[]; problems: string[] } {
    const found = new Set<string>();
    const problems: string[] = [];
    const take = (ids: string[], itself: string) => {
      const others = ids.filter((one) => one !== id);
      if (others.length === 0) problems.push(`${itself}, which is the step itself`);
      for (const one of others) found.add(one);
    };
    for (const one of prerequisites.prereq_step_ids) {
      if (this.#ids.has(one.trim())) take([one.trim()], `names step ${quoteWords(one, 200)}`);
      else problems.push(`names step ${quoteWords(one, 100)}, which is not in the plan`);
    }
    for (const tag of prerequisites.prereq_tags) {
      const ids = this.#tags.get(tag.trim());
      if (ids === undefined)
        problems.push(`names the tag ${quoteWords(tag, 100)}, which no step has`);
      else take(ids, `names the tag ${quoteWords(tag, 200)}`);
    }
    for (const title of prerequisites.prereq_titles) {
      const shown = quoteWords(title, 100);
      const folded = foldTitle(title);
      const ids = this.#titles.get(title) ?? this.#findFolded(folded);
      const others = ids?.filter((one) => one !== id) ?? [];
      if (others.length > 1) {
        const some = listOf(others.slice(0, 3));
        problems.push(
          `names ${shown}, and ${countOf(others.length, 'step')} are called so (${others.length > 3 ? `${some}, …` : some})`,
        );
      } else if (ids !== undefined) take(ids, `names ${shown}`);
      else {
        const whole = this.#partitions.get(folded);
        if (whole === undefined) problems.push(`names ${shown}, and no step is called so`);
        else take(whole, `names ${shown}`);
      }
    }
    return { ids: [...found], problems };
  }
}
