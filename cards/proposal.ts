// The sections a person reads in order to decide: touches, steps, what changed, risks, what was asked before.
import type { PlanCardFacts } from '#contracts/card.ts';
import { numberSteps } from '#contracts/step-numbers.ts';
import type { VersionDiff } from '#contracts/views.ts';
import { countOf, listOf } from '#contracts/words.ts';
import { makeSection, plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import { stepLine } from './step-lines.ts';
import { viewTouches } from './touches.ts';
import type { Section } from './view.ts';

const stepsAtMost = 7;
const risksAtMost = 3;
const namesAtMost = 5;

function viewSteps(facts: PlanCardFacts): Section | null {
  const total = facts.plan.total_steps;
  const lines = numberSteps(facts.steps).map((step) => stepLine(step, facts));
  const section = makeSection('steps', 'Steps', lines, stepsAtMost, total);
  if (section === null || section.hidden === 0 || facts.link === null) return section;
  return { ...section, all: `All ${countOf(total, 'step')}` };
}

function nameSome(operations: string[]): string {
  const shown = operations.slice(0, namesAtMost).map((name) => showLine(name, 60));
  const hidden = operations.length - shown.length;
  return listOf(hidden > 0 ? [...shown, `${hidden} more`] : shown);
}

/** `+ 2 steps  − 1 step  ~ 1 changed  · now also calendar_add`. */
function describeChange(diff: VersionDiff): string {
  const counts = [
    ...(diff.added.length > 0 ? [`+ ${countOf(diff.added.length, 'step')}`] : []),
    ...(diff.removed.length > 0 ? [`− ${countOf(diff.removed.length, 'step')}`] : []),
    ...(diff.changed.length > 0
      ? [`~ ${diff.changed.length.toLocaleString('en-US')} changed`]
      : []),
  ];
  const parts = [
    ...(counts.length > 0 ? [counts.join('  ')] : []),
    ...(diff.operations_added.length > 0 ? [`now also ${nameSome(diff.operations_added)}`] : []),
    ...(diff.operations_removed.length > 0
      ? [`no longer ${nameSome(diff.operations_removed)}`]
      : []),
    ...(diff.title_changed ? ['new title'] : []),
  ];
  return parts.length === 0 ? 'The same steps' : parts.join('  · ');
}

function viewChanges({ diff }: PlanCardFacts): Section | null {
  if (diff === null) return null;
  const line = plainLine(describeChange(diff));
  return makeSection('changes', `Changed since version ${diff.from}`, [line], 1);
}

function viewRisks({ plan }: PlanCardFacts): Section | null {
  const lines = plan.risks.map(({ text, sign }) =>
    plainLine(showLine(text, 220).replace(/\.$/, ''), {
      note: sign === undefined ? '' : `Shown by: ${showLine(sign, 160)}`,
    }),
  );
  return makeSection('risks', 'Risks and assumptions', lines, risksAtMost);
}

/** What people said about the versions before. */
export function viewHistory({ plan }: PlanCardFacts): Section | null {
  const lines = plan.rejection_history.map(({ version, by, feedback }) =>
    plainLine(feedback === null ? 'Refused without a reason' : showLine(feedback, 300), {
      lead: `v${version}`,
      note: showLine(by, 60),
    }),
  );
  return makeSection('history', 'Asked for so far', lines, 3);
}

export function viewProposal(facts: PlanCardFacts): Section[] {
  const sections = [viewTouches(facts), viewSteps(facts), viewChanges(facts), viewRisks(facts)];
  return sections.filter((section) => section !== null);
}
