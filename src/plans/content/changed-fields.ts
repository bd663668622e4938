// The fields in which a step differs between two versions, as text.
import { renameReferences } from '#domain/plan/arguments.ts';
import { shortenSized } from '#domain/plan/call-words.ts';
import type { AskingStep } from '#domain/plan/condition-labels.ts';
import type { FieldNaming } from '#domain/plan/step-changes.ts';
import { allFields, type StepContent } from '#domain/plan/step-content.ts';
import type { FieldChange } from '#domain/plan/views.ts';
import { readsLikeJson } from '#domain/shown-text.ts';
import { operationName } from '#domain/tool.ts';
import { canonical } from './canonical.ts';

/** For values shown in addition to the call; values that bind the call are never cut. */
const maxText = 200;
const maxChanges = 20;

/** Comparison order: the step's identity, the fields that bind it, its arguments, the rest. */
const first = ['description', 'operation', 'target'];
const binding = new Set<string>(
  allFields.flatMap(([name, { whole }]) => (whole === true ? [name] : [])),
);
const rankOf = (name: string): number => {
  if (first.includes(name)) return 0;
  if (binding.has(name)) return 1;
  return name === 'args' ? 2 : 3;
};
const compared = allFields.toSorted(([a], [b]) => rankOf(a) - rankOf(b));

/** Key order is insignificant in JSON. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return canonical(value);
  // A text that could be taken for another type, or has invisible ends, is written as JSON.
  return value !== value.trim() || value === '' || readsLikeJson(value)
    ? JSON.stringify(value)
    : value;
}

function textsOf(step: StepContent, naming: FieldNaming): Map<string, string | null> {
  const texts = new Map<string, string | null>();
  for (const [name, { text }] of compared) {
    const value = step[name];
    if (name === 'operation') texts.set(name, operationName(step.tool, step.operation));
    else if (name === 'args') {
      const named = renameReferences(step.args, naming.nameStep);
      for (const [key, argument] of Object.entries(named))
        texts.set(`args.${key}`, textOf(argument));
    } else texts.set(name, text === undefined ? textOf(value) : text(value, naming));
  }
  return texts;
}

/**
 * The fields that differ, most relevant first. `fields` names them all, `changes` has the first 20 with values, and
 * `changes_total` counts them.
 * @param nameStep returns a step's label by ID
 * @param asking the steps that conditions refer to, as of each version
 * @param whole all of them, and only arguments are cut
 */
export function compareFields(
  before: StepContent,
  after: StepContent,
  nameStep: (id: string) => string,
  asking: { before: AskingStep[]; after: AskingStep[] } = { before: [], after: [] },
  whole = false,
): { fields: string[]; changes: FieldChange[]; changes_total: number } {
  const label = nameStep(after.id);
  const a = textsOf(before, { label, nameStep, asking: asking.before });
  const b = textsOf(after, { label, nameStep, asking: asking.after });
  const changes = [...new Set([...b.keys(), ...a.keys()])].flatMap((field): FieldChange[] => {
    const [from, to] = [a.get(field) ?? null, b.get(field) ?? null];
    return from === to ? [] : [{ field, from, to }];
  });
  const show = (field: string, text: string | null) =>
    text === null || (whole && !field.startsWith('args.')) || binding.has(field)
      ? text
      : shortenSized(text, maxText);
  return {
    fields: [...new Set(changes.map(({ field }) => field.replace(/^args\..*$/s, 'args')))],
    changes: changes.slice(0, whole ? changes.length : maxChanges).map(({ field, from, to }) => ({
      field: whole ? field : shortenSized(field, 200),
      from: show(field, from),
      to: show(field, to),
    })),
    changes_total: changes.length,
  };
}
