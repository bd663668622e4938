// Parses Teams' activities.
import { z } from 'zod';
import { refreshVerb } from '#cards/press.ts';
import type { ChatPlace } from '#domain/chat/chat.ts';
import type { TeamsConversation } from '#domain/chat/teams-conversation.ts';
import { parseShallowJson } from '#domain/json.ts';
import { makeStorable } from '#domain/text.ts';
import { type BuildPress, readBuild } from './read-build.ts';
import { type Attached, Attachments, readAttachments } from './read-content.ts';
import { type PlanThis, readPlanThis } from './read-plan-this.ts';

const threadMark = ';messageid=';

/** `19:…@thread.tacv2;messageid=1700000000000` */
export function splitConversation(id: string): { channel: string; post: string | null } {
  const at = id.indexOf(threadMark);
  return at < 0
    ? { channel: id, post: null }
    : { channel: id.slice(0, at), post: id.slice(at + threadMark.length) };
}

/** The ID that Teams posts by. */
export function conversationIdOf({
  channel,
  thread,
}: Pick<ChatPlace, 'channel' | 'thread'>): string {
  return thread === null ? channel : `${channel}${threadMark}${thread}`;
}

export function nameMessage({ tenant, channel }: ChatPlace, id: string | number): string {
  return `teams:${tenant}:${channel}:${id}`;
}

const id = z.string().min(1).max(500);
const Named = z.object({ id });

/** Unknown shapes count as missing. */
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);
const words = optional(z.string());

const Account = z.object({
  id,
  name: words,
  aadObjectId: optional(z.string().max(100)),
  role: words,
});

const Entity = z.looseObject({
  type: z.string(),
  mentioned: optional(z.object({ id: z.string() })),
  text: words,
  timezone: words,
});

const Activity = z.object({
  type: z.string(),
  id: id.nullish(),
  name: words,
  action: words,
  channelId: z.string(),
  serviceUrl: z.url(),
  from: Account,
  recipient: Account,
  conversation: z.object({
    id,
    conversationType: words,
    tenantId: optional(id),
  }),
  channelData: optional(z.object({ tenant: optional(Named), team: optional(Named) })),
  // Teams allows about 100 KB per activity.
  text: z.string().max(100_000).nullish(),
  textFormat: words,
  entities: optional(z.array(optional(Entity))),
  attachments: Attachments,
  localTimezone: words,
  timestamp: words,
  membersAdded: optional(z.array(Named)),
  membersRemoved: optional(z.array(Named)),
  value: z.unknown().optional(),
});
export type Activity = z.infer<typeof Activity>;

/** `trigger`: `manual`, or `automatic` on viewing. */
const Invoked = z.object({
  action: z.object({ verb: z.string().nullish(), data: z.unknown().optional() }),
  trigger: z.string().nullish(),
});

export type Scene = {
  tenant: string;
  activity: string | null;
  from: { id: string; object: string | null; name: string };
  bot: string;
  place: ChatPlace;
  kind: TeamsConversation['kind'];
  team: string | null;
  serviceUrl: string;
  /** Null if unknown. */
  timezone: string | null;
};

export type Mention = { id: string; text: string };
export type MessageSignal = {
  kind: 'message';
  scene: Scene;
  text: string;
  format: string;
  html: string;
  attached: Attached[];
  mentions: Mention[];
  /** Teams' clock, or null. */
  sentAt: Date | null;
};
/** `asks`: Teams waits. */
export type PressSignal = {
  kind: 'press';
  scene: Scene;
  verb: string;
  data: unknown;
  asks: boolean;
};
/** `sentAt`: Teams' clock, or null. */
export type MovedSignal = { kind: 'added' | 'removed'; scene: Scene; sentAt: Date | null };
/** Ignored. `asks`: Teams waits. */
type OtherSignal = { kind: 'other'; scene: Scene; asks: boolean };
/** Teams waits for an answer. */
export type PlanThisSignal = { kind: 'plan_this'; scene: Scene } & Omit<PlanThis, 'root'>;
/** Teams waits for an answer. */
export type BuildSignal = { kind: 'build'; scene: Scene; press: BuildPress };
export type Signal =
  | MessageSignal
  | PressSignal
  | PlanThisSignal
  | BuildSignal
  | MovedSignal
  | OtherSignal;

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
    // Intl throws for unknown zones.
    return false;
  }
}

