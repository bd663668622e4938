// Normalises and checks a draft's step, collecting problems.
import type { Problems } from '#domain/errors.ts';
import { openArguments } from '#domain/plan/arguments.ts';
import type { Step } from '#domain/plan/plan.ts';
import { type ReviewRank, reviewRank } from '#domain/plan/review-rank.ts';
import { contentOfDraft, type StepContent, type StepDraft } from '#domain/plan/step-content.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import type { Json, JsonObject } from '#domain/text.ts';
import { type Catalogue, isOffered, type OperationSpec, operationName } from '#domain/tool.ts';
import { parseDuration } from '#timeline/durations.ts';
import { describeCall } from '#tools/describe-call.ts';
import type { PoolLimits } from '../plans-context.ts';
import { areReadable } from './check-references.ts';
import { type SealedContent, sealOf } from './digests.ts';

export type StepRules = {
  catalogue: Pick<Catalogue, 'list' | 'get' | 'validate'>;
  /** Exact names. */
  guarded: ReadonlySet<string>;
  pools: PoolLimits;
  profile: StrategyProfile;
};

export type StepBody = Omit<StepContent, 'after'> &
  Pick<Step, 'effect' | 'guarded'> & { seal: string; review_rank: ReviewRank };

function checkArguments(
  args: JsonObject,
  name: string,
  { catalogue }: StepRules,
  path: string,
  label: string,
  problems: Problems,
): void {
  const later = openArguments(args);
  const reasons = catalogue.validate(name, args, later);
  if (reasons.length === 0) return;
  const special = catalogue.get(name)?.check?.(args, later)?.code ?? 'invalid_arguments';
  problems.add(special, path, `Step ${label} (${name}): ${reasons.join('; ')}.`);
}

/** UTC; Postgres and the digest need four-digit years there too. */
export function readTime(
  step: Pick<StepDraft, 'not_before'>,
  path: string,
  label: string,
  problems: Problems,
): string | null {
  if (step.not_before === undefined) return null;
  const time = new Date(step.not_before);
  const year = time.getUTCFullYear();
  if (year >= 1000 && year <= 9999) return time.toISOString();
  problems.add(
    'invalid_request',
    `${path}.not_before`,
    `Step ${label} has a not_before that is no time between the years 1000 and 9999. Give one such as 2026-05-04T09:00:00Z.`,
  );
  return null;
}

/** By words, else as given. */
export function measureLength(
  { duration = null, duration_minutes: given }: Pick<StepContent, 'duration' | 'duration_minutes'>,
  spec: OperationSpec | undefined,
  path: string,
  { profile }: StepRules,
  problems: Problems,
): number | null {
  if (duration === null) return given;
  const read = parseDuration(duration, profile, spec?.human === true ? 'person' : 'clock');
  if (read.ok) return read.minutes;
  problems.add('invalid_request', `${path}.duration`, read.message);
  return null;
}

/** More than a pool's capacity would wait forever. */
export function checkResources(
  step: Pick<StepDraft, 'resources'>,
  path: string,
  label: string,
  pools: PoolLimits,
  problems: Problems,
): void {
  const known = Object.keys(pools);
  if (known.length === 0) return;
  for (const [name, amount] of Object.entries(step.resources ?? {})) {
    const place = `${path}.resources.${name}`;
    // A name such as "constructor" must not match an inherited property.
    const pool = Object.hasOwn(pools, name) ? pools[name] : undefined;
    if (pool === undefined) {
      problems.add(
        'invalid_request',
        place,
        `Step ${label} needs ${name}, which is no resource pool. There are ${known.join(', ')}.`,
      );
    } else if (amount > pool.capacity - pool.headroom) {
      problems.add(
        'invalid_request',
        place,
        `Step ${label} needs ${amount} of ${name}, which has ${pool.capacity - pool.headroom}. Ask for less, or raise resourcePools.${name}.`,
      );
    }
  }
}

function describeKnown({ catalogue }: StepRules): string {
  const names = catalogue
    .list()
    .filter(isOffered)
    .map(({ name }) => name);
  const shown = names.slice(0, 12).join(', ');
  return names.length > 12 ? `${shown} and ${names.length - 12} more` : shown;
}

/** To verify the call and rank it for review. */
export function bindStep(
  step: SealedContent & Pick<Step, 'guarded'>,
  spec: OperationSpec | undefined,
): Pick<StepBody, 'seal' | 'review_rank'> {
  const call = describeCall(operationName(step.tool, step.operation), spec, step.args, step.seen);
  return { seal: sealOf(step), review_rank: reviewRank(call, step.guarded) };
}

function targetFrom(args: JsonObject, argument: string | undefined): string | null {
  const value = argument === undefined ? undefined : args[argument];
  return typeof value === 'string' && value !== '' ? value.slice(0, 2000) : null;
}

function textsOf(value: Json): string[] {
  if (typeof value === 'string') return [value.trim()];
  if (typeof value !== 'object' || value === null) return [];
  return (Array.isArray(value) ? value : Object.values(value)).flatMap(textsOf);
}

/** A different stated target would mislead. */
export function checkTarget(
  target: string | null | undefined,
  args: JsonObject,
  path: string,
  label: string,
  problems: Problems,
): void {
  if (target === undefined || target === null) return;
  const texts = textsOf(args);
  if (texts.length === 0 || texts.includes(target.trim())) return;
  problems.add(
    'contradicting_target',
    `${path}.target`,
    `Step ${label} says its target is "${target.slice(0, 200)}", and none of its arguments does. Leave "target" out: it is read from the arguments.`,
  );
}

/** @param path in the request: `steps[3]` */
export function normaliseStep(
  step: StepDraft,
  id: string,
  path: string,
  rules: StepRules,
  problems: Problems,
): StepBody {
  const name = operationName(step.tool, step.operation);
  const spec = rules.catalogue.get(name);
  const given = step.args ?? {};
  const readable = areReadable(given, path, id, problems);
  const args = readable ? given : {};
  // Its IDs contain the reserved `#`.
  const isKept = spec?.internal === true && !id.includes('#');
  if (spec === undefined || spec.tool !== step.tool || isKept) {
    problems.add(
      'unknown_operation',
      path,
      `Step ${id} uses ${name}, which no tool offers. Available: ${describeKnown(rules)}.`,
    );
  } else if (readable) {
    checkArguments(args, name, rules, `${path}.args`, id, problems);
  }
  checkTarget(step.target, args, path, id, problems);
  checkResources(step, path, id, rules.pools, problems);
  const guarded = rules.guarded.has(name);
  const { after: _, ...content } = contentOfDraft(step);
  const body = {
    ...content,
    id,
    args,
    target: targetFrom(args, spec?.targetArgument),
    capabilities: [...new Set([...(spec?.capabilities ?? []), ...content.capabilities])],
    not_before: readTime(step, path, id, problems),
    duration_minutes: measureLength(content, spec, path, rules, problems),
    guarded,
  };
  return { ...body, effect: spec?.effect ?? 'write', ...bindStep(body, spec) };
}
