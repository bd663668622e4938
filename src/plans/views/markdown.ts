// A plan as Markdown, importable without loss.
import { parse, stringify } from 'yaml';
import { z } from 'zod';
import type { Queryable } from '#db/database.ts';
import {
  readScheduledSteps,
  readScheduleHead,
  type ScheduledStep,
} from '#db/planning/artifacts.ts';
import { listArtifacts } from '#db/plans/artifacts.ts';
import { readPlan } from '#db/plans/plans.ts';
import { iterateSteps } from '#db/steps/pages.ts';
import { withoutMark } from '#domain/encoding/encoding.ts';
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { parseShallowJson } from '#domain/json.ts';
import { parseInSlices } from '#domain/parse-in-slices.ts';
import { sayHeadline } from '#domain/plan/call-words.ts';
import { type Plan, PlanDraft, type Series, type Step } from '#domain/plan/plan.ts';
import { sparseContentOf } from '#domain/plan/step-content.ts';
import { showPlanned } from '#domain/plan/step-words.ts';
import {
  escapeJson,
  hidesSomething,
  quoteWords,
  showTitle,
  showWhole,
} from '#domain/shown-text.ts';
import { isSliceOver, mapInSlices, nextTurn } from '#domain/slices.ts';
import { isObject } from '#domain/text.ts';
import { operationName } from '#domain/tool.ts';
import { describeCall } from '#tools/describe-call.ts';
import { describeTerms } from '../content/terms.ts';
import { createOccurrenceTest } from '../series/occurrences.ts';

const maxDescription = 4000;
const artifactsAtOnce = 500;

/** Longer than any run of backticks inside. */
function fence(language: string, text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
  const ticks = '`'.repeat(longest + 1);
  return `${ticks}${language}\n${text}\n${ticks}\n`;
}

const jsonFence = (value: unknown) => fence('json', escapeJson(JSON.stringify(value, null, 2)));

/** Can't start a Markdown structure. */
function inline(text: string): string {
  return notIsolated(showWhole(text)).replaceAll(/([\\`*_[\]<>#])/g, '\\$1');
}

/** A file would show isolates as escapes. */
const notIsolated = (shown: string) => shown.replace(/[\u2068\u2069]/g, '');

function frontMatter(plan: Plan): string {
  const {
    context: _c,
    risks: _r,
    card_refs: _k,
    counts: _n,
    series: _s,
    rejection_history,
    approvals,
    ...fields
  } = plan;
  const { budget_usd } = plan.context;
  const limit = budget_usd === undefined ? {} : { budget_usd };
  const shown = { ...fields, ...limit, approvals, rejection_history };
  const matter = stringify(shown, { lineWidth: 0 });
  // JSON is valid YAML and escapes invisible characters.
  return `---\n${hidesSomething(matter) ? `${escapeJson(JSON.stringify(shown, null, 2))}\n` : matter}---\n`;
}

/** `scheduled Mon 23 Nov 2026, 09:00 – Wed 25 Nov 2026, 17:00 (Europe/Madrid)`. */
function describeScheduled({ starts_at, ends_at }: ScheduledStep, timezone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', {
    timeZone: timezone,
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    year: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  });
  const write = (iso: string) => {
    const parts = format.formatToParts(new Date(iso));
    const { weekday, day, month, year, hour, minute } = Object.fromEntries(
      parts.map(({ type, value }) => [type, value]),
    );
    return `${weekday} ${day} ${month} ${year}, ${hour}:${minute}`;
  };
  return `scheduled ${write(starts_at)} – ${write(ends_at)} (${timezone})`;
}

/** By step ID; empty without a schedule. */
async function describeSchedule(db: Queryable, plan: Plan): Promise<Map<string, string>> {
  const head = await readScheduleHead(db, plan.id, plan.version);
  if (head === null) return new Map();
  const steps = await readScheduledSteps(db, plan.id, plan.version);
  return new Map(steps.map((step) => [step.step_id, describeScheduled(step, head.timezone)]));
}

function stepBlock(step: Step, scheduled: string | undefined, planner: string | null): string {
  const name = operationName(step.tool, step.operation);
  // Effect first; the block below has all arguments.
  const effect = sayHeadline(describeCall(name, undefined, step.args, step.seen));
  return [
    `### ${step.position}. ${inline(effect)}`,
    '',
    [`\`${name}\``, step.status, ...(scheduled === undefined ? [] : [scheduled])].join(' · '),
    '',
    `Reason: ${inline(notIsolated(showPlanned(step.description, planner, maxDescription)))}`,
    '',
    jsonFence(sparseContentOf(step)),
  ].join('\n');
}

/** Recreated from its series on import. */
function occurrenceLine({ id, not_before, status }: Step): string {
  return `- \`${id.replaceAll('`', '')}\` · ${not_before ?? ''} · ${status}\n`;
}

function seriesBlocks(series: Series[], occurrences: string[]): string {
  const blocks = series.map((one) => {
    const terms = describeTerms({ step_approval: 'none', series: [one] }, null)
      .map(inline)
      .join('');
    return `### ${inline(one.title)}\n\n${terms}\n\n${jsonFence(one)}\n`;
  });
  const list = occurrences.length === 0 ? '' : `### Occurrences\n\n${occurrences.join('')}\n`;
  return `## Series\n\n${blocks.join('')}${list}`;
}

async function* artifactLines(db: Queryable, planId: string): AsyncGenerator<string> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const page = await listArtifacts(db, planId, {
      limit: artifactsAtOnce,
      ...(cursor === undefined ? {} : { cursor }),
    });
    if (cursor === undefined && page.artifacts.length > 0) yield '\n## Artifacts\n\n';
    for (const { id, name, size, media_type, step_id, sha256 } of page.artifacts) {
      const by = step_id === null ? '' : ` · step ${inline(step_id)}`;
      yield `- \`${id}\` · ${inline(name)} · ${inline(media_type)} · ${size} bytes${by} · SHA-256 ${sha256}\n`;
    }
    cursor = page.next_cursor;
  }
}

