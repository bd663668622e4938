// Access, exports and data location.
import type { SettingsView } from '#domain/settings-view.ts';
import { showLine } from '#domain/shown-text.ts';
import { countOf, listOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { readMe } from '../../live/settings.ts';
import type { Settings } from '../../live/state.ts';
import { formatTime } from '../../plan/format.ts';
import { drawLoading } from '../parts.ts';
import { drawIdentity } from './identity.ts';
import { drawBlock, drawFactList, drawState, drawWhere } from './parts.ts';

export function drawWho({ identity, identityProblem }: Settings): TemplateResult {
  if (identityProblem !== null)
    return html`<div role="alert">
      <p>Who you are could not be read: ${identityProblem}</p>
      <button type="button" class="quiet" @click=${() => void readMe()}>Try again</button>
    </div>`;
  return identity === null ? drawLoading() : drawIdentity(identity);
}

function describeReach(
  { token, loopback_only: loopback }: SettingsView['access'],
  known: boolean,
): string {
  if (!token && known) return 'People sign in, or use a personal token. Nobody else can use it.';
  if (!token) return 'Only this machine can use it, because no token is set.';
  return loopback
    ? 'The server listens on this machine only; a proxy may let others in. The API asks everyone for the token.'
    : 'Other machines can reach the server. The API asks everyone for the token.';
}

function drawReach(facts: SettingsView, { identity }: Settings): TemplateResult {
  const { access } = facts;
  // Servers with sign-in ask for the instance's token only without one.
  const known = identity?.me.by === 'session' || identity?.me.by === 'token';
  return drawBlock(
    'API and console',
    html`<p>${describeReach(access, known)}</p>
      ${drawFactList([
        ['API token', access.token ? 'Set' : 'Not set'],
        [
          'Listens on',
          html`<code>${access.host}</code>${access.loopback_only ? ', this machine only' : nothing}`,
        ],
        [
          'Public address',
          access.public_url === null
            ? 'None: cards in chats have no links'
            : html`<code>${access.public_url}</code>`,
        ],
        ['Rate limit', `${access.requests_per_minute.toLocaleString('en-US')} requests/min per IP`],
        [
          'Private addresses that steps may call',
          access.private_addresses.length === 0 ? 'None' : listOf(access.private_addresses),
        ],
      ])}
      <p class="operation-notes">
        Anyone who has the API token may decide as any typed name. Names of sign-ins, personal tokens, Slack and Teams are
        verified. <a href="/docs/identity">More about signing in</a>.
      </p>
      ${drawWhere(facts, {
        keys: ['http.allowPrivate'],
        variables: [
          'COUNTERSIGN_API_TOKEN',
          'HOST',
          'PORT',
          'COUNTERSIGN_PUBLIC_URL',
          'API_REQUESTS_PER_MINUTE',
        ],
      })}`,
    access.token
      ? drawState('ok', 'Token set')
      : known
        ? drawState('ok', 'Sign-in')
        : drawState('off', 'This machine only'),
  );
}

/** `plans 365 days, events 90 days, messages forever` */
function describeKept(days: SettingsView['access']['kept_days']): string {
  return Object.entries(days)
    .map(([kind, n]) => `${kind} ${n === null ? 'forever' : countOf(n, 'day')}`)
    .join(', ');
}

function drawData(facts: SettingsView): TemplateResult {
  const { access, version, started_at: started } = facts;
  return drawBlock(
    'Data and record',
    html`${drawFactList([
      ['Version', version],
      ['Started', formatTime(started)],
      [
        'Database',
        access.database === 'embedded'
          ? 'Embedded PostgreSQL, in the home folder'
          : 'Your own PostgreSQL',
      ],
      ['Home', html`<code>${access.home}</code>`],
      ['Workspace', html`<code>${access.workspace}</code>`],
      ['Retention', describeKept(access.kept_days)],
      [
        'Archive',
        access.archive === null
          ? 'None: deleted data is gone'
          : html`<code>${access.archive}</code>`,
      ],
      ['Traces', access.traces === null ? 'Not sent' : html`To <code>${access.traces}</code>`],
    ])}
      <p class="operation-notes">
        Every decision and call of a plan is under its tab Audit. The whole record of a plan is at
        <code>/api/plans/PLAN/log.jsonl</code>, its text at <code>/api/plans/PLAN/plan.md</code>, and everything the API does at
        <code>/openapi.json</code>. <code>countersign doctor</code> checks every part.
      </p>
      ${drawWhere(facts, { keys: ['retention'], variables: ['DATABASE_URL', 'COUNTERSIGN_HOME', 'COUNTERSIGN_WORKSPACE', 'OTEL_EXPORTER_OTLP_ENDPOINT'] })}`,
  );
}

function drawWebhooks(facts: SettingsView): TemplateResult {
  return drawBlock(
    'Webhooks',
    html`${
      facts.webhooks.length === 0
        ? html`<p>No webhook endpoints.</p>`
        : drawFactList(
            facts.webhooks.map(({ id, host, events, waiting, given_up, problem }) => [
              `${host} (${id})`,
              html`${events === null ? 'All events' : listOf(events)}; ${waiting} pending, ${given_up} abandoned${
                problem === null ? nothing : html`<br />${drawState('broken', problem)}`
              }`,
            ]),
          )
    } ${drawWhere(facts, { keys: ['webhooks'] })}`,
  );
}

function drawAll({ settings, file }: SettingsView): TemplateResult {
  return drawBlock(
    'All settings',
    html`<p>
        What <code>${file.path}</code> sets, and the defaults for the rest. Servers, calendars, providers and webhooks are
        shown by name.
      </p>
      <details>
        <summary>${countOf(settings.length, 'setting')}</summary>
        ${drawFactList(
          settings.map(({ name, value }) => [
            html`<code>${name}</code>`,
            showLine(value ?? 'None', 1000),
          ]),
        )}
      </details>`,
  );
}

export function drawAccess(facts: SettingsView, settings: Settings): TemplateResult {
  return html`${drawReach(facts, settings)} ${drawWebhooks(facts)} ${drawData(facts)} ${drawAll(facts)}`;
}
