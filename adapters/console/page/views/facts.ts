// A plan's facts, and its record as files.
import { throughAgent } from '#cards/plain.ts';
import { describeExpected, tellSpan } from '#cards/times.ts';
import type { Plan } from '#domain/plan/plan.ts';
import { capitalise } from '#domain/words.ts';
import { html, type TemplateResult } from '../lit.ts';
import { describeError, request } from '../live/api.ts';
import { startSaving } from '../live/open.ts';
import type { Card } from '../live/state.ts';
import { change } from '../live/store.ts';
import { formatConfidence, formatCost, formatDuration, formatTime } from '../plan/format.ts';
import { callPerson, reader } from '../plan/people.ts';
import { drawIcon } from './parts.ts';

type Row = [string, string | TemplateResult];

const drawPerson = ({ facts }: Card, name: string): TemplateResult =>
  html`<bdi>${callPerson(facts, name)}</bdi>`;

function listTimes({ facts }: Card): [string, string][] {
  const { plan, scheduled } = facts;
  const { created_at, execution_started_at: began, execution_ended_at: ended } = plan;
  const rows: [string, string][] = [['Proposed', formatTime(created_at)]];
  if (began !== null) rows.push(['Started', formatTime(began)]);
  if (began !== null && ended !== null) {
    rows.push(['Took', formatDuration(Date.parse(ended) - Date.parse(began))]);
  } else {
    for (const text of describeExpected(facts)) rows.push(['Expected', capitalise(text)]);
    if (scheduled !== null) {
      rows.push(['Scheduled', tellSpan(scheduled.starts_at, scheduled.ends_at, facts, ' – ')]);
    }
  }
  return rows;
}

function listApproval(card: Card): Row[] {
  const { facts, view } = card;
  const { plan, approvers } = facts;
  if (view.approvals !== '') return [['Approval', view.approvals]];
  if (plan.decided_by === null)
    return [['Can approve', approvers === reader ? callPerson(facts, reader) : approvers]];
  return [
    [
      'Decided by',
      html`${drawPerson(card, plan.decided_by)}${plan.decided_at === null ? '' : `, ${formatTime(plan.decided_at)}`}`,
    ],
  ];
}

export function drawFacts(card: Card): TemplateResult {
  const { plan } = card.facts;
  const rows: Row[] = [
    ['Requested by', html`${drawPerson(card, plan.requester)}${throughAgent(plan)}`],
    ...listApproval(card),
    ...listTimes(card),
    ['Cost so far', formatCost(plan.cost_usd)],
    ['Planner', plan.planner_model],
    ['Confidence', formatConfidence(plan.confidence)],
    ['Digest', plan.digest.slice(0, 12)],
  ];
  return html`<dl class="facts">
    ${rows.map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}
  </dl>`;
}

/** Fetched, since a link can't carry the token. */
export async function download(id: string, file: string, name = `${id}-${file}`): Promise<void> {
  try {
    const response = await request('GET', `/api/plans/${encodeURIComponent(id)}/${file}`);
    const url = URL.createObjectURL(await response.blob());
    const link = Object.assign(document.createElement('a'), {
      href: url,
      download: name,
    });
    link.click();
    URL.revokeObjectURL(url);
  } catch (error) {
    change((s) => {
      if (s.plan !== null) s.plan.problem = describeError(error);
    });
  }
}

export function drawDownloads({ id, title }: Pick<Plan, 'id' | 'title'>): TemplateResult {
  const button = (file: string, words: string) =>
    html`<button class="download" @click=${() => void download(id, file)}>
      ${drawIcon('down')}<span>${file}</span><span class="muted">${words}</span>
    </button>`;
  return html`<div class="downloads">
    ${button('plan.md', 'Plan (Markdown)')} ${button('log.jsonl', 'Run log')}
    ${button('schedule.ics', 'Calendar')}
    <button class="download" aria-haspopup="dialog" @click=${() => startSaving({ id, title })}>
      ${drawIcon('plus')}<span>Save as a playbook</span>
    </button>
  </div>`;
}
