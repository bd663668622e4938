// Parses a model's outline; structure is left to the validator.
import { z } from 'zod';
import { errorMessage } from '#domain/errors.ts';
import { readLag } from '#domain/length.ts';
import { type Dependency, DependencyType, toDependency } from '#domain/plan/dependency.ts';
import { BudgetUsd, type Risk } from '#domain/plan/plan.ts';
import type { StepDraft } from '#domain/plan/step-content.ts';
import { OutlineNode, type PlanOutline, Rhythm, Structure } from '#domain/planning/outline.ts';
import { RoadmapWay } from '#domain/planning/roadmap.ts';
import type { StrategyProfile } from '#domain/planning/schedule.ts';
import type { OperationSpec } from '#domain/tool.ts';
import { readDuration } from '#timeline/durations.ts';
import { beginAfter, checkTimezone, toLimit, toMoment } from '#timeline/recurrence.ts';
import { checkRule, readRule } from '#timeline/rule.ts';
import { takeId } from './outline-tree.ts';
import { createStepReader, findHuman, measureLengths, WrittenStep } from './written-steps.ts';

const moment = z
  .string()
  .nullable()
  .describe('ISO 8601; without an offset it is meant in the person’s time zone. null: not said.');

/** In the notation; numbers are minutes. */
export const WrittenLength = z
  .union([z.string(), z.number().min(0).max(5_256_000)])
  .describe('"2 h", "3 working days" of a person’s work, "3 days" by the calendar');
export const WrittenLag = z
  .union([z.string(), z.int().min(-525_600).max(525_600)])
  .describe('"2 days", "72 h"; "-1 h" is a lead');

const WrittenNode = z.strictObject({
  id: z.string().describe('Short and unique. Keep the ids of nodes that do not change.'),
  parent: z.string().nullable().describe('Id of the node it is a part of; null for the goal.'),
  title: z.string().describe('What it is, verb first for tasks.'),
  structure: Structure,
  rhythm: Rhythm,
  after: z
    .array(
      z.union([
        z.string(),
        z.strictObject({ id: z.string(), type: DependencyType, lag_minutes: WrittenLag }),
      ]),
    )
    .describe(
      'Ids of the nodes that must be done before. "Two days after a": {"id": "a", "type": "FS", "lag_minutes": "2 days"}; SS: starts after its start; FF: ends after its end; SF: ends after its start.',
    ),
  duration_minutes: WrittenLength.nullable(),
  not_before: moment,
  deadline: moment,
  recurs: z
    .strictObject({
      rrule: z.string().describe('RFC 5545, such as FREQ=WEEKLY;BYDAY=MO.'),
      starts_at: moment,
      timezone: z.string().nullable().describe('IANA zone; null: the person’s.'),
      until: moment,
    })
    .nullable()
    .describe('Only with rhythm "recurring".'),
  target: z
    .strictObject({ amount: z.number(), unit: z.string() })
    .nullable()
    .describe('What adds up, with rhythm "cumulative": 500 pages.'),
  steps: z.array(WrittenStep).describe('Only for tasks and checkpoints without parts.'),
});
type WrittenNode = z.infer<typeof WrittenNode>;

export const WrittenPreferences = z
  .strictObject({
    order: RoadmapWay.nullable().describe(
      'one at a time: each change waits for the one before; checked: a look before what cannot be taken back; as said: as fast as the order allows. null: not said.',
    ),
    in_working_hours: z
      .boolean()
      .nullable()
      .describe('true: people are asked in their working hours only; null: not said.'),
    budget_usd: BudgetUsd.nullish().describe('the most that models may cost: 0.2 is 20 cents'),
  })
  .nullable()
  .describe('How the person wants it done, where they said so; otherwise null.');

const WrittenOutlineFields = z.strictObject({
  title: z.string().describe('The gist in a few words.'),
  summary: z.string().describe('One sentence: what will be true afterwards.'),
  nodes: z.array(WrittenNode),
  risks: z.array(
    z.strictObject({
      text: z.string().describe('What could go wrong.'),
      sign: z.string().nullable().describe('What would show it.'),
    }),
  ),
  assumptions: z.array(z.string()).describe('What is taken for granted, one sentence each.'),
  confidence: z.number().describe('From 0 to 1: how sure you are that this is what is wanted.'),
  preferences: WrittenPreferences.optional(),
});
// Strict schemas require every key.
export const WrittenOutline = WrittenOutlineFields.meta({
  required: Object.keys(WrittenOutlineFields.shape),
});
export type WrittenOutline = z.infer<typeof WrittenOutline>;