function timezoneOf({ entities, localTimezone }: Activity): string | null {
  const zones = [...(entities ?? []).map((one) => one?.timezone), localTimezone];
  return zones.find((zone) => typeof zone === 'string' && isTimezone(zone)) ?? null;
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

/** A chat of two is not one with the bot. */
function sceneOfMessage(scene: Scene, root: string): Scene {
  const { place, kind } = scene;
  if (kind === 'channel') return { ...scene, place: { ...place, thread: place.thread ?? root } };
  return kind === 'personal' && place.channel.startsWith('19:')
    ? { ...scene, kind: 'group' }
    : scene;
}

function sentAtOf({ timestamp }: Activity): Date | null {
  const at = Date.parse(timestamp ?? '');
  return Number.isNaN(at) ? null : new Date(at);
}

function hasBot(members: { id: string }[] | null | undefined, bot: string): boolean {
  return (members ?? []).some((member) => member.id === bot);
}

/** Null without a sender. */
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
    // Anyone can post a card that refreshes in its viewers' name.
    if (invoked.data.trigger?.toLowerCase() === 'automatic' && verb !== refreshVerb)
      return { kind: 'other', scene, asks: true };
    return { kind: 'press', scene, verb: verb ?? '', data, asks: true };
  }
  if (type === 'invoke' && name != null) {
    const request = readBuild(name, value);
    if (request !== null) {
      const { press, root } = request;
      const own = root === null ? scene : sceneOfMessage(scene, root);
      return { kind: 'build', scene: own, press };
    }
  }
  if (type === 'invoke' && name?.startsWith('composeExtension/') === true) {
    const chosen = readPlanThis(name, value);
    if (chosen === null) return { kind: 'other', scene, asks: true };
    const { root, ...rest } = chosen;
    return { kind: 'plan_this', scene: sceneOfMessage(scene, root), ...rest };
  }
  if (type === 'installationUpdate') {
    if (action?.startsWith('add') === true) return { kind: 'added', scene, sentAt };
    if (action?.startsWith('remove') === true) return { kind: 'removed', scene, sentAt };
  }
  if (type === 'conversationUpdate') {
    if (hasBot(activity.membersAdded, recipient.id)) return { kind: 'added', scene, sentAt };
    if (hasBot(activity.membersRemoved, recipient.id)) return { kind: 'removed', scene, sentAt };
  }
  const isBot = from.role === 'bot' || from.id.startsWith('28:') || from.id === recipient.id;
  if (type !== 'message' || isBot) return { kind: 'other', scene, asks: type === 'invoke' };
  // Older clients send Action.Submit as a message without text.
  if (typeof value === 'object' && value !== null && (text ?? '').trim() === '')
    return { kind: 'press', scene, verb: '', data: value, asks: false };
  const mentions = (activity.entities ?? []).flatMap((one) =>
    one?.type === 'mention' && one.mentioned != null
      ? [{ id: one.mentioned.id, text: one.text ?? '' }]
      : [],
  );
  const format = activity.textFormat ?? '';
  const attachments = activity.attachments ?? [];
  const html = attachments.find((one) => one?.contentType === 'text/html')?.content;
  return {
    ...{ kind: 'message', scene, format, mentions, sentAt },
    text: text ?? '',
    html: typeof html === 'string' ? html : '',
    attached: readAttachments(attachments),
  };
}

/** Null if no activity. @throws `invalid_json` if nested too deeply */
export function readActivity(body: Uint8Array): Activity | null {
  try {
    const parsed = Activity.safeParse(
      makeStorable(parseShallowJson(Buffer.from(body).toString('utf8'))),
    );
    return parsed.success ? parsed.data : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}
