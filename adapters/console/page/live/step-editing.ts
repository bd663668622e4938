// Edits a step of a waiting plan.
import { emptyBuild, fieldsOf } from '#domain/plan/build.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { readEntries, toEntries } from '#domain/plan/form-entries.ts';
import { changesBetween } from '#domain/plan/merge.ts';
import type { OperationForm } from '#domain/plan/operation-form.ts';
import { operationsOf } from '#domain/plan/step-edit.ts';
import { writeTemplates } from '#domain/plan/templates.ts';
import { browserZone } from '../plan/browser-zone.ts';
import { describeEdit } from '../plan/step-edit.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { describeError, get } from './api.ts';
import { edits } from './edits.ts';
import type { Card } from './state.ts';
import { change, changeNow, state } from './store.ts';

const focusOn = (selector: string) => document.querySelector<HTMLElement>(selector)?.focus();

/** Starts from an unsent edit. */
export async function startEdit(card: Card, step: ShownStep, label: string): Promise<void> {
  const { id: plan, digest } = card.facts.plan;
  try {
    const name = encodeURIComponent(`${step.tool}_${step.operation}`);
    const form = await get<OperationForm>(`/api/operations/${name}`);
    const known = edits.split(card).current.find((one) => one.step === step.id);
    const read = toEntries(form.fields, writeTemplates(known?.args ?? step.args), browserZone);
    const notBefore = step.not_before === null ? '' : (browserZone.toLocal(step.not_before) ?? '');
    changeNow((s) => {
      s.editing = {
        ...{ plan, digest, step, label, kept: read.kept, values: new Map() },
        build: {
          ...emptyBuild,
          step: {
            id: step.id,
            form: { ...form, fields: read.fields },
            counts: {},
            entries: read.entries,
            args: {},
            at: known?.at ?? notBefore,
            after: known?.after ?? step.after.map(({ id }) => id),
          },
        },
      };
    });
    focusOn('[data-place="editing"] :is(textarea, input, select, button)');
  } catch (error) {
    change((s) => s.notices.set(plan, describeError(error)));
  }
}

export function leaveEdit(): void {
  const { editing } = state;
  changeNow((s) => {
    s.editing = null;
  });
  if (editing !== null) focusOn(`[data-edit="${CSS.escape(editing.step.id)}"]`);
}

/** An unchanged step is no edit. */
export function saveEdit(card: Card, names: StepLabels): void {
  const { editing } = state;
  const step = editing?.build.step;
  if (editing == null || step == null) return;
  const { args, problems } = readEntries(fieldsOf(step), step.entries, browserZone, editing.kept);
  if (problems.length > 0) {
    changeNow((s) => {
      if (s.editing !== null) s.editing.build = { ...editing.build, problems };
    });
    focusOn('[data-place="editing"] [aria-invalid="true"]');
    return;
  }
  const { plan, digest, step: shown, label } = editing;
  const { at, after } = step;
  const entered = { args, at, after };
  const changes = changesBetween(writeTemplates(shown.args), args);
  const operations = operationsOf(shown, { changes, at, after }, browserZone);
  const lines = describeEdit(shown, step.form.fields, entered, names);
  const { version } = card.facts.plan;
  const own = { step: shown.id, label, digest, version, ...entered, lines, operations };
  edits.replace(plan, own, operations.length === 0 ? null : own);
  leaveEdit();
}