/** Sent on every call; `nodeWords` follow when drafting. */
export const ShownOutline = z.looseObject({ nodes: z.array(z.looseObject({})) });

export const nodeWords = `Beside "nodes": "title", "summary" (what will be true), "risks": [{"text","sign"}], "assumptions": texts, "confidence": 0 to 1. A node: {"id", "parent": id or null, "title", "structure": ${Structure.options.join(' | ')}, "rhythm": ${Rhythm.options.join(' | ')}, "after": ids, or {"id","type":"FS|SS|FF|SF","lag_minutes": "2 days"} (from that end or start), "duration_minutes": "3 working days", "not_before", "deadline": local ISO 8601, "recurs": {"rrule","starts_at","timezone","until"} if recurring, "target": {"amount","unit"} if cumulative, "steps": as in add_steps, at the leaves only}. One goal without parent; phases or milestones where the work is large. Keep the ids of nodes that do not change.`;

export function readPreferences(
  written: z.infer<typeof WrittenPreferences> | undefined,
): Pick<PlanOutline, 'preferences'> {
  if (written === null || written === undefined) return {};
  const { budget_usd, ...others } = written;
  const isGiven = Object.values(written).some((value) => value != null);
  return isGiven
    ? { preferences: { ...others, ...(budget_usd == null ? {} : { budget_usd }) } }
    : {};
}

const maxProblems = 20;
const maxNodes = 5000;

export function readNodes(
  written: WrittenOutline,
  manifest: OperationSpec[],
  timezone: string,
  now: Date,
  profile: StrategyProfile,
): { nodes: OutlineNode[] } | { problems: string[] } {
  if (written.nodes.length === 0) return { problems: ['The outline has no nodes.'] };
  if (written.nodes.length > maxNodes)
    return { problems: [`The outline has more than ${maxNodes} nodes. Ask for less at once.`] };
  const { readNew } = createStepReader(manifest, timezone);
  const asksPerson = findHuman(manifest);
  const problems: string[] = [];
  const nodes: OutlineNode[] = [];
  for (const node of written.nodes) {
    if (problems.length >= maxProblems) break;
    const steps = node.steps.flatMap((step): StepDraft[] => {
      const read = readNew(step);
      if ('step' in read) return [read.step];
      problems.push(...read.problems);
      return [];
    });
    const read = readNode(node, steps, { timezone, now, asksPerson, profile });
    if ('problems' in read) problems.push(...read.problems);
    else nodes.push(read.node);
  }
  const measured = measureLengths(nodes, asksPerson, profile);
  problems.push(...measured.problems);
  if (problems.length > 0) return { problems: problems.slice(0, maxProblems) };
  return { nodes: coverWithGoal(settleEdges(measured.nodes), written.title) };
}

type NodeReading = {
  timezone: string;
  now: Date;
  asksPerson: (step: StepDraft) => boolean;
  profile: StrategyProfile;
};

