// Parses and checks Slack's requests: events, presses, forms and commands.
import { z } from 'zod';
import type { AttachedFile } from '#domain/attached-file.ts';
import { parseShallowJson } from '#domain/json.ts';
import { makeStorable } from '#domain/text.ts';

const id = z.string().min(1).max(200);

/** Parsed when they become text. */
const written = {
  text: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
};

/** Files of a message; unknown shapes are ignored. */
export const Files = z
  .array(
    z.object({
      id,
      name: z.string().nullish(),
      filetype: z.string().nullish(),
      size: z.number().int().min(0).nullish(),
    }),
  )
  .nullish()
  .catch(null);

/** @returns at most as many as are kept */
export const readFiles = (files: z.infer<typeof Files>): AttachedFile[] =>
  (files ?? []).slice(0, 20).map(({ id: file, name, filetype, size }) => ({
    id: file,
    name: (name ?? file).slice(0, 300),
    type: (filetype ?? '').slice(0, 100),
    bytes: size ?? null,
  }));

const Message = z.object({
  type: z.enum(['message', 'app_mention']),
  subtype: z.string().optional(),
  channel: id,
  ts: id,
  thread_ts: id.optional(),
  user: id.optional(),
  bot_id: z.string().nullish(),
  files: Files,
  ...written,
});
const HomeOpened = z.object({
  type: z.literal('app_home_opened'),
  user: id,
  channel: id.optional(),
  tab: z.string(),
});

const Stopped = z.object({
  type: z.literal('agent_session_stopped'),
  channel: id,
  user: id,
  thread_ts: id,
});

/** Links to our address were posted or are being composed. */
const LinksShared = z.object({
  type: z.literal('link_shared'),
  channel: id,
  user: id,
  message_ts: id,
  unfurl_id: id.optional(),
  source: z.enum(['composer', 'conversations_history']).optional(),
  links: z.array(z.object({ url: z.string().max(3000) })).max(100),
});

/** A user group or its members changed. */
const GroupsChanged = z.object({
  type: z.enum(['subteam_members_changed', 'subteam_updated']),
});

const Envelope = z.object({
  type: z.literal('event_callback'),
  /** Null for an organisation. */
  team_id: id.nullish(),
  enterprise_id: id.nullish(),
  event_id: id,
  event: z.looseObject({ type: z.string() }),
  /** Whether other organisations read the channel. */
  is_ext_shared_channel: z.boolean().nullish(),
  authorizations: z
    .array(
      z.object({
        team_id: id.nullish(),
        enterprise_id: id.nullish(),
        /** Missing in events without a user. */
        user_id: id.nullish(),
        is_bot: z.boolean(),
        is_enterprise_install: z.boolean().nullish(),
      }),
    )
    .default([]),
});

const Entered = z.looseObject({
  value: z.string().nullish(),
  selected_date: z.string().nullish(),
  selected_user: id.nullish(),
  selected_option: z.object({ value: z.string() }).nullish(),
  selected_options: z.array(z.object({ value: z.string() })).nullish(),
});
const View = z.object({
  id,
  hash: z.string(),
  callback_id: z.string().default(''),
  private_metadata: z.string().default(''),
  /** The lowest window of the stack. */
  root_view_id: id.optional(),
  /** The workspace with the app; in a shared channel the person's own one can differ. */
  app_installed_team_id: id.nullish(),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), Entered)) }).optional(),
});

