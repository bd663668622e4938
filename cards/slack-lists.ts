// Slack's lists of plans and the Home tab.
import { hash } from 'node:crypto';
import { applyOverride, defaultPolicy, type InteractionPolicy } from '#domain/people/policy.ts';
import type { InboxGroup, InboxPage } from '#domain/plan/inbox.ts';
import type { ConversationPolicy } from '#domain/service.ts';
import { cutShown, isolateText, quoteWords } from '#domain/shown-text.ts';
import { countRest } from '#domain/words.ts';
import { reviewLabel } from './buttons.ts';
import { homeWords, noModelWords, pressWords } from './chat-words.ts';
import { type Drawn, expandBlocks, findTemplate } from './expand.ts';
import { platformLimits } from './limits.ts';
import {
  describeGuard,
  describePlan,
  describeState,
  type PlanListView,
  sayMore,
  titleGroup,
} from './plan-list.ts';
import {
  calendarWords,
  describeCalendar,
  describeEffect,
  describeValue,
  listChoices,
  sliderNames,
  sliders,
} from './policy-words.ts';
import { titleListed } from './times.ts';
import { nothingWaiting } from './words.ts';

const templates = {
  list: findTemplate('slack/plan-list.json'),
  home: findTemplate('slack/home.json'),
};

/** Full lists stay within `platformLimits.slack.message`. */
const titleLength = 100;

type Section = PlanListView['sections'][number];

/** @param bar as in `describeState` */
function dressRow(plan: Section['plans'][number], now: string, bar: boolean) {
  const { id, version, digest, may_approve: decides } = plan;
  const [title = '', ...facts] = describePlan(plan, now, { bar, reader: null }).split('\n');
  const text = [cutShown(title, titleLength), ...facts].join('\n');
  return {
    text: cutShown(text, platformLimits.slack.sectionText),
    action_id: `countersign:details:${id}`,
    button: decides ? reviewLabel : pressWords.details,
    value: JSON.stringify({ action: 'details', plan_id: id, version, digest }),
  };
}

export function drawPlanLists(sections: Section[], now: string, bar: boolean): Drawn[] {
  return expandBlocks(templates.list, {
    sections: sections.map(({ heading, plans, more }) => ({
      heading: cutShown(heading, platformLimits.slack.headerText),
      rows: plans.map((plan) => dressRow(plan, now, bar)),
      more: cutShown(more, platformLimits.slack.sectionText),
    })),
  });
}

export type HomeFacts = {
  groups: InboxPage[];
  policy: InteractionPolicy;
  /** Host of the calendar, or null. */
  calendar: string | null;
  policies: ConversationPolicy[];
  has_model: boolean;
};

export const sliderPrefix = 'countersign:policy:';

function dressSlider(slider: keyof InteractionPolicy, policy: InteractionPolicy) {
  const { label, about } = sliders[slider];
  const options = listChoices(slider, policy).map((choice) => ({
    label: choice.label,
    value: choice.value,
  }));
  const chosen = options.find(({ value }) => value === String(policy[slider]));
  return {
    text: cutShown(
      `${label}: ${about}\n${describeEffect(slider, policy)}`,
      platformLimits.slack.sectionText,
    ),
    action_id: `${sliderPrefix}${slider}`,
    options,
    chosen:
      chosen === undefined
        ? null
        : {
            text: { type: 'plain_text', text: chosen.label, emoji: false },
            value: chosen.value,
          },
  };
}

/** Per group, within `viewBlocks`. */
const linesOf: Partial<Record<InboxGroup, number>> = {
  needs_you: 20,
  running: 15,
  failed: 5,
  others: 15,
};
/** Plans read per group. */
export const linesOfGroup = 20;

const sayEmpty = (hasModel: boolean): string =>
  [
    nothingWaiting('by writing to me or mentioning me'),
    homeWords.example,
    homeWords.promise,
    ...(hasModel ? [] : [noModelWords({ help: '“help”' })]),
  ].join('\n');

/** In single conversations; may be empty. */
function sayPolicies(policies: ConversationPolicy[]): string {
  const lines = policies.slice(0, 5).map(({ request, policy }) => {
    const whole = applyOverride(defaultPolicy, policy);
    const values = sliderNames
      .filter((name) => policy[name] !== undefined)
      .map((name) => `${sliders[name].label}: ${describeValue(name, whole)}`);
    return `${isolateText(quoteWords(request, 80))}: ${values.join(', ')}`;
  });
  return lines.length === 0 ? '' : [homeWords.saidInConversations, ...lines].join('\n');
}

function chooseLines(groups: InboxPage[]) {
  return groups.flatMap((page) => {
    const shown = page.plans.slice(0, linesOf[page.group] ?? 0);
    const more = countRest(page, shown.length);
    return shown.length === 0 ? [] : [{ group: page.group, plans: shown, more }];
  });
}

export function drawHome(
  { groups, policy, calendar, policies, has_model }: HomeFacts,
  now: string,
): Drawn[] {
  const lists = chooseLines(groups).map(({ group, plans, more }) => ({
    heading: titleGroup(group, null),
    plans,
    more: sayMore(group, more, '/plans'),
  }));
  const empty = { heading: homeWords.plans, plans: [], more: sayEmpty(has_model) };
  return [
    ...drawPlanLists(lists.length === 0 ? [empty] : lists, now, false),
    ...expandBlocks(templates.home, {
      title: homeWords.policy,
      sliders: sliderNames.map((slider) => dressSlider(slider, policy)),
      calendar: {
        ...{ label: calendarWords.label, about: calendarWords.about },
        action_id: `${sliderPrefix}${calendarWords.name}`,
        state: cutShown(describeCalendar(calendar), 150),
      },
      policies: cutShown(sayPolicies(policies), platformLimits.slack.sectionText),
    }),
  ];
}

/** Ages change by themselves and don't count. */
export function digestHome({ groups, policy, calendar, policies, has_model }: HomeFacts): string {
  const shown = chooseLines(groups).map(({ group, plans, more }) => [
    group,
    more,
    plans.map((plan) => [
      ...[plan.id, titleListed(plan), plan.asked_by ?? plan.requester, plan.may_approve],
      ...[describeState(plan, { bar: false, reader: null }), describeGuard(plan)],
    ]),
  ]);
  return hash('sha256', JSON.stringify([shown, policy, calendar, policies, has_model]), 'hex');
}
