// Approvers and guarded operations.
import type { ApproverPolicy } from '#domain/plan/plan.ts';
import type { SettingsView } from '#domain/settings-view.ts';
import { showLine } from '#domain/shown-text.ts';
import { listOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { drawIcon } from '../parts.ts';
import { drawBlock, drawFactList, drawWhere } from './parts.ts';

const people = (names: string[], word: 'and' | 'or') =>
  listOf(
    names.map((name) => showLine(name, 100)),
    word,
  );

function describeRule(rule: ApproverPolicy): string {
  switch (rule.kind) {
    case 'requester':
      return 'The requester approves.';
    case 'anyone':
      return 'Anyone may approve.';
    case 'named':
      return `${people(rule.people, 'or')} must approve.`;
    case 'n_of':
      return `${rule.n} of ${people(rule.people, 'and')} must approve.`;
    case 'not_requester':
      return 'Someone other than the requester must approve.';
    default:
      return rule satisfies never;
  }
}

function drawGuarded({ guarded }: SettingsView['approvals']): TemplateResult {
  if (guarded.length === 0) return html`<p>No operation is guarded.</p>`;
  return html`<ul class="guarded">
    ${guarded.map(
      ({ operation, offered, rule }) => html`<li>
        <p class="operation-head">
          ${drawIcon('shield')}<code>${operation}</code>
          ${offered ? nothing : html`<span class="operation-notes">no tool offers it now</span>`}
        </p>
        <p class="operation-notes">
          ${rule === null ? 'Approved together with the plan.' : describeRule(rule)}
        </p>
      </li>`,
    )}
  </ul>`;
}

export function drawApprovals(facts: SettingsView): TemplateResult {
  const { approvers, guard_mode: mode } = facts.approvals;
  return html`
    ${drawBlock(
      'Who approves',
      html`<p>
          People approve their own plans, unless a plan or one of its operations asks for somebody else. A model never
          approves anything.
        </p>
        ${drawFactList([
          [
            'May decide about every plan',
            approvers.length === 0 ? 'Only its requester' : people(approvers, 'and'),
          ],
        ])}
        ${drawWhere(facts, { keys: ['approvers'] })}`,
    )}
    ${drawBlock(
      'Guarded operations',
      html`<p>
          ${
            mode === 'block'
              ? 'They are marked with a shield, listed first, and refused outside an approved plan.'
              : html`<strong>Not enforced:</strong> a guarded call outside an approved plan goes out and is only recorded.`
          }
        </p>
        ${drawGuarded(facts.approvals)}
        ${drawWhere(facts, { keys: ['guardedTools', 'guardedApprovers', 'guardMode'] })}`,
    )}
  `;
}
