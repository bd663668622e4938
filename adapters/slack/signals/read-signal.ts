// Parses Slack's requests.
import { z } from 'zod';
import { parseShallowJson } from '#domain/json.ts';
import { makeStorable } from '#domain/text.ts';
import {
  Command,
  Envelope,
  GlobalShortcut,
  GroupsChanged,
  HomeOpened,
  LinksShared,
  Message,
  Pressed,
  Sent,
  Shortcut,
  Stopped,
  Suggest,
  type View,
} from './shapes.ts';

/** `team`: the workspace, or an organisation with the app, so shared channels are one place. */
export type MessageSignal = {
  kind: 'message';
  team: string;
  event: string;
  /** Our user there, if known. */
  bot: string | null;
  message: z.infer<typeof Message>;
};
export type PressSignal = { kind: 'press'; team: string; pressed: z.infer<typeof Pressed> };
export type SentSignal = { kind: 'sent'; team: string; sent: z.infer<typeof Sent> };
export type ShortcutSignal = {
  kind: 'shortcut';
  team: string;
  shortcut: z.infer<typeof Shortcut>;
};
/** `place`: thread of its message, or null. */
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
export type OpenedSignal = {
  kind: 'opened';
  team: string;
  event: string;
  user: string;
  channel: string;
};
/** Slack's own Stop. */
export type StoppedSignal = {
  kind: 'stopped';
  team: string;
  event: string;
  stopped: z.infer<typeof Stopped>;
};
/** `shared`: with other organisations. */
export type LinksSignal = {
  kind: 'links';
  team: string;
  event: string;
  shared: boolean;
  links: z.infer<typeof LinksShared>;
};
export type GroupsSignal = { kind: 'groups'; team: string; event: string };
/** Not handled. */
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

/** A form may hold JSON in `payload`. @throws SyntaxError, or `invalid_json` if nested too deeply */
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
  // In shared channels, the workspace with the app.
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

/** Null for other requests. */
export function readChallenge(body: Buffer): string | null {
  // Saves parsing every event twice.
  if (!body.includes('url_verification')) return null;
  try {
    const parsed = Challenge.safeParse(readBody(body));
    return parsed.success ? parsed.data.challenge : null;
  } catch (error) {
    if (error instanceof SyntaxError) return null;
    throw error;
  }
}

/** As in the manifest. */
const buildShortcuts = { global: 'countersign:build', message: 'countersign:build_here' } as const;

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

/** Null for unknown requests. */
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
