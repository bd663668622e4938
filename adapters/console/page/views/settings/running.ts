// Execution: workers, pools, hours, failures.
import type { SettingsView } from '#domain/settings-view.ts';
import { showLine } from '#domain/shown-text.ts';
import { capitalise, countOf, listOf } from '#domain/words.ts';
import { html, type TemplateResult } from '../../lit.ts';
import { drawBlock, drawFactList, drawState, drawWhere, type Fact } from './parts.ts';

type Running = SettingsView['running'];

function drawBackEnds(facts: SettingsView): TemplateResult {
  const { back_ends: backEnds } = facts.running;
  const list =
    backEnds.length === 0
      ? html`<p>
          No worker is running, so approved plans wait. Start one: <code>countersign start</code> or
          <code>countersign worker</code>.
        </p>`
      : html`<div class="table-scroll" tabindex="0" role="region" aria-label="Back ends"><table>
          <thead>
            <tr><th scope="col">Name</th><th scope="col">Operations</th><th scope="col">Can</th><th scope="col">At once</th></tr>
          </thead>
          <tbody>
            ${backEnds.map(
              ({ id, name, operations, capabilities, concurrency }) => html`<tr>
                <th scope="row" title=${id}>${name}</th>
                <td>${operations}</td>
                <td>${capabilities.length === 0 ? '–' : listOf(capabilities)}</td>
                <td>${concurrency}</td>
              </tr>`,
            )}
          </tbody>
        </table></div>`;
  return drawBlock(
    'Back ends',
    html`<p>Active workers.</p>
      ${list} ${drawWhere(facts, { keys: ['backends', 'executor.concurrency'] })}`,
    backEnds.length === 0
      ? drawState('off', 'None')
      : drawState('ok', countOf(backEnds.length, 'back end')),
  );
}

function drawPools(facts: SettingsView): TemplateResult {
  const { pools } = facts.running;
  return drawBlock(
    'Resource pools',
    html`${
      pools.length === 0
        ? html`<p>None. Pools keep steps within a limit: licences, GPU memory.</p>`
        : html`<ul class="pools">
              ${pools.map(({ name, capacity, headroom, in_use, waiting_plans }) => {
                const kept = headroom === 0 ? '' : `, ${headroom} kept back`;
                const line =
                  waiting_plans === 0
                    ? 'none waiting'
                    : `${countOf(waiting_plans, 'plan')} ${waiting_plans === 1 ? 'waits' : 'wait'}`;
                return html`<li>
                  <span class="pool-name">${name}</span>
                  <meter
                    min="0"
                    max=${Math.max(capacity, in_use)}
                    high=${capacity - headroom}
                    value=${in_use}
                    aria-label="In use of ${name}"
                  ></meter>
                  <span>${in_use} of ${capacity} in use${kept}; ${line}</span>
                </li>`;
              })}
            </ul>`
    }
      ${drawWhere(facts, { keys: ['resourcePools'] })}`,
  );
}

function drawRules(facts: SettingsView): TemplateResult {
  const { running } = facts;
  const ruleOf = ({ timeout_seconds: timeout, max_attempts: attempts }: Running['rules'][number]) =>
    [
      ...(timeout === null ? [] : [`stopped after ${timeout} s`]),
      ...(attempts === null ? [] : [`at most ${countOf(attempts, 'attempt')}`]),
    ].join(', ') || 'other pauses between attempts';
  return drawBlock(
    'Steps',
    html`${drawFactList([
      ['At once, in one back end', running.concurrency],
      ['A call is stopped after', `${running.step_timeout_seconds} s`],
      ['A call that may be repeated', `At most ${countOf(running.max_attempts, 'attempt')}`],
      [
        'When a step fails',
        running.on_failure === 'stop_all'
          ? 'The whole plan stops'
          : 'Steps that do not depend on it go on',
      ],
      [
        'A plan counts as stalled after',
        `${countOf(running.stall_minutes, 'minute')} without progress`,
      ],
      [
        'When a source changed',
        running.replan === 'automatic'
          ? 'A correction is proposed automatically'
          : 'A correction is proposed when a person asks',
      ],
      ...running.rules.map(
        (rule): Fact => [html`<code>${rule.operation}</code>`, capitalise(ruleOf(rule))],
      ),
    ])}
      ${drawWhere(facts, { keys: ['executor', 'operations'] })}`,
  );
}

const days = { MO: 'Mon', TU: 'Tue', WE: 'Wed', TH: 'Thu', FR: 'Fri', SA: 'Sat', SU: 'Sun' };

function drawTime(facts: SettingsView): TemplateResult {
  const { schedule, timezone, calendars, human_reminder_hours } = facts.running;
  const { stale_after_days, terminal_stale_after_days } = facts.running;
  const free = schedule.days_off.length;
  return drawBlock(
    'Time and people',
    html`${drawFactList([
      ['Time zone of times without one', timezone],
      [
        'Working hours',
        schedule.working_hours.map(
          ({ days: on, from, to }) =>
            html`<span class="line">${on.map((day) => days[day]).join(', ')}: ${from} to ${to}</span>`,
        ),
      ],
      [
        'Days off',
        free === 0
          ? 'None'
          : listOf(schedule.days_off.slice(0, 6)) + (free > 6 ? ` and ${free - 6} more` : ''),
      ],
      schedule.buffer === 0
        ? null
        : ['Buffer on people’s tasks', `${Math.round(schedule.buffer * 100)} %`],
      [
        'Calendars',
        calendars.length === 0
          ? 'None'
          : calendars.map(
              ({ name, kind, problems }) =>
                html`<span class="line">${showLine(name, 100)} (${kind === 'file' ? 'a file' : 'an address'})</span>${problems.map((text) => html`<span class="line">△ ${showLine(text, 400)}</span>`)}`,
            ),
      ],
      ['A person is reminded after', countOf(human_reminder_hours, 'hour')],
      [
        'A plan without a decision',
        `Is cancelled after ${countOf(stale_after_days, 'day')} (${terminal_stale_after_days} if asked for in the terminal), with a reminder at half time`,
      ],
    ])}
      ${drawWhere(facts, {
        keys: [
          'schedule',
          'calendars',
          'human_reminder_hours',
          'stale_after_days',
          'terminal_stale_after_days',
        ],
        variables: ['COUNTERSIGN_TIMEZONE'],
      })}`,
  );
}

export function drawRunning(facts: SettingsView): TemplateResult {
  return html`${drawBackEnds(facts)} ${drawPools(facts)} ${drawRules(facts)} ${drawTime(facts)}`;
}
