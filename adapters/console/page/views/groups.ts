// A larger plan as a graph of groups.
import { repeat } from 'lit-html/directives/repeat.js';
import { headlineOf } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { PlanGroups, StepGroup } from '#domain/plan/groups.ts';
import { countOf } from '#domain/words.ts';
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from '../lit.ts';
import { groupBy, loadMoreOfGroup, toggleGroup } from '../live/drawings.ts';
import type { Card, PlanView } from '../live/state.ts';
import { wrapText } from '../plan/format.ts';
import { arrowId, groupSize, middleOf, type Point, shapeOfGroups } from '../plan/graph-shape.ts';
import {
  describeGroup,
  groupingWords,
  heatOf,
  heatWords,
  markedSteps,
  nameGroup,
  shareHeat,
} from '../plan/groups.ts';
import type { OpenedGroup } from '../plan/rows.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { describeStep } from '../plan/words.ts';
import { drawCritical, drawShape, pressable, select } from './drawing.ts';
import { drawIcon, drawLoading } from './parts.ts';
import { drawStepDetails } from './step-details.ts';

/** More are listed instead. */
const maxDrawn = 40;

export function drawGroupings({ by, choices }: PlanGroups): TemplateResult | typeof nothing {
  if (choices.length < 2) return nothing;
  return html`<div class="chips" role="group" aria-label="Group steps by">
    <span class="chips-label muted">Grouped by</span>
    ${choices.map(
      (
        one,
      ) => html`<button class="chip" aria-pressed=${one === by} @click=${() => void groupBy(one)}>
        ${groupingWords[one]}
      </button>`,
    )}
  </div>`;
}

/** Its steps are below the drawing on narrow screens. */
function toggle(key: string): void {
  void toggleGroup(key);
  requestAnimationFrame(() =>
    requestAnimationFrame(() => {
      const opened = document.querySelector('.opened');
      if (opened === null || getComputedStyle(opened).position !== 'static') return;
      opened.scrollIntoView({ block: 'start' });
    }),
  );
}

function drawHeat({ counts }: Pick<StepGroup, 'counts'>, width: number): SVGTemplateResult {
  return svg`${shareHeat(counts).map(
    ({
      heat,
      from,
      width: share,
    }) => svg`<rect class="heat" data-heat=${heat} x=${(from / 100) * width}
      width=${Math.max(2, (share / 100) * width)} height="8" />`,
  )}`;
}

function drawBox(
  group: StepGroup,
  by: PlanGroups['by'],
  { x, y }: Point,
  open: boolean,
): SVGTemplateResult {
  const { onClick, onKey } = pressable(() => toggle(group.key));
  const name = nameGroup(by, group.key);
  const heat = heatOf(group.counts);
  const decides = group.critical > 0 ? ' On the way that decides when the plan ends.' : '';
  const bar = groupSize.width - 32;
  return svg`<g class="node group" data-heat=${heat} data-selected=${open} data-critical=${group.critical > 0}
    transform=${`translate(${x} ${y})`} tabindex="0" role="button" aria-expanded=${open}
    aria-label=${`${name}: ${countOf(group.steps, 'step')}. ${describeGroup(group)}.${decides}`}
    @click=${onClick} @keydown=${onKey}>
    <rect class="group-box" width=${groupSize.width} height=${groupSize.height} rx="10" />
    ${group.critical > 0 ? svg`<text class="node-critical" x=${groupSize.width - 20} y="22">◆</text>` : nothing}
    <text class="group-name" x="16" y="27">${wrapText(name, 26, 1)[0]}</text>
    <text class="group-count" x="16" y="46">${countOf(group.steps, 'step')}</text>
    <g transform="translate(16 58)">${drawHeat(group, bar)}</g>
    <text class="group-words" x="16" y="87">${heatWords[heat].symbol} ${wrapText(describeGroup(group), 32, 1)[0]}</text>
  </g>`;
}

function drawGraphOfGroups(groups: PlanGroups, opened: OpenedGroup | null): TemplateResult {
  const byKey = new Map(groups.groups.map((group) => [group.key, group]));
  const weights = new Map(groups.edges.map((edge) => [arrowId(edge.from, edge.to), edge]));
  const isCritical = (arrow: string) => {
    const edge = weights.get(arrow);
    const ends = [byKey.get(edge?.from ?? ''), byKey.get(edge?.to ?? '')];
    return edge !== undefined && ends.every((end) => (end?.critical ?? 0) > 0);
  };
  const drawArrow = (arrow: string, points: Point[]) => {
    const edge = weights.get(arrow);
    if (edge === undefined || edge.dependencies < 2) return nothing;
    const { x, y } = middleOf(points);
    const text = edge.dependencies.toLocaleString();
    const width = 12 + text.length * 7;
    return svg`<g class="edge-count" transform=${`translate(${x} ${y})`}>
      <title>${`${text} dependencies`}</title>
      <rect x=${-width / 2} y="-9" width=${width} height="18" rx="9" />
      <text text-anchor="middle" y="4">${text}</text>
    </g>`;
  };
  return drawShape(
    shapeOfGroups(groups),
    'Groups of steps and what they wait for',
    (key, at) => {
      const group = byKey.get(key);
      return group === undefined ? null : drawBox(group, groups.by, at, opened?.key === key);
    },
    { isCritical, drawArrow },
  );
}

/** `after batch 1 (20), batch 2` */
function describeNeeds({ by, edges }: PlanGroups, key: string): string {
  const before = edges.filter((edge) => edge.to === key);
  if (before.length === 0) return '';
  const named = before
    .slice(0, 2)
    .map(({ from, dependencies }) => `${nameGroup(by, from)} (${dependencies.toLocaleString()})`);
  const more = before.length > 2 ? ` and ${before.length - 2} more` : '';
  return `after ${named.join(', ')}${more}`;
}

