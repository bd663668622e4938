// Expands templates; data is never evaluated as one.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
// The main entry pulls in type sources that fail our compiler options.
import type { Template } from 'adaptivecards-templating/lib/template-engine.js';
import { z } from 'zod';
import { dressCardForSlack, dressTextForSlack, fallbackFor, holdsEffects } from './dress-slack.ts';
import { dressCardForTeams, dressTextForTeams } from './dress-teams.ts';
import { fitCard, fitText, measureBlocks, measureCard, platformLimits } from './limits.ts';
import type { PlanView, SessionView, TextView } from './view.ts';

export type Drawn = { [key: string]: unknown };
export type SlackMessage = { text: string; blocks: Drawn[] };

type LazyTemplate = () => Template;

const require = createRequire(import.meta.url);

const readJson = (path: string): unknown =>
  JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8'));

/** `{ "$part": "quotes" }` inserts the part of that name. */
const Parts = z.record(z.string(), z.json());
let parts: z.infer<typeof Parts> | null = null;

/** Keys of a `Text` that belong to its block. */
const blockKeys = new Set(['$data', '$when', 'spacing']);

function unfold(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(unfold);
  if (typeof node !== 'object' || node === null) return node;
  if ('$part' in node) {
    parts ??= Parts.parse(readJson('teams/parts.json'));
    const part = parts[String(node.$part)];
    if (part === undefined) throw new Error(`cards: there is no part ${node.$part}`);
    return unfold(part);
  }
  const entries = Object.entries(node).map(([key, value]) => [key, unfold(value)] as const);
  if (!('type' in node) || node.type !== 'Text') return Object.fromEntries(entries);
  const [block, run] = [true, false].map((ofBlock) =>
    Object.fromEntries(entries.filter(([key]) => blockKeys.has(key) === ofBlock)),
  );
  return { type: 'RichTextBlock', ...block, inlines: [{ ...run, type: 'TextRun' }] };
}

/** Lazy: the engine has 400 modules, and many processes draw nothing. */
export function findTemplate(path: string): LazyTemplate {
  let template: Template | null = null;
  return () => {
    if (template !== null) return template;
    // The resolved path has this file's type.
    const { Template: Engine } = require('adaptivecards-templating/lib/template-engine.js') as {
      Template: typeof Template;
    };
    template = new Engine(unfold(readJson(path)));
    return template;
  };
}

const templates = {
  teams: {
    card: findTemplate('teams/plan.json'),
    notice: findTemplate('teams/notice.json'),
    question: findTemplate('teams/question.json'),
  },
  slack: {
    card: findTemplate('slack/plan.json'),
    notice: findTemplate('slack/notice.json'),
    question: findTemplate('slack/question.json'),
  },
};

/** Both platforms reject null members. */
function pruneNulls(node: unknown): unknown {
  if (Array.isArray(node)) return node.filter((item) => item !== null).map(pruneNulls);
  if (typeof node !== 'object' || node === null) return node;
  return Object.fromEntries(
    Object.entries(node)
      .filter(([, value]) => value !== null && value !== undefined)
      .map(([key, value]) => [key, pruneNulls(value)]),
  );
}

function expand(template: LazyTemplate, data: unknown): unknown {
  return pruneNulls(template().expand({ $root: data }));
}

export function expandCard(template: LazyTemplate, data: unknown): Drawn {
  // Roots in teams/ are objects.
  return expand(template, data) as Drawn;
}

/** Flattens blocks repeated under `blocks`. */
export function expandBlocks(template: LazyTemplate, data: unknown): Drawn[] {
  // Roots in slack/ are arrays of blocks.
  const blocks = expand(template, data) as (Drawn & { blocks?: Drawn[] })[];
  return blocks.flatMap((block) => block.blocks ?? [block]);
}

export function fitsTeams(card: Drawn): boolean {
  return measureCard(card) <= platformLimits.teams.payload;
}

export function fitsSlack(blocks: unknown[]): boolean {
  return (
    blocks.length <= platformLimits.slack.blocks &&
    measureBlocks(blocks) <= platformLimits.slack.message
  );
}

/** Version 1.5, within Teams' limits. */
export function drawAdaptiveCard(view: PlanView | SessionView): Drawn {
  return fitCard(view, (v) => expandCard(templates.teams.card, dressCardForTeams(v)), fitsTeams);
}

/** Without limits. */
export function drawWholeCard(view: PlanView | SessionView): Drawn {
  return expandCard(templates.teams.card, dressCardForTeams(view));
}

/** Within Slack's limits. @param withPlan use Slack's `plan` block, allowed only in messages */
export function drawBlocks(view: PlanView | SessionView, withPlan = false): SlackMessage {
  const draw = (v: PlanView | SessionView) => ({
    whole: holdsEffects(v),
    blocks: expandBlocks(templates.slack.card, dressCardForSlack(v, withPlan)),
  });
  const { blocks } = fitCard(view, draw, (drawn) => drawn.whole && fitsSlack(drawn.blocks));
  return { text: fallbackFor(view), blocks };
}

export function drawAdaptiveText(view: TextView): Drawn {
  const template = templates.teams[view.kind];
  return fitText(view, (v) => expandCard(template, dressTextForTeams(v)), fitsTeams);
}

export function drawTextBlocks(view: TextView): SlackMessage {
  const draw = (v: TextView) => expandBlocks(templates.slack[view.kind], dressTextForSlack(v));
  return { text: fallbackFor(view), blocks: fitText(view, draw, fitsSlack) };
}
