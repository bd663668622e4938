// “Plan this” as Teams sends it: the message it was chosen on, and what was typed beside it. Pure.
// https://learn.microsoft.com/microsoftteams/platform/messaging-extensions/how-to/action-commands/create-task-module
import { z } from 'zod';
import { planThisInput } from '#cards/plan-this.ts';

/** As the manifest names it. */
const commandId = 'plan_this';
const opening = 'composeExtension/fetchTask';
const submitting = 'composeExtension/submitAction';
/** Characters of what is typed. */
const whatAtMost = 4000;

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
  }),
  data: z.unknown().optional(),
});
const Submitted = z.object({
  plan: z.literal('this'),
  [planThisInput]: z.string().max(whatAtMost).nullish(),
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

const named: Record<string, string> = {
  nbsp: ' ',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  amp: '&',
};

function readEntity(whole: string, name: string): string {
  const known = named[name.toLowerCase()];
  if (known !== undefined) return known;
  const [, hex, decimal] = /^#(?:x([\da-f]{1,6})|(\d{1,7}))$/i.exec(name) ?? [];
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  return code > 0 && code <= 0x10ffff ? String.fromCodePoint(code).toWellFormed() : whole;
}

/** The words of a message in Teams' HTML. Each pattern ends at the next bracket, so that any text is read in one go. */
export function readHtml(html: string): string {
  return html
    .replace(/\r?\n/g, ' ')
    .replace(
      /<(?:emoji|img)\s([^<>]*)>/gi,
      (_, rest: string) => /\balt="([^"]*)"/i.exec(rest)?.[1] ?? '',
    )
    .replace(/<li(?:\s[^<>]*)?>/gi, '\n- ')
    .replace(/<(?:br|hr)(?:\s[^<>]*)?\/?>|<\/(?:p|div|tr|h\d|blockquote|pre)>/gi, '\n')
    .replace(/<[^<>]*>/g, '')
    .replace(/&(#?\w{1,8});/g, readEntity)
    .replaceAll('\u00a0', ' ')
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
}

/** null: it is another command, or of an unknown form. */
export function readPlanThis(name: string, value: unknown): PlanThis | null {
  if (name !== opening && name !== submitting) return null;
  const chosen = Chosen.safeParse(value);
  if (!chosen.success) return null;
  const { messagePayload, data } = chosen.data;
  const { body, from, replyToId } = messagePayload;
  const content = body.content ?? '';
  const shown = {
    root: replyToId ?? messagePayload.id,
    author: from?.user?.displayName ?? from?.application?.displayName ?? null,
    text: body.contentType === 'html' ? readHtml(content) : content.trim(),
  };
  // The app was added there meanwhile, and the dialog is asked for again.
  if (name === opening || Installed.safeParse(data).success)
    return { ...shown, opens: true, what: '' };
  const submitted = Submitted.safeParse(data);
  if (!submitted.success) return null;
  return { ...shown, opens: false, what: (submitted.data[planThisInput] ?? '').trim() };
}
