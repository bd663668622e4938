// Parses “Plan this”. Pure.
// https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/action-commands/create-task-module
import { z } from 'zod';
import { planThisInput } from '#cards/plan-this.ts';
import { Attachments, readAttachments, readBody } from './read-content.ts';

/** As in the manifest. */
const commandId = 'plan_this';
const opening = 'composeExtension/fetchTask';
const submitting = 'composeExtension/submitAction';
const maxWhat = 4000;

const id = z.string().min(1).max(500);
const Named = z.object({ displayName: z.string().nullish() });
const optional = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

const Chosen = z.object({
  commandId: z.literal(commandId),
  commandContext: z.literal('message'),
  messagePayload: z.object({
    id,
    replyToId: optional(id),
    body: z.object({ contentType: z.string(), content: z.string().max(100_000).nullish() }),
    from: optional(z.object({ user: optional(Named), application: optional(Named) })),
    attachments: Attachments,
  }),
  data: z.unknown().optional(),
});
const Submitted = z.object({
  plan: z.literal('this'),
  [planThisInput]: z.string().max(maxWhat).nullish(),
});
const Installed = z.object({ msteams: z.object({ justInTimeInstall: z.literal(true) }) });

/** `opens`: requested, else submitted. */
export type PlanThis = {
  opens: boolean;
  /** The thread's post, or the message. */
  root: string;
  author: string | null;
  text: string;
  what: string;
};

/** Null for others and unknown shapes. */
export function readPlanThis(name: string, value: unknown): PlanThis | null {
  if (name !== opening && name !== submitting) return null;
  const chosen = Chosen.safeParse(value);
  if (!chosen.success) return null;
  const { messagePayload, data } = chosen.data;
  const { body, from, replyToId, attachments } = messagePayload;
  const shown = {
    root: replyToId ?? messagePayload.id,
    author: from?.user?.displayName ?? from?.application?.displayName ?? null,
    text: readBody(body, readAttachments(attachments)).join('\n\n'),
  };
  // The app was added, and the dialog requested again.
  if (name === opening || Installed.safeParse(data).success)
    return { ...shown, opens: true, what: '' };
  const submitted = Submitted.safeParse(data);
  if (!submitted.success) return null;
  return { ...shown, opens: false, what: (submitted.data[planThisInput] ?? '').trim() };
}
