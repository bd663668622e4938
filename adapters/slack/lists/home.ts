// A person's Home tab with settings.
import type { types } from '@slack/bolt';
import { calendarWords, sliderNames, sliders } from '#cards/policy-words.ts';
import {
  digestHome,
  drawHome,
  type HomeFacts,
  linesOfGroup,
  sliderPrefix,
} from '#cards/slack-lists.ts';
import { textSection } from '#cards/slack-windows.ts';
import { sayRefusal } from '#chat/talk.ts';
import type { ChatHomes } from '#domain/chat/chat.ts';
import { CountersignError } from '#domain/errors.ts';
import { person } from '#domain/people/actor.ts';
import { PolicyOverride } from '#domain/people/policy.ts';
import { chatTenant } from '#domain/plan/scope.ts';
import type { PlanReads, PolicyChange, Service } from '#domain/service.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import { tellAlone } from '../press/send.ts';
import { toBlocks } from '../press/windows.ts';
import type { PressSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';

const homeOf = (blocks: types.KnownBlock[]) => ({ type: 'home' as const, blocks });

async function readHome(
  service: Service,
  read: PlanReads,
  id: string,
  has_model: boolean,
): Promise<HomeFacts> {
  const { groups } = await read.inbox({ user: id, limit: linesOfGroup });
  const { policy, calendar } = await service.getPolicy(id);
  const policies = await service.conversationPolicies(id);
  return { groups, policy, calendar, policies, has_model };
}

export function createHomes({
  service,
  plansFor,
  people,
  clientOf,
  clock,
  hasModel,
}: Pick<
  SlackContext,
  'service' | 'plansFor' | 'people' | 'clientOf' | 'clock' | 'hasModel'
>): ChatHomes {
  /** A refusal also replaces the tab. */
  async function draw(team: string, user: string) {
    try {
      const { id } = await people.find(team, user);
      const facts = await readHome(service, plansFor(team, id), id, hasModel);
      return {
        digest: digestHome(facts),
        view: homeOf(toBlocks(drawHome(facts, clock.now().toISOString()))),
      };
    } catch (error) {
      if (!(error instanceof CountersignError) || error.code !== 'forbidden') throw error;
      const { message } = error;
      return { digest: message, view: homeOf([textSection(message)]) };
    }
  }

  return {
    async show({ tenant: team, user }, shown) {
      const { digest, view } = await draw(team, user);
      if (digest === shown) return digest;
      const client = await clientOf(team);
      try {
        await client.views.publish({ user_id: user, view });
      } catch (error) {
        throw explainSlackError(error, 'show the Home tab');
      }
      return digest;
    },
  };
}

/** Null if it changes none. */
function readSetting({ pressed }: PressSignal): Pick<PolicyChange, 'policy' | 'calendar'> | null {
  const [action] = pressed.actions;
  if (pressed.view === undefined || action?.action_id.startsWith(sliderPrefix) !== true)
    return null;
  const setting = action.action_id.slice(sliderPrefix.length);
  if (setting === calendarWords.name) return { policy: {}, calendar: action.value ?? '' };
  const slider = sliderNames.find((name) => name === setting);
  const value = action.selected_option?.value;
  if (slider === undefined || value === undefined) return null;
  const number = sliders[slider].kind === 'range';
  const parsed = PolicyOverride.safeParse({ [slider]: number ? Number(value) : value });
  return parsed.success ? { policy: parsed.data } : null;
}

export async function setFromHome(
  context: SlackContext,
  signal: PressSignal,
  at: Date,
): Promise<boolean> {
  const setting = readSetting(signal);
  if (setting === null) return false;
  const { team, pressed } = signal;
  const user = pressed.user.id;
  const { id } = await context.people.find(team, user);
  const change = { ...setting, keep: true, pressed: { at } };
  const refusal = await sayRefusal(() =>
    context.service.setPolicy(id, change, {
      ...person(id, 'slack'),
      tenant: chatTenant('slack', team),
    }),
  );
  if (refusal !== null) await tellAlone(context, { team, user, place: null }, refusal);
  await context.openHome({ tenant: team, user });
  return true;
}