const Person = z.object({ id, team_id: id.nullish() });
/** Null if the app is installed for an organisation, which is in `enterprise`. */
const Team = z.object({ id }).nullish();
const installedFor = {
  team: Team,
  enterprise: z.object({ id }).nullish(),
  is_enterprise_install: z.boolean().nullish(),
};
const Pressed = z.object({
  type: z.literal('block_actions'),
  ...installedFor,
  user: Person,
  trigger_id: id,
  container: z.object({
    type: z.string(),
    channel_id: id.optional(),
    message_ts: id.optional(),
    thread_ts: id.optional(),
    is_ephemeral: z.boolean().default(false),
  }),
  message: z.object({ ts: id, thread_ts: id.optional() }).optional(),
  view: View.optional(),
  response_url: z.url().optional(),
  actions: z
    .array(
      Entered.extend({
        action_id: id,
        block_id: z.string().default(''),
        value: z.string().nullish(),
        action_ts: id,
      }),
    )
    .min(1),
});
const Sent = z.object({
  type: z.literal('view_submission'),
  ...installedFor,
  user: Person,
  view: View,
});
const Shortcut = z.object({
  type: z.literal('message_action'),
  callback_id: id,
  ...installedFor,
  user: Person,
  trigger_id: id,
  channel: z.object({ id }),
  message: z.object({
    ts: id,
    thread_ts: id.optional(),
    user: id.optional(),
    bot_id: z.string().nullish().catch(null),
    username: z.string().nullish().catch(null),
    bot_profile: z.object({ name: z.string() }).nullish().catch(null),
    ...written,
  }),
});
/** A shortcut without a message. */
const GlobalShortcut = z.object({
  type: z.literal('shortcut'),
  callback_id: id,
  ...installedFor,
  user: Person,
  trigger_id: id,
});
/** A menu asks for options. */
const Suggest = z.object({
  type: z.literal('block_suggestion'),
  ...installedFor,
  user: Person,
  view: View,
  action_id: id,
  block_id: z.string(),
  value: z.string().max(1000).default(''),
});
const Command = z.object({
  command: id,
  text: z.string().default(''),
  team_id: id,
  enterprise_id: id.nullish(),
  is_enterprise_install: z.stringbool().nullish(),
  channel_id: id,
  user_id: id,
  trigger_id: id,
  response_url: z.url(),
});

/**
 * `team`: the workspace, or the organisation if it installed the app for all its workspaces, so that a channel shared by several
 * is one place.
 */
export type MessageSignal = {
  kind: 'message';
  team: string;
  event: string;
  /** Our own user there, if Slack says. */
  bot: string | null;
  message: z.infer<typeof Message>;
};
export type PressSignal = { kind: 'press'; team: string; pressed: z.infer<typeof Pressed> };
export type SentSignal = { kind: 'sent'; team: string; sent: z.infer<typeof Sent> };
/** Our shortcut was chosen on a message. */
export type ShortcutSignal = {
  kind: 'shortcut';
  team: string;
  shortcut: z.infer<typeof Shortcut>;
};
/** The builder is opened. `place`: the thread of the message it was chosen on, or null. */
export type StartSignal = {
  kind: 'start';
  team: string;
  start: {
    user: { id: string };
    trigger_id: string;
    place: { channel: string; thread: string } | null;
  };
};
export type SuggestSignal = { kind: 'suggest'; team: string; suggest: z.infer<typeof Suggest> };
export type CommandSignal = { kind: 'command'; team: string; command: z.infer<typeof Command> };
export type HomeSignal = { kind: 'home'; team: string; event: string; user: string };
/** A person opened their direct messages with the app. */
export type OpenedSignal = {
  kind: 'opened';
  team: string;
  event: string;
  user: string;
  channel: string;
};
/** Slack's own Stop was pressed during work in a thread. */
export type StoppedSignal = {
  kind: 'stopped';
  team: string;
  event: string;
  stopped: z.infer<typeof Stopped>;
};
/** `shared`: other organisations read there. */
export type LinksSignal = {
  kind: 'links';
  team: string;
  event: string;
  shared: boolean;
  links: z.infer<typeof LinksShared>;
};
/** User groups of the workspace changed. */
export type GroupsSignal = { kind: 'groups'; team: string; event: string };
/** Stored but not handled. */
type OtherSignal = { kind: 'other'; team: string; event: string };
export type Signal =
  | MessageSignal
  | PressSignal
  | SentSignal
  | ShortcutSignal
  | StartSignal
  | SuggestSignal
  | CommandSignal
  | HomeSignal
  | OpenedSignal
  | StoppedSignal
  | LinksSignal
  | GroupsSignal
  | OtherSignal;

/**
 * The fields of a body: JSON or a form, which may hold JSON in `payload`. @throws SyntaxError, or `invalid_json` if nested too
 * deeply
 */
export function readBody(body: Uint8Array): unknown {
  const text = Buffer.from(body).toString('utf8');
  if (text.startsWith('{')) return makeStorable(parseShallowJson(text));
  const fields = Object.fromEntries(new URLSearchParams(text));
  return makeStorable(fields.payload === undefined ? fields : parseShallowJson(fields.payload));
}