/** @throws `plan_not_found` before the first chunk */
export async function* exportMarkdown(db: Queryable, planId: string): AsyncGenerator<string> {
  const plan = await readPlan(db, planId);
  const isOccurrence = createOccurrenceTest(plan.series);
  const occurrences: string[] = [];
  const schedule = await describeSchedule(db, plan);
  yield `${frontMatter(plan)}\n# ${inline(notIsolated(showTitle(plan.title, maxDescription)))}\n\n${plan.summary === null ? '' : `Goal: ${inline(notIsolated(showPlanned(plan.summary, plan.planner_model, maxDescription)))}\n\n`}## Steps\n\n`;
  for await (const step of iterateSteps(db, planId)) {
    if (isOccurrence(step)) occurrences.push(occurrenceLine(step));
    else yield `${stepBlock(step, schedule.get(step.id), plan.planner_model)}\n`;
  }
  if (plan.series.length > 0) yield seriesBlocks(plan.series, occurrences);
  const { tool_outputs, notes, artifacts } = plan.context;
  yield `## Context\n\n### Tool Outputs\n\n${jsonFence(tool_outputs)}\n`;
  if (plan.context.pattern !== undefined) {
    yield `### Pattern\n\n${jsonFence(plan.context.pattern)}\n`;
  }
  yield `### Notes\n\n${hidesSomething(notes) ? jsonFence(notes) : fence('text', notes)}\n### Artifacts\n\n${jsonFence(artifacts)}\n`;
  yield `## Risks\n\n${plan.risks.map(({ text }) => `- ${inline(quoteWords(text, maxDescription))}\n`).join('')}\n${jsonFence(plan.risks)}`;
  yield* artifactLines(db, planId);
}

type Block = { heading: string; language: string; text: string };

