// The Home tab: what waits for the reader, what runs, and how they like to be talked to, which they can change there.
import type { types } from '@slack/bolt';
import { describeEffect, describeValue, sliderNames, sliders } from '#cards/policy-words.ts';
import { nothingWaiting } from '#cards/words.ts';
import { person } from '#contracts/actor.ts';
import { type InteractionPolicy, PolicyOverride } from '#contracts/policy.ts';
import type { PlanSummary } from '#contracts/service.ts';
import { explainSlackError } from '../port/explain-error.ts';
import type { SlackContext } from '../slack-context.ts';
import type { PressSignal } from '../transport/read-signal.ts';
import { headerBlock, listBlocks, plainSection } from './plan-lists.ts';

type Block = types.KnownBlock;
type Slider = keyof InteractionPolicy;

const actionPrefix = 'countersign:policy:';
const plain = (text: string) => ({ type: 'plain_text' as const, text, emoji: false });

/** The values of a slider that can be chosen, with what each is called. */
function choicesOf(slider: Slider, policy: InteractionPolicy): { value: string; label: string }[] {
  const words = sliders[slider];
  if (words.kind === 'choice') return words.choices;
  const count = Math.round((words.max - words.min) / words.step);
  return Array.from({ length: count + 1 }, (_, i) => {
    const value = Number((words.min + i * words.step).toFixed(2));
    return { value: String(value), label: describeValue(slider, { ...policy, [slider]: value }) };
  });
}

function sliderBlock(slider: Slider, policy: InteractionPolicy): Block {
  const { label, about } = sliders[slider];
  const options = choicesOf(slider, policy).map((choice) => ({
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

function drawHome(
  plans: PlanSummary[],
  policy: InteractionPolicy,
  user: string,
  now: string,
): types.HomeView {
  const lines = listBlocks(plans, user, now);
  return {
    type: 'home',
    blocks: [
      headerBlock('Plans'),
      ...(lines.length === 0 ? [plainSection(nothingWaiting('by mentioning me.'))] : lines),
      { type: 'divider' },
      headerBlock('How I work with you'),
      ...sliderNames.map((slider) => sliderBlock(slider, policy)),
    ],
  };
}

export async function publishHome(
  { service, people, clientOf }: SlackContext,
  { team, user }: { team: string; user: string },
  now: Date,
): Promise<void> {
  const { id } = await people.find(team, user);
  const { plans } = await service.listPlans({
    status: ['proposed', 'needs_review', 'approved', 'executing', 'stalled'],
    limit: 100,
  });
  const { policy } = await service.getPolicy(id);
  const client = await clientOf(team);
  try {
    await client.views.publish({
      user_id: user,
      view: drawHome(plans, policy, id, now.toISOString()),
    });
  } catch (error) {
    throw explainSlackError(error, 'show the Home tab');
  }
}

/** The slider that was set; null: this press sets none. */
function readSetting({ pressed }: PressSignal): PolicyOverride | null {
  const [action] = pressed.actions;
  if (pressed.view === undefined || action?.action_id.startsWith(actionPrefix) !== true)
    return null;
  const slider = sliderNames.find((name) => name === action.action_id.slice(actionPrefix.length));
  const value = action.selected_option?.value;
  if (slider === undefined || value === undefined) return null;
  const number = sliders[slider].kind === 'range';
  const parsed = PolicyOverride.safeParse({ [slider]: number ? Number(value) : value });
  return parsed.success ? parsed.data : null;
}

/** Keeps what a person set on their Home tab. @returns false: the press was about something else */
export async function setFromHome(
  context: SlackContext,
  signal: PressSignal,
  now: Date,
): Promise<boolean> {
  const policy = readSetting(signal);
  if (policy === null) return false;
  const { team, pressed } = signal;
  const { id } = await context.people.find(team, pressed.user.id);
  await context.service.setPolicy(id, { policy, keep: true }, person(id, 'slack'));
  await publishHome(context, { team, user: pressed.user.id }, now);
  return true;
}
