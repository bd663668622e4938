// Audit actions in words.
import type { AuditEntry } from '#domain/plan/views.ts';
import { describeKind } from './words.ts';

const words: Record<string, string> = {
  propose: 'Proposed the plan',
  approve: 'Approved',
  approve_in_part: 'Approved, one of several',
  reject: 'Rejected',
  request_changes: 'Proposed changes',
  escalate: 'Sent it to a person for review',
  revise: 'Proposed a new version',
  keep: 'Changes could not be made',
  start: 'Started it',
  complete: 'Finished it',
  fail: 'Ended it as failed',
  stall: 'Found it stuck',
  pause: 'Paused it',
  resume: 'Resumed it',
  retry: 'Ran what failed again',
  continue: 'Went on with it',
  cancel: 'Cancelled it',
  expire: 'Let it expire',
  settle_done: 'Said the step was done',
  settle_failed: 'Said the step was not done',
  settle_retry: 'Had the step run',
  settle_skip: 'Continued without the step',
  take_over: "Took over someone else's question",
  settle_refused: 'Refused an answer that came too late',
  callback_taken: 'Took the result of a callback',
  finding_raised: 'Reported a problem',
  finding_replan: 'Had the problem corrected',
  finding_proceed: 'Let the steps run as they are',
  finding_leave_out: 'Left the steps on hold out',
  finding_dismiss: 'Dismissed the problem',
  patch_proposed: 'Proposed a change of the plan',
  patch_applied: 'Changed the plan',
  patch_approved: 'Approved a change of the plan',
  patch_rejected: 'Rejected a change of the plan',
  patch_refused: 'Refused a change of the plan',
  call_refused: 'Stopped a call that was not approved',
  call_would_be_refused: 'Found a call that is not approved',
  series_stopped: 'Stopped what comes again',
  stop_planning: 'Stopped the planner',
};

export function describeAuditEntry({
  action,
  data,
  actor_kind: kind,
}: Pick<AuditEntry, 'action' | 'data' | 'actor_kind'>): string {
  if (action === 'keep' && kind === 'person') return 'Kept the version as it was';
  if (data?.yes_or_no === true) return data.answer === 'No' ? 'Said no' : 'Said yes';
  return Object.hasOwn(words, action) ? (words[action] ?? action) : describeKind(action);
}
