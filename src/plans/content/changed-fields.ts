// Differing fields of a step between versions, as text.
import { renameReferences } from '#domain/plan/arguments.ts';
import { shortenSized } from '#domain/plan/call-words.ts';
import type { AskingStep } from '#domain/plan/condition-labels.ts';
import type { FieldNaming } from '#domain/plan/step-changes.ts';
import { allFields, type StepContent } from '#domain/plan/step-content.ts';
import type { FieldChange } from '#domain/plan/views.ts';
import { readsLikeJson } from '#domain/shown-text.ts';
import { operationName } from '#domain/tool.ts';
import { canonical } from './digests.ts';

/** Binding values are never cut. */
const maxText = 200;
const maxChanges = 20;

/** In order: identity, binding fields, arguments, the rest. */
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

/** Key order is insignificant. */
function textOf(value: unknown): string | null {
  if (value === undefined || value === null) return null;
  if (typeof value !== 'string') return canonical(value);
  // As JSON if it reads like another type or has invisible ends.
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
 * Most relevant first; `changes` has the first 20 with values.
 * @param asking steps that conditions refer to, by version
 * @param whole all fields, with only arguments cut
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