function drawListOfGroups(groups: PlanGroups, opened: OpenedGroup | null): TemplateResult {
  return html`<ul class="group-list">
    ${repeat(
      groups.groups,
      ({ key }) => key,
      (group) => html`<li>
        <button
          class="group-tile"
          data-heat=${heatOf(group.counts)}
          aria-expanded=${opened?.key === group.key}
          @click=${() => toggle(group.key)}
        >
          <strong>${nameGroup(groups.by, group.key)}${group.critical > 0 ? html` <span class="critical-mark" title="Decides when the plan ends">◆</span>` : nothing}</strong>
          <span class="muted">${countOf(group.steps, 'step')}</span>
          <svg class="heat-bar" viewBox="0 0 200 8" preserveAspectRatio="none" aria-hidden="true">${drawHeat(group, 200)}</svg>
          <span>${heatWords[heatOf(group.counts)].symbol} ${describeGroup(group)}</span>
          <span class="muted">${describeNeeds(groups, group.key)}</span>
        </button>
      </li>`,
    )}
  </ul>`;
}

function drawHeatKeys({ groups }: PlanGroups): TemplateResult {
  const seen = new Set(groups.flatMap(({ counts }) => shareHeat(counts).map(({ heat }) => heat)));
  const keys = (['done', 'running', 'failed', 'hold', 'later', 'left_out'] as const).filter(
    (heat) => seen.has(heat),
  );
  return html`${keys.map((heat) => html`<span class="key-item"><span class="key heat-key" data-heat=${heat}></span>${heatWords[heat].symbol} ${heatWords[heat].words}</span>`)}`;
}

/** Steps outside the groups above. */
export function drawRest({ rest, by }: PlanGroups): TemplateResult | typeof nothing {
  if (rest.groups === 0) return nothing;
  return html`<p class="note">
    And ${countOf(rest.groups, 'more group')} with ${countOf(rest.steps, 'step')}. Search under Steps finds any of
    them${by === 'partition' ? ' by name' : ''}.
  </p>`;
}

function drawStep(
  step: ShownStep,
  names: StepLabels,
  { open, workingDay, critical }: { open: boolean; workingDay: number | null; critical: boolean },
): TemplateResult {
  const { symbol, words, tone } = describeStep(step.status);
  return html`<li class="step" data-open=${open}>
    <button class="step-head" aria-expanded=${open} @click=${() => select(open ? null : step.id)}>
      <span class="chevron">${drawIcon('chevron')}</span>
      <span class="step-number">${names.get(step.id) ?? step.position}</span>
      <span class="step-what">${step.guarded ? drawIcon('shield') : nothing}${headlineOf(step.call)}
        ${critical ? html`<span class="critical-mark" title="Decides when the plan ends">◆</span>` : nothing}</span>
      <span class="badge" data-tone=${tone}><span class="badge-symbol" aria-hidden="true">${symbol}</span>${words}</span>
    </button>
    ${open ? drawStepDetails(step, names, { titled: false, workingDay }) : nothing}
  </li>`;
}

/** Returns the focus to the group. */
function closeGroup({ key }: OpenedGroup): void {
  document
    .querySelector<HTMLElement>(
      ':is(.node[data-selected="true"], .group-tile[aria-expanded="true"])',
    )
    ?.focus({ preventScroll: true });
  void toggleGroup(key);
}

function drawOpened(view: PlanView, card: Card, names: StepLabels): TemplateResult {
  const { opened, groups } = view;
  if (opened === null || groups === null) {
    return html`<p class="hint">Press a group to see its steps. ${groups === null ? nothing : drawHeatKeys(groups)}</p>`;
  }
  const group = groups.groups.find(({ key }) => key === opened.key);
  const critical = new Set(markedSteps(view.forecast));
  const workingDay = card.facts.working_day_minutes;
  return html`<section class="opened" aria-label=${nameGroup(opened.by, opened.key)}>
    <header class="opened-head">
      <h3>${nameGroup(opened.by, opened.key)}</h3>
      <span class="muted">${group === undefined ? nothing : describeGroup(group)}</span>
      <button class="quiet icon-only" aria-label="Close the group" @click=${() => closeGroup(opened)}>
        ${drawIcon('close')}
      </button>
    </header>
    ${
      opened.steps.length === 0
        ? drawLoading()
        : html`<ol class="steps">
            ${repeat(
              opened.steps,
              ({ id }) => id,
              (step) =>
                drawStep(step, names, {
                  open: view.selected === step.id,
                  workingDay,
                  critical: critical.has(step.id),
                }),
            )}
          </ol>`
    }
    ${opened.next_cursor === null ? nothing : drawMore(opened, group)}
  </section>`;
}

export function drawMore(opened: OpenedGroup, group: StepGroup | undefined): TemplateResult {
  const left = (group?.steps ?? opened.steps.length) - opened.steps.length;
  return html`<button class="quiet more" @click=${() => void loadMoreOfGroup()}>
    Show more${left > 0 ? ` (${left.toLocaleString()} left)` : ''}
  </button>`;
}

export function drawGroups(view: PlanView, card: Card, names: StepLabels): TemplateResult {
  const { groups, opened } = view;
  if (groups === null) return drawLoading();
  return html`
    ${drawGroupings(groups)} ${drawCritical(view, card, names)}
    ${groups.groups.length > maxDrawn ? drawListOfGroups(groups, opened) : drawGraphOfGroups(groups, opened)}
    ${drawRest(groups)} ${drawOpened(view, card, names)}
  `;
}
