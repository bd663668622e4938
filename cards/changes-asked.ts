// A change of a plan that waits for an approval: what it does, why it asks again, and buttons that are about it alone.
import type { CardPress, PatchFacts, PlanCardFacts } from '#contracts/card.ts';
import { countOf } from '#contracts/words.ts';
import { makeButton } from './buttons.ts';
import { showPerson } from './people.ts';
import { showLine } from './plain.ts';
import type { Ask, Form } from './view.ts';

const linesAtMost = 5;
const lineAtMost = 300;

const rejectForm: Form = {
  fields: [],
  label: 'Why? (optional)',
  placeholder: 'The plan is enough as it is',
  required: false,
  missing: '',
  submit: 'Reject the change',
};

/** The first lines, and how many more there are. */
function someOf(lines: string[], total: number, noun: string): string[] {
  const shown = lines.slice(0, linesAtMost).map((line) => showLine(line, lineAtMost));
  const hidden = Math.max(total, lines.length) - shown.length;
  return hidden > 0 ? [...shown, `… and ${countOf(hidden, noun)}`] : shown;
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
  const why = patch.reason === null ? '' : `: ${showLine(patch.reason, 400)}`;
  return [
    {
      kind: 'change',
      step_id: patch.patch_id,
      label: `A change waits for ${who} · version ${patch.version} · digest ${patch.digest.slice(0, 8)}`,
      text: `${showPerson(facts, patch.proposed_by, 60)} would change this plan (${describeSize(patch)})${why}`,
      known: [
        ...someOf(patch.changes, patch.changes.length, 'more change'),
        'It needs an approval of its own:',
        ...someOf(patch.widening, patch.widening.length, 'more reason'),
        ...describeApprovals(patch, facts),
        'Until then the plan goes on with what was approved.',
      ],
      note: null,
      fields: [],
      buttons: [
        makeButton(press('approve'), 'Approve the change', { style: 'primary' }),
        makeButton(press('reject'), 'Reject the change', { form: rejectForm }),
      ],
    },
  ];
}
