// Models, their costs and limits.
import { formatCost } from '#cards/words.ts';
import { modelApis } from '#domain/model-apis.ts';
import type { ModelFacts, SettingsView } from '#domain/settings-view.ts';
import { showLine, showText } from '#domain/shown-text.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { connectModel, disconnectModel, modelCheck } from '../../live/settings.ts';
import type { Settings } from '../../live/state.ts';
import { drawBlock, drawFactList, drawState, drawWhere } from './parts.ts';

function describePrice({ price }: ModelFacts): string {
  if (price === null) return 'price not known, so no budget holds it: add it under prices';
  if (price.input === 0 && price.output === 0) return 'free';
  return `${formatCost(price.input)} per million tokens in, ${formatCost(price.output)} out`;
}

function describeModel(model: ModelFacts): TemplateResult {
  const effort = model.effort === null ? '' : ` · effort ${model.effort}`;
  return html`<code>${model.name}</code
    ><span class="operation-notes">${effort} · ${describePrice(model)}</span>`;
}

function submitModel(event: SubmitEvent): void {
  event.preventDefault();
  if (!(event.currentTarget instanceof HTMLFormElement)) return;
  const values = new FormData(event.currentTarget);
  const [key, server] = ['api_key', 'base_url'].map((name) =>
    String(values.get(name) ?? '').trim(),
  );
  void connectModel({ ...(key ? { api_key: key } : {}), ...(server ? { base_url: server } : {}) });
}

function drawResults({ checks }: Settings): TemplateResult {
  return html`<div class="setting-check" aria-live="polite">
    ${(checks.get(modelCheck) ?? []).map(
      ({ state, text, advice }) =>
        html`<p data-state=${state}>${showText(text)} ${advice === undefined ? nothing : showText(advice)}</p>`,
    )}
  </div>`;
}

function drawConnection(facts: SettingsView, settings: Settings): TemplateResult {
  const checking = settings.checks.get(modelCheck) === null;
  const { connected } = facts.models;
  const where = drawWhere(facts, {
    keys: ['prices'],
    variables: [
      'OPENAI_API_KEY',
      'OPENAI_BASE_URL',
      'PLANNER_MODEL',
      'EXECUTOR_MODEL',
      'PLANNER_REASONING_EFFORT',
    ],
  });
  if (connected === null)
    return drawBlock(
      'No model',
      html`<p>
          Requests are read as <a href="/docs/commands">commands</a> (<code>help</code> lists them), and playbooks run. To ask in your own words,
          connect a model of OpenAI or of any server that speaks the same API:
        </p>
        <form class="setting-form" @submit=${submitModel}>
          <label>Key <input name="api_key" type="password" autocomplete="off" spellcheck="false" /></label>
          <label>Server, if it is not OpenAI's
            <input name="base_url" type="url" autocomplete="off" placeholder="http://127.0.0.1:11434/v1" />
          </label>
          <button type="submit" class="primary" ?disabled=${checking}>${checking ? 'Testing …' : 'Test and connect'}</button>
        </form>
        ${drawResults(settings)}
        <p class="operation-notes">
          Key and server are tested with <code>PLANNER_MODEL</code> and <code>EXECUTOR_MODEL</code> and kept encrypted. Everyone here then uses them.
          A model only proposes; a person still approves.
        </p>
        ${where}`,
      drawState('off', 'Not connected'),
    );
  const { host, api, key, planner, executor, entered_by: by } = connected;
  return drawBlock(
    'Connection',
    html`${drawFactList([
      ['Plans', describeModel(planner)],
      ['Decides while running', describeModel(executor)],
      ['Server', html`<code>${host}</code>`],
      ['API', modelApis[api]],
      ['Key', key ? 'Set' : 'None: the server asks for no key'],
    ])}
      <p class="operation-notes">
        <code>countersign doctor</code> calls both models once and says whether they do what plans need.
      </p>
      ${
        by === null
          ? html`<p class="operation-notes">Set in the environment, which takes precedence over a key entered here.</p>`
          : html`<p class="operation-notes">Entered here by ${showLine(by, 80)}.</p>
            <button type="button" class="quiet bordered" ?disabled=${checking} @click=${() => void disconnectModel()}>Disconnect</button>
            ${drawResults(settings)}`
      }
      ${where}`,
    drawState('ok', 'Set up'),
  );
}

function drawSpending(facts: SettingsView): TemplateResult {
  const { spent_today_usd: spent } = facts.models;
  const {
    budget_per_day_usd: day,
    budget_per_session_usd: session,
    soft_budget_per_turn_usd: turn,
  } = facts.planning;
  return drawBlock(
    'Spending',
    html`<p>
        ${spent === 0 ? 'Nothing' : formatCost(spent)} of ${formatCost(day)} spent today (UTC), by planning and by running plans.
      </p>
      <meter min="0" max=${Math.max(day, spent, 0.01)} high=${day * 0.8} value=${spent} aria-label="Spent today"></meter>
      ${drawFactList([
        ['A turn asks before it spends more than', formatCost(turn)],
        ['A plan stops at', formatCost(session)],
        ['A day stops at', formatCost(day)],
      ])}
      ${drawWhere(facts, {
        variables: ['SOFT_BUDGET_PER_TURN_USD', 'BUDGET_PER_SESSION_USD', 'BUDGET_PER_DAY_USD'],
      })}`,
  );
}

function drawPlanning(facts: SettingsView): TemplateResult {
  const { planning } = facts;
  const subtypes = planning.new_subtypes
    ? planning.ask_for_new_subtype
      ? 'May be proposed; a person agrees first'
      : 'May be proposed and used'
    : 'Not allowed';
  const percent = (share: number) => `${Math.round(share * 100)} %`;
  return drawBlock(
    'Planning',
    html`${drawFactList([
      ['Layers', planning.planning_mode === 'normal' ? 'One plan' : 'A scaffold, then its parts'],
      [
        'Reasoning',
        planning.plan_reasoning_mode === 'normal' ? 'Normal' : 'A second look at each draft',
      ],
      ['Fineness of steps', `${planning.reasoning_level} of 10`],
      [
        'One turn',
        `At most ${countOf(planning.turn_limit, 'model call')} and ${planning.wall_time_seconds} s`,
      ],
      ['Retries per stage', String(planning.retry_limit_per_stage)],
      [
        'Continues automatically at',
        `${percent(planning.confidence.continue)} confidence and more`,
      ],
      ['Asks at once below', `${percent(planning.confidence.escalate)} confidence`],
      ['New subtypes of patterns', subtypes],
    ])}
      ${drawWhere(facts, {
        keys: ['confidence'],
        variables: [
          'PLANNING_MODE_DEFAULT',
          'PLAN_REASONING_MODE_DEFAULT',
          'REASONING_LEVEL_DEFAULT',
          'TURN_LIMIT',
          'WALL_TIME_SEC',
          'RETRY_LIMIT_PER_STAGE',
          'ALLOW_NEW_SUBTYPE_PROPOSALS',
          'REQUIRE_RFC_FOR_NEW_SUBTYPE',
        ],
      })}`,
  );
}

export function drawModels(facts: SettingsView, settings: Settings): TemplateResult {
  return html`${drawConnection(facts, settings)} ${drawSpending(facts)} ${drawPlanning(facts)}`;
}
