// What stands on the Home tab: what waits for the reader, what runs, and how they like to be talked to, with something to set it by.
// Pure.
import { hash } from 'node:crypto';
import type { types } from '@slack/bolt';
import { homeWords } from '#cards/chat-words.ts';
import { describeGuard, describeStanding, sayMore, titleGroup } from '#cards/plan-list.ts';
import {
  describeEffect,
  describeValue,
  listChoices,
  sliderNames,
  sliders,
} from '#cards/policy-words.ts';
import { nothingWaiting } from '#cards/words.ts';
import { applyOverride, defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { InboxGroup, InboxPage } from '#domain/plan/inbox.ts';
import type { SaidPolicy } from '#domain/service.ts';
import { isolateText, quoteWords } from '#domain/shown-text.ts';
import { countRest } from '#domain/words.ts';
import { headerBlock, listBlocks, plainSection } from './plan-lists.ts';

type Block = types.KnownBlock;
type Slider = keyof InteractionPolicy;

export type HomeFacts = {
  /** The reader's inbox. */
  groups: InboxPage[];
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

/** Lines of each group: with all the rest they fit `viewBlocks`. */
const linesOf: Partial<Record<InboxGroup, number>> = {
  needs_you: 20,
  running: 15,
  failed: 5,
  others: 15,
};
/** So many of each group are enough to draw it. */
export const linesOfGroup = 20;

const emptyHome = [
  nothingWaiting('by writing to me or mentioning me'),
  homeWords.example,
  homeWords.promise,
].join('\n');

/** What differs in single conversations, in a few lines. */
function saidBlocks(said: SaidPolicy[]): Block[] {
  const lines = said.slice(0, 5).map(({ request, policy }) => {
    const whole = applyOverride(defaultPolicy, policy);
    const values = sliderNames
      .filter((name) => policy[name] !== undefined)
      .map((name) => `${sliders[name].label}: ${describeValue(name, whole)}`);
    return `${isolateText(quoteWords(request, 80))}: ${values.join(', ')}`;
  });
  if (lines.length === 0) return [];
  return [plainSection([homeWords.saidInConversations, ...lines].join('\n'))];
}

/** What is shown of each group, and how many others it has. */
function chooseLines(groups: InboxPage[]) {
  return groups.flatMap((page) => {
    const shown = page.plans.slice(0, linesOf[page.group] ?? 0);
    const more = countRest(page, shown.length);
    return shown.length === 0 ? [] : [{ group: page.group, plans: shown, more }];
  });
}

export function drawHome({ groups, policy, said }: HomeFacts, now: string): types.HomeView {
  const lists = chooseLines(groups).flatMap(({ group, plans, more }) => {
    const section = {
      heading: titleGroup(group, null),
      plans,
      more: sayMore(group, more, '/plans'),
    };
    return listBlocks(section, now, false);
  });
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
export function digestHome({ groups, policy, said }: HomeFacts): string {
  const shown = chooseLines(groups).map(({ group, plans, more }) => [
    group,
    more,
    plans.map((plan) => [
      ...[plan.id, plan.title, plan.asked_by ?? plan.requester, plan.may_approve],
      ...[describeStanding(plan, { bar: false, reader: null }), describeGuard(plan)],
    ]),
  ]);
  return hash('sha256', JSON.stringify([shown, policy, said]), 'hex');
}
