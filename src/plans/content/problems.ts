// Collects all problems of a draft in one pass, for one error.
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { countOf } from '#domain/words.ts';

type Problem = { code: ErrorCode; path: string; message: string };

const shownProblems = 20;

/** Collects what is wrong with a draft: all of it counted, the first 20 kept. */
export class Problems {
  readonly list: Problem[] = [];
  count = 0;

  add(code: ErrorCode, path: string, message: string): void {
    this.count++;
    if (this.list.length < shownProblems) this.list.push({ code, path, message });
  }

  /** Throws when anything was found: the first problem's code and sentence, all of them in the details. */
  settle(): void {
    const [first] = this.list;
    if (first === undefined) return;
    const more = this.count - 1;
    throw new CountersignError(
      first.code,
      more === 0 ? first.message : `${first.message} And ${countOf(more, 'more problem')}.`,
      { details: { errors: this.list, problem_count: this.count } },
    );
  }
}
