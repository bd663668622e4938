// What Teams sends, out of its bytes: a message, a press, that the app was added or taken out. Checked here and trusted inside.
import { z } from 'zod';
import type { ChatPlace } from '#contracts/chat.ts';
import type { TeamsConversation } from '#contracts/teams-conversation.ts';
import { splitConversation } from '../place.ts';

const id = z.string().min(1).max(500);
const Named = z.object({ id });

const Account = z.object({
  id,
  name: z.string().nullish(),
  aadObjectId: z.string().max(100).nullish(),
  role: z.string().nullish(),
});

const Entity = z.looseObject({
  type: z.string(),
  mentioned: z.object({ id: z.string(), name: z.string().nullish() }).nullish(),
  text: z.string().nullish(),
  timezone: z.string().nullish(),
});

const Activity = z.object({
  type: z.string(),
  id: id.nullish(),
  name: z.string().nullish(),
  action: z.string().nullish(),
  channelId: z.string(),
  serviceUrl: z.url(),
  from: Account,
  recipient: Account,
  conversation: z.object({
    id,
    conversationType: z.string().nullish(),
    tenantId: id.nullish(),
  }),
  channelData: z
    .object({
      tenant: Named.nullish(),
      team: Named.nullish(),
      channel: Named.nullish(),
      eventType: z.string().nullish(),
    })
    .nullish(),
  text: z.string().max(200_000).nullish(),
  textFormat: z.string().nullish(),
  entities: z.array(Entity).nullish(),
  localTimezone: z.string().nullish(),
  timestamp: z.string().nullish(),
  membersAdded: z.array(Named).nullish(),
  membersRemoved: z.array(Named).nullish(),
  replyToId: id.nullish(),
  value: z.unknown().optional(),
});
export type Activity = z.infer<typeof Activity>;

const Invoked = z.object({
  action: z.object({ verb: z.string().nullish(), data: z.unknown().optional() }),
});

/** Who sent it, and where from. */
export type Scene = {
  tenant: string;
  /** The activity's own name; null: it has none. */
  activity: string | null;
  from: { id: string; object: string | null; name: string };
  bot: string;
  place: ChatPlace;
  kind: TeamsConversation['kind'];
  team: string | null;
  serviceUrl: string;
  /** Of the sender; null: Teams does not say. */
  timezone: string | null;
};

export type Mention = { id: string; text: string };
export type MessageSignal = {
  kind: 'message';
  scene: Scene;
  text: string;
  format: string;
  mentions: Mention[];
};
/** `asks`: Teams waits for an answer. */
export type PressSignal = {
  kind: 'press';
  scene: Scene;
  verb: string;
  data: unknown;
  asks: boolean;
};
/** `sentAt`: by Teams' time; null: it does not say. */
export type MovedSignal = { kind: 'added' | 'removed'; scene: Scene; sentAt: Date | null };
/** Something that nothing follows from: a deleted message, somebody else who came. `asks`: Teams wants an answer to it. */
type OtherSignal = { kind: 'other'; scene: Scene; asks: boolean };
export type Signal = MessageSignal | PressSignal | MovedSignal | OtherSignal;

function kindOf({
  id: name,
  conversationType,
}: Activity['conversation']): TeamsConversation['kind'] {
  if (conversationType === 'personal' || conversationType === 'channel') return conversationType;
  if (conversationType === 'groupChat') return 'group';
  if (name.startsWith('a:')) return 'personal';
  return /@thread\.(tacv2|skype)/.test(name) ? 'channel' : 'group';
}

function isTimezone(zone: string): boolean {
  try {
    new Intl.DateTimeFormat('en', { timeZone: zone });
    return true;
  } catch {
    // The runtime knows zones by throwing for what is none.
    return false;
  }
}

function timezoneOf({ entities, localTimezone }: Activity): string | null {
  const told = [...(entities ?? []).map(({ timezone }) => timezone), localTimezone];
  return told.find((zone) => typeof zone === 'string' && isTimezone(zone)) ?? null;
}

function sceneOf(activity: Activity, tenant: string): Scene {
  const { conversation, from, recipient, channelData, serviceUrl, type } = activity;
  const kind = kindOf(conversation);
  const { channel, post } = splitConversation(conversation.id);
  const root = type === 'message' ? (activity.id ?? null) : null;
  const thread = kind === 'channel' ? (post ?? root) : null;
  return {
    tenant,
    activity: activity.id ?? null,
    from: { id: from.id, object: from.aadObjectId ?? null, name: from.name ?? '' },
    bot: recipient.id,
    place: { platform: 'teams', tenant, channel, thread },
    kind,
    team: channelData?.team?.id ?? null,
    serviceUrl,
    timezone: timezoneOf(activity),
  };
}

function sentAtOf({ timestamp }: Activity): Date | null {
  const at = Date.parse(timestamp ?? '');
  return Number.isNaN(at) ? null : new Date(at);
}

function hasBot(members: { id: string }[] | null | undefined, bot: string): boolean {
  return (members ?? []).some((member) => member.id === bot);
}

/** null: it does not say whose it is. */
export function readSignal(activity: Activity): Signal | null {
  const { type, name, action, channelData, recipient, from, text, value } = activity;
  const tenant = channelData?.tenant?.id ?? activity.conversation.tenantId;
  if (tenant === undefined || tenant === null) return null;
  const scene = sceneOf(activity, tenant);
  const sentAt = sentAtOf(activity);
  if (type === 'invoke' && name === 'adaptiveCard/action') {
    const invoked = Invoked.safeParse(value);
    if (!invoked.success) return { kind: 'other', scene, asks: true };
    const { verb, data } = invoked.data.action;
    return { kind: 'press', scene, verb: verb ?? '', data, asks: true };
  }
  if (type === 'installationUpdate') {
    if (action?.startsWith('add') === true) return { kind: 'added', scene, sentAt };
    if (action?.startsWith('remove') === true) return { kind: 'removed', scene, sentAt };
  }
  if (type === 'conversationUpdate') {
    if (hasBot(activity.membersAdded, recipient.id)) return { kind: 'added', scene, sentAt };
    if (hasBot(activity.membersRemoved, recipient.id)) return { kind: 'removed', scene, sentAt };
  }
  if (type !== 'message' || from.role === 'bot' || from.id === recipient.id)
    return { kind: 'other', scene, asks: type === 'invoke' };
  // A client that knows no Action.Execute sends what its Action.Submit holds as a message without words.
  if (typeof value === 'object' && value !== null && (text ?? '').trim() === '')
    return { kind: 'press', scene, verb: '', data: value, asks: false };
  const mentions = (activity.entities ?? []).flatMap(({ type: entity, mentioned, text: shown }) =>
    entity === 'mention' && mentioned != null ? [{ id: mentioned.id, text: shown ?? '' }] : [],
  );
  return { kind: 'message', scene, text: text ?? '', format: activity.textFormat ?? '', mentions };
}

/** null: these bytes are no activity. */
export function readActivity(body: Uint8Array): Activity | null {
  try {
    const parsed = Activity.safeParse(JSON.parse(Buffer.from(body).toString('utf8')));
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