async function readBlocks(body: string): Promise<Block[]> {
  const blocks: Block[] = [];
  let section = '';
  let sub = '';
  let open: { ticks: string; language: string; lines: string[] } | null = null;
  for (const line of body.split('\n')) {
    if (isSliceOver()) await nextTurn();
    if (open !== null) {
      if (line === open.ticks) {
        const heading =
          section === 'Steps' || section === 'Series'
            ? section
            : sub === ''
              ? section
              : `${section}/${sub}`;
        blocks.push({ heading, language: open.language, text: open.lines.join('\n') });
        open = null;
      } else {
        open.lines.push(line);
      }
      continue;
    }
    const fenced = /^(`{3,})(\w*)$/.exec(line);
    if (fenced?.[1] !== undefined) {
      open = { ticks: fenced[1], language: fenced[2] ?? '', lines: [] };
    } else if (line.startsWith('## ')) {
      section = line.slice(3).trim();
      sub = '';
    } else if (line.startsWith('### ')) {
      sub = line.slice(4).trim();
    }
  }
  return blocks;
}

const FrontMatter = z.looseObject({
  title: z.string(),
  summary: z.string().nullish(),
  approver_policy: z.unknown().optional(),
  step_approval: z.unknown().optional(),
  budget_usd: z.unknown().optional(),
});

function bad(reason: string, cause?: unknown): CountersignError {
  return new CountersignError(
    'invalid_request',
    `This is not a plan exported as Markdown: ${reason}`,
    { cause },
  );
}

function readJson(block: Block): unknown {
  try {
    return parseShallowJson(block.text);
  } catch (cause) {
    if (cause instanceof CountersignError) throw cause;
    throw bad(`a block under "${block.heading}" is not JSON (${errorMessage(cause)}).`, cause);
  }
}

/** Text, or JSON if some would be invisible. */
function readNotes(block: Block | undefined): unknown {
  if (block === undefined) return '';
  return block.language === 'json' ? readJson(block) : block.text;
}

const withoutNulls = (value: object): object =>
  Object.fromEntries(Object.entries(value).filter(([, item]) => item !== null));

function readStep(block: Block): object {
  const step = readJson(block);
  if (isObject(step))
    // Looked up again.
    return withoutNulls({ ...step, seen: null });
  throw bad(`a block under "${block.heading}" is not a step.`);
}

/** Becomes a proposal, regardless of status. @throws `invalid_request` naming what is missing */
export async function readMarkdown(markdown: string): Promise<PlanDraft> {
  const text = withoutMark(markdown).replaceAll('\r\n', '\n');
  const matter = /^---\n([\s\S]*?)\n---\n/.exec(text);
  if (matter?.[1] === undefined) throw bad('it does not begin with front matter (---).');
  let fields: z.infer<typeof FrontMatter>;
  try {
    fields = FrontMatter.parse(parse(matter[1]));
  } catch (cause) {
    throw bad(`its front matter cannot be read (${errorMessage(cause)}).`, cause);
  }
  const blocks = await readBlocks(text.slice(matter[0].length));
  const under = (heading: string) => blocks.filter((block) => block.heading === heading);
  const one = (heading: string): unknown => {
    const [block] = under(heading);
    return block === undefined ? undefined : readJson(block);
  };
  const series = under('Series');
  const pattern = one('Context/Pattern');
  const draft = await parseInSlices(PlanDraft, {
    title: fields.title,
    ...(fields.summary == null ? {} : { summary: fields.summary }),
    ...(fields.approver_policy === undefined ? {} : { approvers: fields.approver_policy }),
    ...(fields.step_approval === 'each' ? { step_approval: 'each' } : {}),
    steps: await mapInSlices(under('Steps'), readStep),
    ...(series.length === 0 ? {} : { series: series.map(readJson) }),
    context: {
      tool_outputs: one('Context/Tool Outputs') ?? {},
      notes: readNotes(under('Context/Notes')[0]),
      artifacts: one('Context/Artifacts') ?? [],
      ...(pattern === undefined ? {} : { pattern }),
      ...(fields.budget_usd === undefined ? {} : { budget_usd: fields.budget_usd }),
    },
    risks: one('Risks') ?? [],
  });
  if (draft.success) return draft.data;
  throw bad(z.prettifyError(draft.error), draft.error);
}
