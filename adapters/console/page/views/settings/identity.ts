// The person and their personal tokens.
import { repeat } from 'lit-html/directives/repeat.js';
import type { Principal, Role } from '#domain/people/principal.ts';
import { showText } from '#domain/shown-text.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { askToRevoke, copyToken, createToken, revokeToken, signOut } from '../../live/identity.ts';
import type { IdentityState, Token } from '../../live/state.ts';
import { formatTime } from '../../plan/format.ts';
import { drawBlock, drawFactList } from './parts.ts';

/** Least first. */
const roles = ['viewer', 'requester', 'approver', 'admin'] as const satisfies readonly Role[];

const knownBy: Record<Principal['by'], string> = {
  local: 'This machine, without a sign-in',
  instance: 'The token of the instance (COUNTERSIGN_API_TOKEN)',
  session: 'A sign-in',
  token: 'A personal token',
};

/** Null if there is one. */
function whyNoForm({ by }: Principal): string | null {
  switch (by) {
    case 'session':
      return null;
    case 'token':
      return 'A token cannot make another token. Sign in to make one.';
    case 'local':
    case 'instance':
      return 'Only people who are signed in make tokens here.';
    default:
      return by satisfies never;
  }
}

function drawMe({ me, busy }: IdentityState): TemplateResult {
  const known = me.by === 'session' || me.by === 'token';
  return drawBlock(
    'You',
    html`${drawFactList([
      ['Name', showText(known ? me.name : `${me.name}, or any typed name`)],
      known && me.account !== me.name ? ['Account', showText(me.account)] : null,
      ['Role', me.role],
      ['Organisation', me.tenant === null ? 'The whole instance' : showText(me.tenant)],
      ['Known by', knownBy[me.by]],
    ])}
    ${
      me.by === 'session'
        ? html`<div class="identity-actions">
            <button type="button" class="quiet bordered" ?disabled=${busy} @click=${() => void signOut(false)}>Sign out</button>
            <button type="button" class="quiet bordered" ?disabled=${busy} @click=${() => void signOut(true)}>
              Sign out everywhere
            </button>
          </div>`
        : nothing
    }`,
  );
}

function describeExpiry({ expires_at: expires }: Token): string {
  if (expires === null) return 'Never';
  return new Date(expires) <= new Date() ? 'Expired' : formatTime(expires);
}

function drawRevoke({ id, name }: Token, { revoking, busy }: IdentityState): TemplateResult {
  const shown = showText(name);
  if (revoking !== id)
    return html`<button type="button" class="quiet bordered" aria-label=${`Revoke ${shown}`} @click=${() => askToRevoke(id)}>
      Revoke
    </button>`;
  return html`<div class="identity-actions" role="group" aria-label=${`Revoke ${shown}?`}>
    <span>Revoke it? Programs that use it are refused at once.</span>
    <button type="button" class="quiet bordered" ?disabled=${busy} @click=${() => void revokeToken(id)}>Yes, revoke</button>
    <button type="button" class="quiet bordered" ?disabled=${busy} @click=${() => askToRevoke(null)}>Keep</button>
  </div>`;
}

function drawTokens(identity: IdentityState): TemplateResult {
  const { me, tokens } = identity;
  if (tokens.length === 0) return html`<p>There are no tokens.</p>`;
  const others = tokens.some(({ account }) => account !== me.account);
  return html`<div class="table-scroll">
    <table>
      <thead>
        <tr>
          <th scope="col">Token</th>
          ${others ? html`<th scope="col">Of</th>` : nothing}
          <th scope="col">Role</th>
          <th scope="col">Expires</th>
          <th scope="col">Last used</th>
          <th scope="col"><span class="visually-hidden">Revoke</span></th>
        </tr>
      </thead>
      <tbody>
        ${repeat(
          tokens,
          ({ id }) => id,
          (token) => html`<tr>
            <th scope="row">${showText(token.name)}</th>
            ${others ? html`<td>${showText(token.account)}</td>` : nothing}
            <td>${token.role}</td>
            <td>${describeExpiry(token)}</td>
            <td>${token.used_at === null ? 'Never' : formatTime(token.used_at)}</td>
            <td>${drawRevoke(token, identity)}</td>
          </tr>`,
        )}
      </tbody>
    </table>
  </div>`;
}

function drawMade({ made, busy }: IdentityState): TemplateResult | typeof nothing {
  if (made === null) return nothing;
  const { name, token, copied } = made;
  return html`<div class="identity-made" role="status">
    <p>Copy <strong>${showText(name)}</strong> now. It is not shown again.</p>
    <div class="identity-actions">
      <input type="text" readonly aria-label="New token" .value=${token} />
      <button type="button" class="quiet bordered" ?disabled=${busy} @click=${() => void copyToken(token)}>
        ${copied ? 'Copied' : 'Copy token'}
      </button>
    </div>
  </div>`;
}

async function onCreate(event: SubmitEvent): Promise<void> {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLFormElement)) return;
  const form = event.currentTarget;
  const typed = new FormData(form);
  const of = (field: string) => String(typed.get(field) ?? '').trim();
  const days = of('days') === '' ? null : Number(of('days'));
  if (await createToken({ name: of('name'), role: of('role'), days })) form.reset();
}

function drawForm({ me, busy }: IdentityState): TemplateResult {
  const why = whyNoForm(me);
  if (why !== null)
    return html`<p class="operation-notes">
      ${why} The operator makes one for anybody with <code>countersign token create --name NAME --user WHO</code>.
    </p>`;
  const mine = roles.slice(0, roles.indexOf(me.role) + 1);
  return html`<form class="token-form" aria-label="New token" @submit=${(event: SubmitEvent) => void onCreate(event)}>
    <label>Name <input type="text" name="name" required maxlength="80" pattern=".*\\S.*" placeholder="CI of the website" autocomplete="off" /></label>
    <label>Role
      <select name="role">
        ${mine.map((role) => html`<option value=${role} ?selected=${role === mine[Math.min(1, mine.length - 1)]}>${role}</option>`)}
      </select>
    </label>
    <label>Days until it expires (empty: never) <input type="number" name="days" min="1" max="3650" step="1" value="90" /></label>
    <button class="primary" ?disabled=${busy}>Create token</button>
  </form>`;
}

export function drawIdentity(identity: IdentityState): TemplateResult {
  const { me, problem } = identity;
  const everybody = me.role === 'admin' && me.tenant === null;
  return html`${drawMe(identity)}
  ${drawBlock(
    everybody ? 'Personal tokens of everybody' : 'Your personal tokens',
    html`${problem === null ? nothing : html`<p class="tool-problem" role="alert">⚠ ${problem}</p>`}
    ${drawMade(identity)} ${drawTokens(identity)} ${drawForm(identity)}`,
  )}`;
}