function readEvent({
  team_id,
  enterprise_id,
  event_id: name,
  event,
  authorizations,
  is_ext_shared_channel,
}: z.infer<typeof Envelope>): Signal | null {
  const [installed] = authorizations;
  // In a shared channel, the event belongs to the workspace with the app.
  const team =
    installed?.is_enterprise_install === true
      ? (installed.enterprise_id ?? enterprise_id ?? team_id)
      : (installed?.team_id ?? team_id ?? enterprise_id);
  if (team == null) return null;
  const message = Message.safeParse(event);
  if (message.success) {
    const own = authorizations.find(
      ({ is_bot, team_id, is_enterprise_install }) =>
        is_bot && (is_enterprise_install === true || (team_id ?? team) === team),
    );
    return { kind: 'message', team, event: name, bot: own?.user_id ?? null, message: message.data };
  }
  const home = HomeOpened.safeParse(event);
  if (home.success && home.data.tab === 'home')
    return { kind: 'home', team, event: name, user: home.data.user };
  if (home.success && home.data.tab === 'messages' && home.data.channel !== undefined) {
    const { user, channel } = home.data;
    return { kind: 'opened', team, event: name, user, channel };
  }
  const stopped = Stopped.safeParse(event);
  if (stopped.success) return { kind: 'stopped', team, event: name, stopped: stopped.data };
  const links = LinksShared.safeParse(event);
  if (links.success) {
    const shared = is_ext_shared_channel === true;
    return { kind: 'links', team, event: name, shared, links: links.data };
  }
  const groups = GroupsChanged.safeParse(event);
  return { kind: groups.success ? 'groups' : 'other', team, event: name };
}

const Challenge = z.object({ type: z.literal('url_verification'), challenge: z.string() });

/** The challenge that Slack sends when the address is set, or null for other requests. */
export function readChallenge(body: Buffer): string | null {
  // Every event passes here and hardly any is a challenge; parsing it twice would double the cost.
  if (!body.includes('url_verification')) return null;
  try {
    const parsed = Challenge.safeParse(readBody(body));
    return parsed.success ? parsed.data.challenge : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** Callbacks of the builder's shortcuts, as in the manifest. */
const buildShortcuts = { global: 'countersign:build', message: 'countersign:build_here' } as const;

/** The workspace or organisation of a press or form. */
function teamOf({
  team,
  enterprise,
  is_enterprise_install,
  user,
  view,
}: Pick<z.infer<typeof Pressed>, 'team' | 'enterprise' | 'is_enterprise_install' | 'user'> & {
  view?: z.infer<typeof View> | undefined;
}): string | null {
  if (is_enterprise_install === true && enterprise != null) return enterprise.id;
  return view?.app_installed_team_id ?? team?.id ?? user.team_id ?? null;
}

/** Null for unknown requests, such as a check of the address. */
export function readSignal(body: Uint8Array): Signal | null {
  let data: unknown;
  try {
    data = readBody(body);
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
  const envelope = Envelope.safeParse(data);
  if (envelope.success) return readEvent(envelope.data);
  const pressed = Pressed.safeParse(data);
  if (pressed.success) {
    const team = teamOf(pressed.data);
    return team === null ? null : { kind: 'press', team, pressed: pressed.data };
  }
  const sent = Sent.safeParse(data);
  if (sent.success) {
    const team = teamOf(sent.data);
    return team === null ? null : { kind: 'sent', team, sent: sent.data };
  }
  const shortcut = Shortcut.safeParse(data);
  if (shortcut.success) {
    const team = teamOf(shortcut.data);
    if (team === null) return null;
    const { callback_id, user, trigger_id, channel, message } = shortcut.data;
    if (callback_id !== buildShortcuts.message)
      return { kind: 'shortcut', team, shortcut: shortcut.data };
    const place = { channel: channel.id, thread: message.thread_ts ?? message.ts };
    return { kind: 'start', team, start: { user, trigger_id, place } };
  }
  const global = GlobalShortcut.safeParse(data);
  if (global.success) {
    const team = teamOf(global.data);
    const { callback_id, ...start } = global.data;
    return team === null || callback_id !== buildShortcuts.global
      ? null
      : { kind: 'start', team, start: { ...start, place: null } };
  }
  const suggest = Suggest.safeParse(data);
  if (suggest.success) {
    const team = teamOf(suggest.data);
    return team === null ? null : { kind: 'suggest', team, suggest: suggest.data };
  }
  const command = Command.safeParse(data);
  if (command.success) {
    const { team_id, enterprise_id, is_enterprise_install } = command.data;
    const team = is_enterprise_install === true ? (enterprise_id ?? team_id) : team_id;
    const { text, trigger_id, user_id } = command.data;
    return text.trim().toLowerCase() === 'new'
      ? { kind: 'start', team, start: { user: { id: user_id }, trigger_id, place: null } }
      : { kind: 'command', team, command: command.data };
  }
  return null;
}
