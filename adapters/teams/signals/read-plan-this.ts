// “Plan this” as Teams sends it: the message it was chosen on, and what was typed beside it. Pure.
// https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/action-commands/create-task-module
import { z } from 'zod';
import { planThisInput } from '#cards/plan-this.ts';
import { Attachments, attachQuote, quoteAttached, readAttachments } from './read-attachments.ts';
import { readHtml } from './read-html.ts';

/** As the manifest names it. */
const commandId = 'plan_this';
const opening = 'composeExtension/fetchTask';
const submitting = 'composeExtension/submitAction';
/** Characters of what is typed. */
const maxWhat = 4000;

const id = z.string().min(1).max(500);
const Named = z.object({ displayName: z.string().nullish() });
const told = <T extends z.ZodType>(schema: T) => schema.nullish().catch(null);

const Chosen = z.object({
  commandId: z.literal(commandId),
  commandContext: z.literal('message'),
  messagePayload: z.object({
    id,
    replyToId: told(id),
    body: z.object({ contentType: z.string(), content: z.string().max(100_000).nullish() }),
    from: told(z.object({ user: told(Named), application: told(Named) })),
    attachments: Attachments,
  }),
  data: z.unknown().optional(),
});
const Submitted = z.object({
  plan: z.literal('this'),
  [planThisInput]: z.string().max(maxWhat).nullish(),
});
const Installed = z.object({ msteams: z.object({ justInTimeInstall: z.literal(true) }) });

/** `opens`: the dialog is asked for; else it was filled in. */
export type PlanThis = {
  opens: boolean;
  /** The post that the message stands below, or is. */
  root: string;
  /** null: unknown. */
  author: string | null;
  text: string;
  what: string;
};

/** null: it is another command, or of an unknown form. */
export function readPlanThis(name: string, value: unknown): PlanThis | null {
  if (name !== opening && name !== submitting) return null;
  const chosen = Chosen.safeParse(value);
  if (!chosen.success) return null;
  const { messagePayload, data } = chosen.data;
  const { body, from, replyToId, attachments } = messagePayload;
  const content = body.content ?? '';
  const rich =
    body.contentType === 'html' ? readHtml(content) : { text: content.trim(), quotes: [] };
  const others = readAttachments(attachments);
  const shown = {
    root: replyToId ?? messagePayload.id,
    author: from?.user?.displayName ?? from?.application?.displayName ?? null,
    text: [rich.text, ...[...rich.quotes.map(attachQuote), ...others].map(quoteAttached)]
      .filter((part) => part !== '')
      .join('\n\n'),
  };
  // The app was added there meanwhile, and the dialog is asked for again.
  if (name === opening || Installed.safeParse(data).success)
    return { ...shown, opens: true, what: '' };
  const submitted = Submitted.safeParse(data);
  if (!submitted.success) return null;
  return { ...shown, opens: false, what: (submitted.data[planThisInput] ?? '').trim() };
}
