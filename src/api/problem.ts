// Problems (RFC 9457): status by code.
// 400: malformed; 422: well-formed but unacceptable; 409: too late.
import type { ErrorCode } from '#domain/errors.ts';

export type ProblemCode = ErrorCode | 'method_not_allowed';

export const problemKinds: Record<ProblemCode, { status: number; title: string }> = {
  invalid_json: { status: 400, title: 'The body is not JSON' },
  invalid_request: { status: 400, title: 'The request is malformed' },
  feedback_required: { status: 400, title: 'Feedback is missing' },
  unauthorized: { status: 401, title: 'A token is needed' },
  forbidden: { status: 403, title: 'Forbidden' },
  not_allowed: { status: 403, title: 'Not allowed to decide this' },
  out_of_scope: { status: 403, title: 'The operation is outside the plan' },
  guarded_operation: { status: 403, title: 'The operation needs an approved plan' },
  not_found: { status: 404, title: 'Not found' },
  plan_not_found: { status: 404, title: 'No such plan' },
  run_not_found: { status: 404, title: 'No such run' },
  plan_deleted: { status: 410, title: 'The plan was deleted' },
  callback_over: { status: 410, title: 'No longer accepted' },
  method_not_allowed: { status: 405, title: 'Method not allowed' },
  stale_version: { status: 409, title: 'The plan has changed' },
  times_passed: { status: 409, title: 'A start has passed' },
  digest_mismatch: { status: 409, title: 'The plan is not the one that was shown' },
  already_decided: { status: 409, title: 'The plan is already decided' },
  invalid_transition: { status: 409, title: 'The plan is in another state' },
  patch_conflict: { status: 409, title: 'The change conflicts with what has happened' },
  blocked: { status: 409, title: 'A person is blocked' },
  cancelled: { status: 409, title: 'It was cancelled' },
  lease_lost: { status: 409, title: 'Another worker took over' },
  body_too_large: { status: 413, title: 'The body is too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported content type' },
  key_reused: { status: 422, title: 'The key was used for another request' },
  unknown_operation: { status: 422, title: 'No such operation' },
  invalid_arguments: { status: 422, title: 'Arguments do not fit the operation' },
  invalid_answer: { status: 422, title: 'The answer does not fit what was asked' },
  duplicate_step: { status: 422, title: 'Two steps have the same id' },
  reserved_id: { status: 422, title: 'The id is kept for occurrences of a series' },
  unknown_step: { status: 422, title: 'No such step' },
  dependency_cycle: { status: 422, title: 'The steps wait for each other' },
  contradicting_target: { status: 422, title: 'A target contradicts its arguments' },
  invalid_reference: { status: 422, title: 'A reference points to nothing' },
  empty_plan: { status: 422, title: 'The plan has no steps' },
  limit_exceeded: { status: 422, title: 'Over a limit' },
  context_too_large: { status: 422, title: 'The context is too large' },
  steps_missing: { status: 422, title: 'Steps are missing from the choice' },
  preflight_failed: { status: 422, title: 'The plan cannot start' },
  path_outside_workspace: { status: 422, title: 'The path is outside the workspace' },
  address_not_allowed: { status: 422, title: 'The address is not allowed' },
  budget_exhausted: { status: 402, title: 'The budget is spent' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Something went wrong here' },
  invalid_configuration: { status: 500, title: 'The configuration is wrong' },
  tool_failed: { status: 502, title: 'A tool failed' },
  model_failed: { status: 502, title: 'The model failed' },
  tool_unavailable: { status: 503, title: 'A tool does not answer' },
  archive_failed: { status: 503, title: 'The archive cannot be written' },
  schema_too_new: { status: 503, title: 'The database is newer than this program' },
  database_unavailable: { status: 503, title: 'The database does not answer' },
  timed_out: { status: 504, title: 'It took too long' },
};

/** Other members are the error's details. */
export type Problem = {
  type: string;
  title: string;
  status: number;
  detail: string;
  code: ProblemCode;
  instance: string;
  [detail: string]: unknown;
};

export type Complaint = {
  code: ProblemCode;
  detail: string;
  details?: Record<string, unknown>;
};

/** @param instance the path. Details never replace RFC members. */
export function toProblem(complaint: Complaint, instance: string): Problem {
  const { status, title } = problemKinds[complaint.code];
  return {
    ...complaint.details,
    type: `urn:countersign:problem:${complaint.code}`,
    title,
    status,
    detail: complaint.detail,
    code: complaint.code,
    instance,
  };
}
