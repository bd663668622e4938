// What stands on the Home tab: what waits for the reader, what runs, and how they like to be talked to, with something to set it by.
// Pure.
import { hash } from 'node:crypto';
import type { types } from '@slack/bolt';
import { homeWords } from '#cards/chat-words.ts';
import { showLine } from '#cards/plain.ts';
import { sortPlans } from '#cards/plan-list.ts';
import {
  describeEffect,
  describeValue,
  listChoices,
  sliderNames,
  sliders,
} from '#cards/policy-words.ts';
import { nothingWaiting } from '#cards/words.ts';
import { applyOverride, defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { PlanStatus, PlanSummary } from '#domain/plan/plan.ts';
import type { SaidPolicy } from '#domain/service.ts';
import { headerBlock, listBlocks, plainSection } from './plan-lists.ts';

type Block = types.KnownBlock;
type Slider = keyof InteractionPolicy;

export type HomeFacts = {
  plans: PlanSummary[];
  /** Ids of the plans in which something waits for the reader. */
  waiting: ReadonlySet<string>;
  policy: InteractionPolicy;
  said: SaidPolicy[];
};

/** Before the name of a slider, in the id of what it is set by. */
export const actionPrefix = 'countersign:policy:';
const plain = (text: string) => ({ type: 'plain_text' as const, text, emoji: false });

function sliderBlock(slider: Slider, policy: InteractionPolicy): Block {
  const { label, about } = sliders[slider];
  const options = listChoices(slider, policy).map((choice) => ({
    text: plain(choice.label),
    value: choice.value,
  }));
  const chosen = options.find(({ value }) => value === String(policy[slider]));
  return {
    ...plainSection(`${label}: ${about}\n${describeEffect(slider, policy)}`),
    accessory: {
      type: 'static_select',
      action_id: `${actionPrefix}${slider}`,
      options,
      ...(chosen === undefined ? {} : { initial_option: chosen }),
    },
  };
}

/** Slack's sections of plans: what waits for the reader, for others, and what runs. */
type Listed = { title: string; plans: PlanSummary[]; count: number; command: string };

const waits = new Set<PlanStatus>(['proposed', 'needs_review', 'stalled']);

function groupPlans(plans: PlanSummary[], waiting: ReadonlySet<string>): Listed[] {
  const others = plans.filter(({ id }) => !waiting.has(id));
  const group = (title: string, some: PlanSummary[], command: string, count = some.length) => ({
    ...{ title, plans: some, command, count },
  });
  const [forOthers, run] = [
    others.filter(({ status }) => waits.has(status)),
    others.filter(({ status }) => !waits.has(status)),
  ];
  const own = plans.filter(({ id }) => waiting.has(id));
  return [
    // Of what has waited for long, not all is read here.
    group(homeWords.waitsForYou, own, '/plans', waiting.size),
    group(homeWords.waitsForOthers, forOthers, '/plans'),
    group(homeWords.running, run, '/plans running'),
  ].filter((one) => one.plans.length > 0);
}

const emptyHome = [
  nothingWaiting('by writing to me or mentioning me'),
  homeWords.example,
  homeWords.promise,
].join('\n');

/** Lines of one group: three of them with all the rest fit `viewBlocks`. */
export const linesOfGroup = 20;

/** What differs in single conversations, in a few lines. */
function saidBlocks(said: SaidPolicy[]): Block[] {
  const lines = said.slice(0, 5).map(({ request, policy }) => {
    const whole = applyOverride(defaultPolicy, policy);
    const values = sliderNames
      .filter((name) => policy[name] !== undefined)
      .map((name) => `${sliders[name].label}: ${describeValue(name, whole)}`);
    return `“${showLine(request, 80)}”: ${values.join(', ')}`;
  });
  if (lines.length === 0) return [];
  return [plainSection([homeWords.saidInConversations, ...lines].join('\n'))];
}

export function drawHome({ plans, waiting, policy, said }: HomeFacts, now: string): types.HomeView {
  const groups = groupPlans(plans, waiting);
  const lists = groups.flatMap(({ title, plans: some, count, command }) => [
    headerBlock(title),
    // In their order before they are cut: what has waited longest is not what is left out.
    ...listBlocks(sortPlans(some, waiting).slice(0, linesOfGroup), now, { waiting, bar: false }),
    ...(count > linesOfGroup
      ? [plainSection(homeWords.more({ count: count - linesOfGroup, command }))]
      : []),
  ]);
  return {
    type: 'home',
    blocks: [
      ...(lists.length === 0 ? [headerBlock(homeWords.plans), plainSection(emptyHome)] : lists),
      { type: 'divider' },
      headerBlock(homeWords.policy),
      ...sliderNames.map((slider) => sliderBlock(slider, policy)),
      ...saidBlocks(said),
    ],
  };
}

/** Ages stand on it in words, which change by themselves: only what else is different is worth drawing. */
export function digestHome({ plans, waiting, policy, said }: HomeFacts): string {
  const shown = plans.map(({ id, title, status, requester, asked_by: by = requester }) => [
    ...[id, title, status, by, waiting.has(id)],
  ]);
  return hash('sha256', JSON.stringify([shown, waiting.size, policy, said]), 'hex');
}
