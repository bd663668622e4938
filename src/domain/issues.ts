// Issues of a failed schema check.
import type { z } from 'zod';

type Issue = z.core.$ZodIssue;

/** Takes the union branch whose first issue lies deepest. */
export function flattenIssue(issue: Issue): Issue[] {
  if (issue.code !== 'invalid_union' || issue.errors.length === 0) return [issue];
  const depth = (branch: Issue[]): number => Math.max(0, ...branch.map((one) => one.path.length));
  const best = issue.errors.reduce((a, b) => (depth(b) > depth(a) ? b : a));
  if (depth(best) === 0) {
    const messages = issue.errors.flatMap((branch) => branch.map((one) => one.message));
    return [{ ...issue, errors: [], message: [...new Set(messages)].join(' or ') }];
  }
  return best.flatMap((inner) => flattenIssue({ ...inner, path: [...issue.path, ...inner.path] }));
}
