// A change of a plan that waits for an approval: what it does, why it asks again, and buttons that are about it alone.
import type { CardPress, PatchFacts, PlanCardFacts, ShownChange } from '#contracts/card.ts';
import { countOf } from '#contracts/words.ts';
import { withReview } from './ask-review.ts';
import { makeButton } from './buttons.ts';
import { headlineOf, warnOfTarget, wholeLines } from './calls.ts';
import { showPerson } from './people.ts';
import { cleanLine, isolateText, showLine } from './plain.ts';
import type { Ask, Form } from './view.ts';

const rejectForm: Form = {
  fields: [],
  label: 'Why? (optional)',
  placeholder: 'The plan is fine as it is',
  required: false,
  missing: '',
  submit: 'Reject the change',
};

const whole = (text: string): string => isolateText(cleanLine(text));

/** One operation of the change with every value it brings. */
function describeShown({ text, call, reason }: ShownChange, now: string): string[] {
  if (call === null) return [whole(text)];
  const warning = warnOfTarget(call);
  return [
    `${whole(text)}: ${headlineOf(call, now)}`,
    ...(warning === '' ? [] : [warning]),
    ...wholeLines(call),
    ...(reason === '' ? [] : [`The planner’s reason: ${whole(reason)}`]),
  ];
}

function describeSize({ added, changed, removed }: PatchFacts): string {
  const parts = [
    added > 0 ? `adds ${countOf(added, 'step')}` : '',
    changed > 0 ? `changes ${countOf(changed, 'step')}` : '',
    removed > 0 ? `removes ${countOf(removed, 'step')}` : '',
  ].filter((part) => part !== '');
  return parts.join(', ');
}

function describeApprovals(
  { approved, approvals_needed: needed }: PatchFacts,
  facts: PlanCardFacts,
): string[] {
  if (needed < 2) return [];
  const names = approved.map((name) => showPerson(facts, name, 60)).join(', ');
  return [`${approved.length} of ${needed} approved${names === '' ? '' : ` (${names})`}`];
}

/** The ask of the change that waits; none where none does. */
export function askAboutChange(facts: PlanCardFacts): Ask[] {
  const { plan, patch } = facts;
  if (patch === null) return [];
  const press = (action: CardPress['action']): CardPress => ({
    action,
    plan_id: plan.id,
    version: patch.version,
    digest: patch.digest,
  });
  const who = patch.may_approve ? 'you' : showLine(patch.approvers, 120);
  const why = patch.reason === null ? '' : `: ${whole(patch.reason)}`;
  const unseen = patch.operations_hidden;
  const ask: Ask = {
    kind: 'change',
    step_id: patch.patch_id,
    label: `A change waits for ${who} · version ${patch.version} · digest ${patch.digest.slice(0, 8)}`,
    text: `${showPerson(facts, patch.proposed_by, 60)} would change this plan (${describeSize(patch)})${why}`,
    known: [
      ...patch.shown.flatMap((one) => describeShown(one, facts.now)),
      ...(unseen === 0 ? [] : [`… and ${countOf(unseen, 'more change')} that don't fit here`]),
      'It needs its own approval:',
      ...patch.widening.map(whole),
      ...describeApprovals(patch, facts),
      'Until then the approved plan continues.',
    ],
    note: null,
    fields: [],
    buttons: [
      // What cannot be shown cannot be approved here.
      ...(unseen > 0
        ? []
        : [makeButton(press('approve'), 'Approve the change', { style: 'primary' })]),
      makeButton(press('reject'), 'Reject the change', { form: rejectForm }),
    ],
  };
  return [withReview(ask, press('details'))];
}
