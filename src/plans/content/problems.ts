// Collects all problems of a draft in one pass, for one error.
import { CountersignError, type ErrorCode } from '#domain/errors.ts';
import { countOf } from '#domain/words.ts';

type Problem = { code: ErrorCode; path: string; message: string };

const shownProblems = 20;

/** Counts all problems of a draft and keeps the first 20. */
export class Problems {
  readonly list: Problem[] = [];
  count = 0;

  add(code: ErrorCode, path: string, message: string): void {
    this.count++;
    if (this.list.length < shownProblems) this.list.push({ code, path, message });
  }

  /** Throws if there are problems: the first one's code and sentence, with all kept ones in the details. */
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
