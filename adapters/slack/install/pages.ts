// What a person reads in the browser when an installation comes back from Slack. Plain HTML, nothing loaded, no script.
import { createHash } from 'node:crypto';
import { listOf } from '#contracts/words.ts';

/** `href` may be relative to the page. */
type Link = { text: string; href: string };
export type Page = { status: number; title: string; text: string[]; links: Link[] };

const style = `
:root { color-scheme: light dark; font: 16px/1.5 system-ui, sans-serif; }
body { margin: 0; min-height: 100vh; display: grid; place-content: center; }
main { max-width: 34rem; padding: 2rem; }
h1 { font-size: 1.5rem; line-height: 1.25; margin: 0 0 1rem; }
p { margin: 0 0 1rem; overflow-wrap: anywhere; }
nav { display: flex; flex-wrap: wrap; gap: .75rem; margin-top: 1.5rem; }
a { padding: .5rem 1rem; border: 1px solid #0a58ca; border-radius: .375rem; color: inherit; text-decoration: none; }
a:first-child { background: #0a58ca; color: #fff; }
a:focus-visible { outline: 3px solid #6ea8fe; outline-offset: 2px; }
`;

/** Nothing but the style above; links to Slack's own program included. */
export const pagePolicy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;

const entities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};
const escapeHtml = (text: string) => text.replace(/[&<>"']/g, (one) => entities[one] ?? one);

export function drawPage({ title, text, links }: Page): string {
  const said = text.map((one) => `<p>${escapeHtml(one)}</p>`).join('\n');
  const ways = links.map(
    ({ text, href }) => `<a href="${escapeHtml(href)}">${escapeHtml(text)}</a>`,
  );
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escapeHtml(title)} · Countersign</title>
<style>${style}</style>
<main>
<h1>${escapeHtml(title)}</h1>
${said}
${ways.length === 0 ? '' : `<nav>${ways.join('\n')}</nav>`}
</main>
</html>
`;
}

/** Beside the page itself, so that it holds behind a base path too. */
const startAgain: Link = { text: 'Start again', href: 'install' };

export type Installed = {
  owner: string;
  org_wide: boolean;
  name: string;
  app_id: string;
  /** Scopes of the manifest that it was not given. */
  missing: string[];
  /** Where an organisation's workspaces are chosen. */
  enterpriseUrl: string | null;
};

export function installedPage(given: Installed): Page {
  const { owner, org_wide, name, app_id, missing, enterpriseUrl } = given;
  const lacking =
    missing.length === 0
      ? []
      : [
          `Slack did not grant ${listOf(missing)}, so some things will not work. Whoever runs Countersign puts its manifest into "App Manifest" of the Slack app; then add it again.`,
        ];
  if (org_wide)
    return {
      status: 200,
      title: `Countersign is in the organisation ${name}`,
      text: ['Choose the workspaces in which it may be used.', ...lacking],
      links:
        enterpriseUrl === null
          ? []
          : [
              {
                text: 'Choose workspaces',
                href: `${enterpriseUrl}manage/organization/apps/profile/${app_id}/workspaces/add`,
              },
            ],
    };
  return {
    status: 200,
    title: `Countersign is in ${name}`,
    text: [
      'Invite it into a channel with /invite @Countersign, or write to it directly. /plans help says the rest.',
      ...lacking,
    ],
    links: [
      { text: 'Open Slack', href: `slack://app?team=${owner}&id=${app_id}` },
      { text: 'Open Slack in the browser', href: `https://app.slack.com/client/${owner}` },
    ],
  };
}

const nothing = 'Nothing was installed';
const refused = (status: number, text: string, links: Link[] = [startAgain]): Page => ({
  status,
  title: nothing,
  text: [text],
  links,
});

export const pages = {
  denied: refused(200, 'You cancelled it in Slack.'),
  expired: refused(400, 'It was begun more than ten minutes ago.'),
  reused: refused(400, 'This page was opened before: what it stood for is done, or has failed.'),
  elsewhere: refused(400, 'It was not begun in this browser, or cookies are switched off here.'),
  notInvited: refused(
    403,
    'This Countersign is not for your workspace. Ask whoever runs it to add its id to SLACK_ALLOWED_WORKSPACES.',
  ),
  overtaken: refused(409, 'Somebody added it to the same workspace at this moment; theirs holds.'),
  tooMany: refused(429, 'Too many came from your address. Load this page again in a minute.', []),
  incomplete: refused(400, 'Slack sent you back without its permission.'),
  unavailable: refused(503, 'Slack or the database did not answer. Start again in a minute.'),
  /** @param why says to whoever runs Countersign what is wrong with the app */
  misconfigured: (why: string) => refused(502, why, []),
};
