// One step as a model writes it, read as a draft: arguments from JSON in text, the operation by any of its names.
import { StepDraft } from '#contracts/plan.ts';
import { JsonObject } from '#contracts/text.ts';
import type { OperationSpec } from '#contracts/tool.ts';

export type WrittenStep = {
  id: string;
  description: string;
  tool: string;
  operation: string;
  args: string;
  after: string[];
  target: string | null;
  notes: string | null;
};

/** Looks operations up by tool and operation, or by the full name in either place. */
export function indexOperations(
  manifest: OperationSpec[],
): (tool: string, operation: string) => OperationSpec | undefined {
  const byParts = new Map(manifest.map((spec) => [`${spec.tool}\n${spec.operation}`, spec]));
  const byName = new Map(manifest.map((spec) => [spec.name, spec]));
  return (tool, operation) =>
    byParts.get(`${tool}\n${operation}`) ??
    byName.get(operation) ??
    (operation.trim() === '' ? byName.get(tool) : undefined);
}

export function readStep(
  step: WrittenStep,
  find: ReturnType<typeof indexOperations>,
): { step: StepDraft } | { problems: string[] } {
  const { id, description, after, notes } = step;
  const name = `Step ${id.slice(0, 40) || '?'}`;
  const args = readArgs(step.args);
  if (args === null) return { problems: [`${name}: args is not a JSON object in text.`] };
  const spec = find(step.tool, step.operation);
  const written = step.target?.trim() ?? '';
  const touched = spec?.targetArgument === undefined ? undefined : args[spec.targetArgument];
  const target = written === '' && typeof touched === 'string' ? touched.trim() : written;
  const parsed = StepDraft.safeParse({
    id,
    description,
    tool: spec?.tool ?? step.tool,
    operation: spec?.operation ?? step.operation,
    args,
    ...(after.length === 0 ? {} : { after }),
    ...(target === '' ? {} : { target: target.slice(0, 2000) }),
    ...(notes === null || notes.trim() === '' ? {} : { notes }),
  });
  if (parsed.success) return { step: parsed.data };
  const problems = parsed.error.issues
    .slice(0, 5)
    .map(({ path, message }) => `${name}: ${path.join('.')}: ${message}.`);
  return { problems };
}

function readArgs(text: string): JsonObject | null {
  if (text.trim() === '') return {};
  try {
    const parsed = JsonObject.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : null;
  } catch {
    return null; // the model is told that it was no JSON
  }
}