function readNode(
  written: WrittenNode,
  steps: StepDraft[],
  { timezone, now, asksPerson, profile }: NodeReading,
): { node: OutlineNode } | { problems: string[] } {
  const { recurs, after, target, duration_minutes: length, ...rest } = written;
  const name = `Node ${written.id.slice(0, 40) || '?'}`;
  const problems: string[] = [];
  const toTime = (text: string | null, read = toMoment): string | null => {
    if (text === null || text.trim() === '') return null;
    try {
      return read(text.trim(), timezone).toISOString();
    } catch (error) {
      problems.push(`${name}: ${errorMessage(error)}`);
      return null;
    }
  };
  const isPersons = steps.some(asksPerson);
  const read =
    length === null ? null : readDuration(length, profile, isPersons ? 'person' : 'clock');
  if (read?.ok === false) problems.push(`${name}: ${read.message}`);
  const minutes = read?.ok === true ? read.minutes : null;
  // The only step's duration is the node's.
  const duration = read?.ok === true ? (read.text ?? undefined) : undefined;
  const only = steps.length === 1 && duration !== undefined ? steps[0] : undefined;
  const zone = recurs?.timezone?.trim() || timezone;
  const rule =
    recurs === null
      ? null
      : {
          rrule: readRule(recurs.rrule),
          starts_at:
            toTime(recurs.starts_at) ??
            beginAfter({ rrule: recurs.rrule, timezone: zone }, now).toISOString(),
          timezone: zone,
          until: toTime(recurs.until, toLimit),
        };
  const broken = rule === null ? null : (checkRule(rule.rrule) ?? checkTimezone(zone));
  if (broken !== null) problems.push(`${name}: ${broken}`);
  const parsed = OutlineNode.safeParse({
    ...rest,
    parent: rest.parent?.trim() ? rest.parent : null,
    rhythm: rule === null ? rest.rhythm : 'recurring',
    level: 1,
    after: after.map((edge) => {
      if (typeof edge === 'string') return { id: edge };
      const lag =
        typeof edge.lag_minutes === 'string' ? readLag(edge.lag_minutes) : edge.lag_minutes;
      if (typeof lag === 'string') problems.push(`${name}: ${lag}`);
      return { ...edge, lag_minutes: typeof lag === 'string' ? 0 : lag };
    }),
    steps: only === undefined ? steps : [{ ...only, duration }],
    duration_minutes: minutes,
    not_before: toTime(rest.not_before),
    deadline: toTime(rest.deadline, toLimit),
    recurs: rule,
    target: target === null || target.amount <= 0 ? null : target,
  });
  if (parsed.success && problems.length === 0) return { node: parsed.data };
  const issues = parsed.error?.issues.slice(0, 5) ?? [];
  problems.push(...issues.map(({ path, message }) => `${name}: ${path.join('.')}: ${message}.`));
  return { problems };
}

/** Moves dependencies between steps and nodes to where they belong. */
export function settleEdges(nodes: OutlineNode[]): OutlineNode[] {
  const byId = new Map(nodes.map((node) => [node.id, node]));
  const owners = new Map(
    nodes.flatMap((node) => node.steps.map((step) => [step.id ?? '', node] as const)),
  );
  return nodes.map((node) => {
    const edges = node.after.map((edge) => {
      const owner = byId.has(edge.id) ? undefined : owners.get(edge.id);
      return owner === undefined ? edge : { ...edge, id: owner.id };
    });
    const steps = node.steps.map((step) => {
      const kept = (step.after ?? []).filter((entry) => {
        const id = typeof entry === 'string' ? entry : entry.id;
        const owner = owners.get(id) ?? byId.get(id);
        if (owner === undefined || owner.id === node.id) return true;
        const whole = node.steps.length === 1 && owner.steps.length <= 1;
        if (!whole && owners.has(id)) return true;
        edges.push({ ...toDependency(entry), id: owner.id });
        return false;
      });
      const { after: _, ...rest } = step;
      return kept.length === 0 ? rest : { ...rest, after: kept };
    });
    const seen = new Set<string>();
    const isNew = ({ id, type }: Dependency) => seen.size < seen.add(`${type} ${id}`).size;
    return { ...node, after: edges.filter(isNew), steps };
  });
}

/** Small plans are tasks only; their title becomes the goal. */
function coverWithGoal(nodes: OutlineNode[], title: string): OutlineNode[] {
  if (nodes.some(({ structure }) => structure === 'goal')) return nodes;
  const id = takeId('goal', new Set(nodes.map((node) => node.id)));
  const goal = OutlineNode.parse({ id, title, structure: 'goal', level: 1 });
  return [goal, ...nodes.map((node) => (node.parent === null ? { ...node, parent: id } : node))];
}

/** Non-empty and distinct, within an outline's limits. */
export function readTexts(texts: string[]): string[] {
  const clean = texts.map((text) => text.trim().slice(0, 1000)).filter((text) => text !== '');
  return [...new Set(clean)].slice(0, 50);
}

export function readRisks(risks: WrittenOutline['risks']): Risk[] {
  return risks
    .filter(({ text }) => text.trim() !== '')
    .slice(0, 50)
    .map(({ text, sign }) => ({
      text: text.trim().slice(0, 1000),
      ...(sign?.trim() ? { sign: sign.trim().slice(0, 1000) } : {}),
    }));
}
