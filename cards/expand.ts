// Draws views with the templates in teams/ and slack/. Templates are read once; data is never evaluated as a template.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
// The package's own entry drags in type sources that do not pass this project's compiler options.
import type { Template } from 'adaptivecards-templating/lib/template-engine.js';
import { dressCardForSlack, dressTextForSlack, fallbackFor, holdsEffects } from './dress-slack.ts';
import { dressCardForTeams, dressTextForTeams } from './dress-teams.ts';
import {
  fitCard,
  fitText,
  measureBlocks,
  measureCard,
  slackLimits,
  teamsLimits,
} from './limits.ts';
import type { PlanView, SessionView, TextView } from './view.ts';

/** JSON that a platform draws. */
export type Drawn = { [key: string]: unknown };
/** A Slack message: the blocks and the text for those who see no blocks. */
export type SlackMessage = { text: string; blocks: Drawn[] };

/** A template that is read when the first card is drawn with it. */
type LazyTemplate = () => Template;

const require = createRequire(import.meta.url);

/** The engine is four hundred modules, and many a process draws no card. */
export function findTemplate(path: string): LazyTemplate {
  let template: Template | null = null;
  return () => {
    if (template !== null) return template;
    // Of what a path resolves to the compiler knows nothing; the type is that of the same file.
    const { Template: Engine } = require('adaptivecards-templating/lib/template-engine.js') as {
      Template: typeof Template;
    };
    template = new Engine(JSON.parse(readFileSync(new URL(path, import.meta.url), 'utf8')));
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

/** `node` without null members: both platforms refuse them. */
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

/** One of the templates in teams/, without null members. */
export function expandCard(template: LazyTemplate, data: unknown): Drawn {
  // The root of every template in teams/ is an object.
  return expand(template, data) as Drawn;
}

/** A template may keep blocks that are repeated together under `blocks`; Slack wants them flat. */
export function expandBlocks(template: LazyTemplate, data: unknown): Drawn[] {
  // The root of every template in slack/ is an array of blocks.
  const blocks = expand(template, data) as (Drawn & { blocks?: Drawn[] })[];
  return blocks.flatMap((block) => block.blocks ?? [block]);
}

export function fitsTeams(card: Drawn): boolean {
  return measureCard(card) <= teamsLimits.payload;
}

function fitsSlack(blocks: Drawn[]): boolean {
  return blocks.length <= slackLimits.blocks && measureBlocks(blocks) <= slackLimits.message;
}

/** A plan or a session as an Adaptive Card 1.5, within what Teams takes. */
export function drawAdaptiveCard(view: PlanView | SessionView): Drawn {
  return fitCard(view, (v) => expandCard(templates.teams.card, dressCardForTeams(v)), fitsTeams);
}

/** The same whole, for surfaces without a limit. */
export function drawWholeCard(view: PlanView | SessionView): Drawn {
  return expandCard(templates.teams.card, dressCardForTeams(view));
}

/**
 * A plan or a session as a Slack message, within what Slack takes.
 * @param withPlan whether a plan that runs has Slack's `plan` block, which only messages take
 */
export function drawBlocks(view: PlanView | SessionView, withPlan = false): SlackMessage {
  const draw = (v: PlanView | SessionView) => ({
    whole: holdsEffects(v),
    blocks: expandBlocks(templates.slack.card, dressCardForSlack(v, withPlan)),
  });
  const { blocks } = fitCard(view, draw, (drawn) => drawn.whole && fitsSlack(drawn.blocks));
  return { text: fallbackFor(view), blocks };
}

/** A notice or a question as an Adaptive Card. */
export function drawAdaptiveText(view: TextView): Drawn {
  const template = templates.teams[view.kind];
  return fitText(view, (v) => expandCard(template, dressTextForTeams(v)), fitsTeams);
}

/** A notice or a question as a Slack message. */
export function drawTextBlocks(view: TextView): SlackMessage {
  const draw = (v: TextView) => expandBlocks(templates.slack[view.kind], dressTextForSlack(v));
  return { text: fallbackFor(view), blocks: fitText(view, draw, fitsSlack) };
}
