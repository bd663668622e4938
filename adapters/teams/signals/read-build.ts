// Parses the builder's dialogs. Pure.
// https://learn.microsoft.com/microsoftteams/platform/task-modules-and-cards/task-modules/task-modules-bots
import { z } from 'zod';
import { buildVerbs } from '#cards/teams-build.ts';

/** As in the manifest. */
const commandId = 'build';
const opening = ['task/fetch', 'composeExtension/fetchTask'];
const submitting = ['task/submit', 'composeExtension/submitAction'];

const id = z.string().min(1).max(500);
const Pressed = z.object({
  build: z.enum(buildVerbs),
  list: z.string().max(2000).optional(),
  count: z.int().optional(),
  page: z.int().min(0).max(100).default(0),
  edits: z.object({ plan: id, step: id, opened: id.optional() }).optional(),
});
const Inputs = z.record(z.string(), z.unknown());
const Sent = z.object({
  commandId: z.string().nullish(),
  commandContext: z.string().nullish(),
  messagePayload: z.object({ id, replyToId: id.nullish() }).nullish().catch(null),
  data: z.unknown().optional(),
});

export type BuildPress = z.infer<typeof Pressed> & {
  inputs: Record<string, string>;
};

/** `root`: its message, or null. */
type BuildRequest = { press: BuildPress; root: string | null };

/** Null for other dialogs and unknown shapes. */
export function readBuild(name: string, value: unknown): BuildRequest | null {
  const opens = opening.includes(name);
  if (!opens && !submitting.includes(name)) return null;
  const sent = Sent.safeParse(value);
  if (!sent.success) return null;
  const { commandId: command, messagePayload: message, data } = sent.data;
  if (name.startsWith('composeExtension/') && command !== commandId) return null;
  const pressed = Pressed.safeParse(
    opens && name.startsWith('composeExtension/') ? { build: 'open' } : data,
  );
  if (!pressed.success || opens !== (pressed.data.build === 'open')) return null;
  const inputs = Object.entries(Inputs.safeParse(data).data ?? {}).flatMap(
    ([key, given]): [string, string][] =>
      typeof given === 'string' || typeof given === 'number' ? [[key, String(given)]] : [],
  );
  const root = message == null ? null : (message.replyToId ?? message.id);
  return { press: { ...pressed.data, inputs: Object.fromEntries(inputs) }, root };
}
