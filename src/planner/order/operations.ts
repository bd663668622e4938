// Effects of operations by manifest and settings, for comparing options.
import type { StepDraft } from '#domain/plan/step-content.ts';
import { isObject } from '#domain/text.ts';
import { type OperationSpec, operationName } from '#domain/tool.ts';

type Named = Pick<StepDraft, 'tool' | 'operation'>;

export type Operations = {
  /** It changes something, or asks somebody to. What is not known is taken to. */
  changes(step: Named): boolean;
  asksPerson(step: Named): boolean;
  /** It destroys what was there, or the settings guard it. */
  isDelicate(step: Named): boolean;
  /** An operation that asks a person a question, and the argument that takes it; null: there is none. */
  question: { spec: OperationSpec; argument: string } | null;
};

export function readOperations(
  manifest: OperationSpec[],
  guarded: readonly string[] = [],
): Operations {
  const specs = new Map(manifest.map((spec) => [spec.name, spec]));
  const guards = new Set(guarded);
  const find = ({ tool, operation }: Named) => specs.get(operationName(tool, operation));
  return {
    changes: (step) => find(step)?.effect !== 'read',
    asksPerson: (step) => find(step)?.human === true,
    isDelicate: (step) =>
      find(step)?.destructive === true || guards.has(operationName(step.tool, step.operation)),
    question: findQuestion(manifest),
  };
}

/** Only an operation whose one required argument is a text can ask without more being known. */
function findQuestion(manifest: OperationSpec[]): Operations['question'] {
  for (const spec of manifest) {
    if (spec.human !== true) continue;
    const { required, properties } = spec.input;
    const [argument, ...more]: unknown[] = Array.isArray(required) ? required : [];
    if (typeof argument !== 'string' || more.length > 0) continue;
    const field = isObject(properties) ? properties[argument] : undefined;
    if (isObject(field) && field.type === 'string') return { spec, argument };
  }
  return null;
}
