// Shapes of Slack's requests.
import { z } from 'zod';
import type { AttachedFile } from '#domain/attached-file.ts';

export const id = z.string().min(1).max(200);

/** Parsed later. */
const written = {
  text: z
    .string()
    .nullish()
    .transform((text) => text ?? ''),
  blocks: z.unknown().optional(),
  attachments: z.unknown().optional(),
};

const label = z.string().nullish().catch(null);
const File = z.object({
  id,
  name: label,
  filetype: label,
  size: z.number().int().min(0).nullish().catch(null),
});
/** Ignores unknown shapes. */
export const Files = z.array(File.nullable().catch(null)).nullish().catch(null);

export const readFiles = (files: z.infer<typeof Files>): AttachedFile[] =>
  (files ?? [])
    .filter((file) => file !== null)
    .slice(0, 20)
    .map(({ id: file, name, filetype, size }) => ({
      id: file,
      name: (name ?? file).slice(0, 300),
      type: (filetype ?? '').slice(0, 100),
      bytes: size ?? null,
    }));

export const Message = z.object({
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
export const HomeOpened = z.object({
  type: z.literal('app_home_opened'),
  user: id,
  channel: id.optional(),
  tab: z.string(),
});

export const Stopped = z.object({
  type: z.literal('agent_session_stopped'),
  channel: id,
  user: id,
  thread_ts: id,
});

/** Posted or being composed. */
export const LinksShared = z.object({
  type: z.literal('link_shared'),
  channel: id,
  user: id,
  message_ts: id,
  unfurl_id: id.optional(),
  source: z.enum(['composer', 'conversations_history']).optional(),
  links: z.array(z.object({ url: z.string().max(3000) })).max(100),
});

export const GroupsChanged = z.object({
  type: z.enum(['subteam_members_changed', 'subteam_updated']),
});

export const Envelope = z.object({
  type: z.literal('event_callback'),
  /** Null for an organisation. */
  team_id: id.nullish(),
  enterprise_id: id.nullish(),
  event_id: id,
  event: z.looseObject({ type: z.string() }),
  /** Other organisations read it. */
  is_ext_shared_channel: z.boolean().nullish(),
  authorizations: z
    .array(
      z.object({
        team_id: id.nullish(),
        enterprise_id: id.nullish(),
        /** Missing without a user. */
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
export const View = z.object({
  id,
  hash: z.string(),
  callback_id: z.string().default(''),
  private_metadata: z.string().default(''),
  /** Lowest of the stack. */
  root_view_id: id.optional(),
  /** The person's own workspace can differ. */
  app_installed_team_id: id.nullish(),
  state: z.object({ values: z.record(z.string(), z.record(z.string(), Entered)) }).optional(),
});

const Person = z.object({ id, team_id: id.nullish() });
/** Null if `enterprise` has the app. */
const Team = z.object({ id }).nullish();
const installedFor = {
  team: Team,
  enterprise: z.object({ id }).nullish(),
  is_enterprise_install: z.boolean().nullish(),
};
export const Pressed = z.object({
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
export const Sent = z.object({
  type: z.literal('view_submission'),
  ...installedFor,
  user: Person,
  view: View,
});
export const Shortcut = z.object({
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
export const GlobalShortcut = z.object({
  type: z.literal('shortcut'),
  callback_id: id,
  ...installedFor,
  user: Person,
  trigger_id: id,
});
export const Suggest = z.object({
  type: z.literal('block_suggestion'),
  ...installedFor,
  user: Person,
  view: View,
  action_id: id,
  block_id: z.string(),
  value: z.string().max(1000).default(''),
});
export const Command = z.object({
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
