// The error type: a stable code and a sentence for people; and a collector of problems.
import { countOf } from './words.ts';

export type ErrorCode =
  | 'invalid_json'
  | 'invalid_request'
  | 'body_too_large'
  | 'unsupported_media_type'
  | 'unauthorized'
  | 'forbidden'
  | 'not_found'
  | 'plan_not_found'
  | 'plan_deleted'
  | 'callback_over'
  | 'run_not_found'
  | 'unknown_operation'
  | 'invalid_arguments'
  | 'contradicting_target'
  | 'invalid_answer'
  | 'duplicate_step'
  | 'reserved_id'
  | 'unknown_step'
  | 'dependency_cycle'
  | 'invalid_reference'
  | 'empty_plan'
  | 'context_too_large'
  | 'limit_exceeded'
  | 'rate_limited'
  | 'stale_version'
  | 'digest_mismatch'
  | 'times_passed'
  | 'already_decided'
  | 'key_reused'
  | 'not_allowed'
  | 'invalid_transition'
  | 'feedback_required'
  | 'patch_conflict'
  | 'steps_missing'
  | 'preflight_failed'
  | 'out_of_scope'
  | 'guarded_operation'
  | 'blocked'
  | 'tool_failed'
  | 'tool_unavailable'
  | 'path_outside_workspace'
  | 'address_not_allowed'
  | 'timed_out'
  | 'cancelled'
  | 'lease_lost'
  | 'model_failed'
  | 'budget_exhausted'
  | 'invalid_configuration'
  | 'schema_too_new'
  | 'archive_failed'
  | 'database_unavailable'
  | 'internal';

/** `message` says what to do; `details` is for machines. */
export class CountersignError extends Error {
  readonly code: ErrorCode;
  readonly details: Record<string, unknown>;
  /** Until a retry may succeed; 0: soon; null: not until someone changes something. */
  readonly passesAfterMs: number | null;

  constructor(
    code: ErrorCode,
    message: string,
    options: {
      details?: Record<string, unknown>;
      cause?: unknown;
      passesAfterMs?: number | null;
    } = {},
  ) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'CountersignError';
    this.code = code;
    this.details = options.details ?? {};
    this.passesAfterMs = options.passesAfterMs ?? null;
  }
}

export function errorMessage(error: unknown): string {
  if (error instanceof Error) return error.message;
  return typeof error === 'string' ? error : JSON.stringify(error);
}

type Problem = { code: ErrorCode; path: string; message: string };

const shownProblems = 20;

/** Collects a draft's problems; keeps the first 20. */
export class Problems {
  readonly list: Problem[] = [];
  count = 0;

  add(code: ErrorCode, path: string, message: string): void {
    this.count++;
    if (this.list.length < shownProblems) this.list.push({ code, path, message });
  }

  /** @throws the first problem, with all kept ones in the details */
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
