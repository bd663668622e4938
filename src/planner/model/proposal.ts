// The schema of plan_propose. Arguments are JSON text, since strict schemas allow no free-form objects.
import { z } from 'zod';
import { PlanDraft } from '#domain/plan/plan.ts';
import { isObject, type Json, type JsonObject } from '#domain/text.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { indexOperations, readConditions, WrittenStep } from '../grammar/read-step.ts';
import { WrittenPreferences } from '../grammar/written-outline.ts';

const { description, tool, operation, args, when, ask_before } = WrittenStep.shape;

export const ProposalArguments = z.strictObject({
  title: z.string().describe('The gist in a few words.'),
  summary: z.string().describe('One sentence: what will be true afterwards.'),
  steps: z.array(
    z.strictObject({
      id: z
        .string()
        .describe('Short and unique, such as 1 or 2a. Keep the ids of steps that do not change.'),
      description,
      tool,
      operation,
      args,
      after: z
        .array(z.string())
        .describe('Ids of the steps that must be done before; empty when none.'),
      when,
      ask_before,
    }),
  ),
  risks: z.array(
    z.strictObject({
      text: z.string().describe('What could go wrong, or what is assumed.'),
      sign: z.string().nullable().describe('What would show it.'),
    }),
  ),
  confidence: z
    .number()
    .describe('From 0 to 1: how sure you are that this is what the person wants.'),
  preferences: WrittenPreferences,
});

type Preferences = z.infer<typeof WrittenPreferences>;

export type ReadProposal =
  | { ok: true; draft: PlanDraft; confidence: number | null; preferences: Preferences }
  | { ok: false; problems: string[] };

/** Also takes what servers without strict schemas send: objects for arguments, full operation names, left-out fields. */
export function readProposal(raw: JsonObject, manifest: OperationSpec[]): ReadProposal {
  const { confidence, preferences, ...rest } = dropNulls(raw);
  const steps = Array.isArray(rest.steps) ? rest.steps : [];
  const problems: string[] = [];
  const find = indexOperations(manifest);
  const read = steps.map((step, index) => readStep(step, index, find, problems));
  if (problems.length > 0) return { ok: false, problems };
  const parsed = PlanDraft.safeParse({ ...rest, steps: read });
  if (!parsed.success) {
    const issues = parsed.error.issues
      .slice(0, 10)
      .map((issue) => `${issue.path.join('.') || 'arguments'}: ${issue.message}`);
    return { ok: false, problems: issues };
  }
  const wished = WrittenPreferences.safeParse(
    isObject(preferences) ? { order: null, in_working_hours: null, ...preferences } : null,
  );
  if (!wished.success)
    return { ok: false, problems: ['preferences: that is none of the choices.'] };
  const score =
    typeof confidence === 'number' && confidence >= 0 && confidence <= 1 ? confidence : null;
  return { ok: true, draft: parsed.data, confidence: score, preferences: wished.data };
}

function dropNulls(value: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== null)
      .map(([key, item]) => [
        key,
        key === 'risks' && Array.isArray(item)
          ? item.map((risk) => (isObject(risk) ? dropNulls(risk) : risk))
          : item,
      ]),
  );
}

function readStep(
  step: Json,
  index: number,
  find: ReturnType<typeof indexOperations>,
  problems: string[],
): Json {
  if (!isObject(step)) {
    problems.push(`steps.${index} is not an object.`);
    return step;
  }
  const { when: conditions, ...said } = dropNulls(step);
  const clean: JsonObject = { ...said, ...readConditions(conditions) };
  const args = readArgs(clean.args);
  if (args === undefined) {
    problems.push(`steps.${index}.args is not a JSON object.`);
    return clean;
  }
  const wordOf = (value: Json | undefined) => (typeof value === 'string' ? value : '');
  const spec = find(wordOf(clean.tool), wordOf(clean.operation));
  const named = spec ? { tool: spec.tool, operation: spec.operation } : {};
  return { ...clean, ...named, args };
}

function readArgs(value: Json | undefined): JsonObject | undefined {
  if (value === undefined || value === '') return {};
  if (isObject(value)) return value;
  if (typeof value !== 'string') return undefined;
  try {
    const parsed: Json = JSON.parse(value);
    return isObject(parsed) ? parsed : undefined;
  } catch {
    return undefined; // the model is told that it was no JSON
  }
}
