// Pages shown after an installation; no scripts or external resources.
import { createHash } from 'node:crypto';
import { installWords } from '#cards/chat-words.ts';
import { listOf } from '#domain/words.ts';

/** `href` may be relative. */
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

/** Allows only the style above. */
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
  const paragraphs = text.map((one) => `<p>${escapeHtml(one)}</p>`).join('\n');
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
${paragraphs}
${ways.length === 0 ? '' : `<nav>${ways.join('\n')}</nav>`}
</main>
</html>
`;
}

/** Relative, for base paths. */
const startAgain: Link = { text: installWords.links.again, href: 'install' };

export type Installed = {
  owner: string;
  org_wide: boolean;
  name: string;
  app_id: string;
  /** Manifest scopes not granted. */
  missing: string[];
  /** To choose an organisation's workspaces. */
  enterpriseUrl: string | null;
};

export function installedPage(given: Installed): Page {
  const { owner, org_wide, name, app_id, missing, enterpriseUrl } = given;
  const { links } = installWords;
  const lacking = missing.length === 0 ? [] : [installWords.lacking({ scopes: listOf(missing) })];
  if (org_wide)
    return {
      status: 200,
      title: installWords.inOrganisation({ name }),
      text: [installWords.chooseWorkspaces, ...lacking],
      links:
        enterpriseUrl === null
          ? []
          : [
              {
                text: links.choose,
                href: `${enterpriseUrl}manage/organization/apps/profile/${app_id}/workspaces/add`,
              },
            ],
    };
  return {
    status: 200,
    title: installWords.inWorkspace({ name }),
    text: [installWords.next, ...lacking],
    links: [
      { text: links.open, href: `slack://app?team=${owner}&id=${app_id}` },
      { text: links.openInBrowser, href: `https://app.slack.com/client/${owner}` },
    ],
  };
}

const refused = (status: number, text: string, links: Link[] = [startAgain]): Page => ({
  status,
  title: installWords.nothing,
  text: [text],
  links,
});

export const pages = {
  denied: refused(200, installWords.denied),
  expired: refused(400, installWords.expired),
  reused: refused(400, installWords.reused),
  elsewhere: refused(400, installWords.elsewhere),
  notInvited: refused(403, installWords.notInvited),
  overtaken: refused(409, installWords.overtaken),
  tooMany: refused(429, installWords.tooMany, []),
  incomplete: refused(400, installWords.incomplete),
  unavailable: refused(503, installWords.unavailable),
  /** The operator gets the details. */
  misconfigured: refused(502, installWords.misconfigured, []),
};
