// Bulk decisions: the dialog's text per plan, and results. Pure.
import type { PlanView } from '#cards/view.ts';
import type { PlanCardFacts } from '#domain/chat/card.ts';
import type { InboxPlan } from '#domain/plan/inbox.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { countOf } from '#domain/words.ts';

export type TriageAct = 'approve' | 'reject';

/** The version in the dialog, which the decision binds. */
export type TriageShown = {
  version: number;
  digest: string;
  title: string;
  /** `3 of 4 steps change something` */
  counts: string;
  effects: { lead: string; text: string }[];
  /** `… and 16 more`, or empty. */
  more: string;
  guarded: number;
  /** Some effects are not shown here. */
  cut: boolean;
  /** Waits for this person. */
  open: boolean;
  /** The last start that has passed. */
  passed?: string;
  sentence: string;
  /** Unticked steps. */
  except: string[];
};

export type TriageRow = {
  plan: InboxPlan;
  shown: TriageShown | null;
  included: boolean;
  key: string;
  /** `settled`: nothing left to decide. */
  outcome: { words: string; good: boolean; settled: boolean } | null;
};

export type Triage = {
  act: TriageAct;
  rows: TriageRow[];
  reason: string;
  sending: boolean;
};

export const verbs: Record<TriageAct, string> = { approve: 'Approve', reject: 'Reject' };

const maxEffects = 3;

function countChanges({ review, plan }: Pick<PlanCardFacts, 'review' | 'plan'>, off: number) {
  const total = countOf(plan.total_steps, 'step');
  const steps = off === 0 ? total : `${plan.total_steps - off} of ${total}, as you selected them`;
  if (review.steps === 0 && !review.more) return `${steps} · only reads, nothing leaves`;
  const least = review.more ? 'at least ' : '';
  return `${steps} · ${least}${countOf(review.steps, 'change')}`;
}

export function showForTriage(
  facts: Pick<PlanCardFacts, 'plan' | 'review' | 'may_approve' | 'passed'>,
  view: Pick<PlanView, 'title' | 'sections' | 'sentence'>,
  except: string[],
): TriageShown {
  const { version, digest, status, revising, guarded_operations: guarded } = facts.plan;
  const effects = view.sections.find(({ kind }) => kind === 'effects');
  const lines = (effects?.lines ?? []).map(({ lead, text }) => ({ lead, text }));
  const hidden = Math.max(0, lines.length - maxEffects) + (effects?.hidden ?? 0);
  const undecided = (status === 'proposed' || status === 'needs_review') && !revising;
  return {
    version,
    digest,
    title: view.title,
    counts: countChanges(facts, except.length),
    effects: lines.slice(0, maxEffects),
    more: hidden === 0 ? '' : `… and ${hidden.toLocaleString('en-US')} more`,
    guarded: guarded.length,
    cut: view.sections.some((section) => section.cut === true),
    open: undecided && facts.may_approve,
    ...(facts.passed === undefined ? {} : { passed: facts.passed.last }),
    sentence: view.sentence,
    except,
  };
}

/** Why a plan can't be approved here. @param read this version was opened */
export function whyNot(act: TriageAct, shown: TriageShown, read: boolean): string | null {
  if (!shown.open) return 'No longer waiting for your approval.';
  if (act === 'reject' || read) return null;
  if (shown.guarded > 0) return 'Has guarded steps. Open it and read them before you approve.';
  return shown.cut ? 'Too much to show here. Open it and read it before you approve.' : null;
}

export function describeDecision(act: TriageAct, plan: Pick<Plan, 'status'>): string {
  if (act === 'reject') return 'Rejected';
  return plan.status === 'proposed' || plan.status === 'needs_review'
    ? 'Your approval counts. Someone else has to approve too.'
    : 'Approved';
}

/** `Approve 2 plans · 1 starts now` */
export function nameSending(triage: Triage): string {
  const rows = toSend(triage);
  const now = rows.filter(({ shown }) => shown?.passed !== undefined).length;
  const starts =
    triage.act === 'reject' || now === 0
      ? ''
      : now === rows.length
        ? ' · starts now'
        : ` · ${now} ${now === 1 ? 'starts' : 'start'} now`;
  return `${verbs[triage.act]} ${countOf(rows.length, 'plan')}${starts}`;
}

export function toSend(triage: Triage): TriageRow[] {
  return triage.rows.filter(
    ({ included, shown, outcome }) => included && shown !== null && outcome?.settled !== true,
  );
}
