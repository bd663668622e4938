// The sections a person reads in order to decide: touches, steps, what changed, risks, what was asked before.
import type { PlanCardFacts } from '#contracts/card.ts';
import { numberSteps } from '#contracts/step-numbers.ts';
import { countOf } from '#contracts/words.ts';
import { viewBlocked } from './blocked.ts';
import { makeSection, plainLine } from './lines.ts';
import { showLine } from './plain.ts';
import { stepLine } from './step-lines.ts';
import { viewTouches } from './touches.ts';
import { describeChange } from './version-words.ts';
import type { Section } from './view.ts';

const stepsAtMost = 7;
const risksAtMost = 3;

function viewSteps(facts: PlanCardFacts): Section | null {
  const total = facts.plan.total_steps;
  const lines = numberSteps(facts.steps).map((step) => stepLine(step, facts));
  const section = makeSection('steps', 'Steps', lines, stepsAtMost, total);
  if (section === null || section.hidden === 0 || facts.link === null) return section;
  return { ...section, all: `All ${countOf(total, 'step')}` };
}

function viewChanges({ diff, now, viewer }: PlanCardFacts): Section | null {
  if (diff === null) return null;
  const line = plainLine(describeChange(diff, now, viewer.timezone));
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
  const sections = [
    viewTouches(facts),
    viewSteps(facts),
    viewBlocked(facts, false),
    viewChanges(facts),
    viewRisks(facts),
  ];
  return sections.filter((section) => section !== null);
}
