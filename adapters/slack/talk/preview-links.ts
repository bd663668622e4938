// Previews links to plans that all readers may see.
import type { types } from '@slack/bolt';
import { platformLimits } from '#cards/limits.ts';
import type { PlanView } from '#cards/view.ts';
import { viewPlan } from '#cards/view-model.ts';
import { CountersignError } from '#domain/errors.ts';
import { cutShown } from '#domain/shown-text.ts';
import { explainSlackError } from '../calls/explain-error.ts';
import type { LinksSignal } from '../signals/read-signal.ts';
import type { SlackContext } from '../slack-context.ts';

/** Per message. */
const maxLinks = 5;

type Blocks = types.KnownBlock[];

/** Decisions are made on the card. Pure. */
function drawPreview({ title, state, progress, sentence }: PlanView, url: string): Blocks {
  const lines = [state.line, progress?.text ?? sentence].filter((line) => line !== '');
  return [
    {
      type: 'rich_text',
      elements: [
        {
          type: 'rich_text_section',
          elements: [
            {
              type: 'link',
              url,
              text: cutShown(title, platformLimits.slack.headerText),
              style: { bold: true },
            },
            {
              type: 'text',
              text: `\n${cutShown(lines.join('\n'), platformLimits.slack.sectionText - 200)}`,
            },
          ],
        },
      ],
    },
  ];
}

function planIn(url: string): string | null {
  const id = URL.parse(url)?.searchParams.get('plan') ?? '';
  return /^PLAN-[0-9a-f]{1,32}$/.test(id) ? id : null;
}

/** The query names the plan. */
function isSamePage(a: string, b: string | null): boolean {
  const [one, other] = [URL.parse(a), b === null ? null : URL.parse(b)];
  if (one === null || other === null) return false;
  return one.origin === other.origin && one.pathname === other.pathname;
}

/** Null if not ours or not visible to all. */
async function readPreview(
  { plansFor }: SlackContext,
  team: string,
  url: string,
  timezone: string,
): Promise<Blocks | null> {
  const id = planIn(url);
  if (id === null) return null;
  try {
    // Restricted plans have no preview.
    const facts = await plansFor(team, '').card(id, { user: '', timezone });
    return isSamePage(url, facts.link) ? drawPreview(viewPlan(facts), url) : null;
  } catch (error) {
    if (error instanceof CountersignError && error.passesAfterMs === null) return null;
    throw error;
  }
}

/** Repeated links update the previews. */
export async function previewLinks(
  context: SlackContext,
  { team, shared, links: { channel, user, message_ts: ts, unfurl_id, source, links } }: LinksSignal,
): Promise<void> {
  // Drafts have unknown readers; the link returns once posted.
  if (shared || source === 'composer') return;
  const urls = [...new Set(links.map(({ url }) => url))].filter((url) => planIn(url) !== null);
  if (urls.length === 0) return;
  const { timezone } = await context.people.find(team, user);
  const unfurls: Record<string, { blocks: Blocks }> = {};
  for (const url of urls.slice(0, maxLinks)) {
    const blocks = await readPreview(context, team, url, timezone);
    if (blocks !== null) unfurls[url] = { blocks };
  }
  if (Object.keys(unfurls).length === 0) return;
  const client = await context.clientOf(team);
  const where =
    unfurl_id === undefined || source === undefined ? { channel, ts } : { unfurl_id, source };
  try {
    await client.chat.unfurl({ ...where, unfurls });
  } catch (cause) {
    const error = explainSlackError(cause, 'show a plan with its link');
    if (error.passesAfterMs !== null) throw error;
    // Message deleted or scope missing.
    context.warn(`Could not show a preview for a link to a plan: ${error.message}`, error);
  }
}
