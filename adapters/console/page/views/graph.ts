// The graph of steps, or of groups in larger plans.
import { headlineOf } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from '../lit.ts';
import { maxDrawn } from '../live/drawings.ts';
import type { Card, PlanView } from '../live/state.ts';
import { wrapText } from '../plan/format.ts';
import { nodeSize, type Point, shapeOfSteps } from '../plan/graph-shape.ts';
import { markedSteps } from '../plan/groups.ts';
import { labelKnownSteps } from '../plan/step-labels.ts';
import { describeStep } from '../plan/words.ts';
import { drawCritical, drawShape, pressable, select } from './drawing.ts';
import { drawGroups } from './groups.ts';
import { drawEmpty, drawIcon, drawLoading } from './parts.ts';
import { drawStepDetails } from './step-details.ts';

function drawNode(
  step: ShownStep,
  name: string,
  { x, y }: Point,
  { selected, critical }: { selected: boolean; critical: boolean },
): SVGTemplateResult {
  const { symbol, words } = describeStep(step.status);
  const { onClick, onKey } = pressable(() => select(selected ? null : step.id));
  const lines = wrapText(headlineOf(step.call), 27, 2);
  const first = lines.length === 1 ? 34 : 26;
  const operation = `${name} · ${step.tool}_${step.operation}${step.guarded ? ' · guarded' : ''}`;
  // Read aloud, so lines are separate words.
  const label = wrapText(operation, 26, 1)[0] ?? '';
  const decides = critical ? ' Decides when the plan ends.' : '';
  return svg`<g class="node" data-status=${step.status} data-selected=${selected} data-critical=${critical}
    transform=${`translate(${x} ${y})`} tabindex="0" role="button" aria-pressed=${selected}
    aria-label=${`${lines.join(' ')} ${label}. ${words}.${decides}`} @click=${onClick} @keydown=${onKey}>
    <rect width=${nodeSize.width} height=${nodeSize.height} rx="10" />
    ${critical ? svg`<text class="node-critical" x=${nodeSize.width - 18} y="20">◆</text>` : nothing}
    <text class="node-symbol" x="14" y=${first}>${symbol}</text>
    ${lines.map((line, row) => svg`<text class="node-text" x="34" y=${first + row * 17}>${`${line} `}</text>`)}
    <text class="node-operation" x="34" y=${first + lines.length * 17 + 3}>${label}</text>
  </g>`;
}

/** Returns the focus to its box. */
function closeChosen(): void {
  document.querySelector<SVGElement>('.node[data-selected="true"]')?.focus();
  select(null);
}

export function drawGraph(view: PlanView, card: Card): TemplateResult {
  const names = labelKnownSteps(card, view);
  if (card.facts.plan.total_steps > maxDrawn) return drawGroups(view, card, names);
  if (view.drawn === null) return drawLoading();
  const { facts } = card;
  const { steps } = view.drawn;
  if (steps.length === 0) return drawEmpty('No steps', 'This plan has no steps to draw.');
  const critical = markedSteps(view.forecast);
  const marked = new Set(critical);
  const arrows = new Set(critical.slice(1).map((id, at) => `${critical[at]}→${id}`));
  const byId = new Map(steps.map((step) => [step.id, step]));
  const drawBox = (id: string, at: Point) => {
    const step = byId.get(id);
    if (step === undefined) return null;
    const name = names.get(id) ?? String(step.position);
    return drawNode(step, name, at, { selected: view.selected === id, critical: marked.has(id) });
  };
  const chosen = steps.find((step) => step.id === view.selected);
  return html`
    ${drawCritical(view, card, names)}
    ${drawShape(shapeOfSteps(steps), 'Steps and what they wait for', drawBox, { isCritical: (id) => arrows.has(id) })}
    ${
      chosen === undefined
        ? html`<p class="hint">Press a step to read it.</p>`
        : html`<div class="chosen">
            <button class="quiet icon-only close" aria-label="Close" @click=${closeChosen}>
              ${drawIcon('close')}
            </button>
            ${drawStepDetails(chosen, names, { titled: true, workingDay: facts.working_day_minutes })}
          </div>`
    }
  `;
}
