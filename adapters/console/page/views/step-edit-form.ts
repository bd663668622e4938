// The edit form of a waiting plan's step.
import { nothing, type TemplateResult } from '../lit.ts';
import type { Card } from '../live/state.ts';
import { leaveEdit, saveEdit } from '../live/step-editing.ts';
import type { StepEditing } from '../plan/step-edit.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { drawStepForm } from './step-form.ts';

type Drawn = TemplateResult | typeof nothing;

/** Larger plans are reordered in words. */
const mostChoices = 40;

export function drawStepEditForm(card: Card, editing: StepEditing, names: StepLabels): Drawn {
  const { steps, plan } = card.facts;
  const { build, values, label } = editing;
  if (build.step === null) return nothing;
  const isOrdered = steps.length <= mostChoices && plan.total_steps <= steps.length;
  const others = isOrdered ? steps.filter(({ id }) => id !== editing.step.id) : [];
  return drawStepForm('editing', {
    ...{ build, step: build.step, values },
    name: `Edit step ${label}`,
    others: others.map(({ id }) => ({ id, label: names.get(id) ?? id, gist: '' })),
    ...{ sources: [], head: nothing },
    leave: { label: 'Cancel', act: leaveEdit },
    submit: { label: 'Save change', act: () => saveEdit(card, names) },
  });
}
