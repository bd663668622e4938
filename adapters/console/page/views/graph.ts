// Graph: the steps of a small plan and what they wait for, top to bottom; of a larger one its groups. The layout is kept; states are
// redrawn over it.
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit-html';
import { headlineOf } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import { describeError } from '../live/api.ts';
import { drawnAtMost } from '../live/drawings.ts';
import type { Card, PlanView } from '../live/state.ts';
import { change } from '../live/store.ts';
import { wrapText } from '../plan/format.ts';
import { layOutGraph } from '../plan/graph-layout.ts';
import {
  type Drawn,
  describeShape,
  drawPath,
  nodeSize,
  type Point,
  type Shape,
  shapeOfSteps,
} from '../plan/graph-shape.ts';
import { describeCritical, markedSteps } from '../plan/groups.ts';
import { nameSteps, type StepNames } from '../plan/step-names.ts';
import { describeStep } from '../plan/words.ts';
import { drawGroups } from './groups.ts';
import { drawEmpty, drawIcon, drawLoading } from './parts.ts';
import { drawStepDetails } from './step-details.ts';

/** The latest layout, and the shape it was made for. */
let kept: { shape: string; drawn: Drawn | null; problem: string | null } | null = null;

function getLayout(shape: Shape): NonNullable<typeof kept> {
  const described = describeShape(shape);
  if (kept?.shape === described) return kept;
  const mine: NonNullable<typeof kept> = { shape: described, drawn: null, problem: null };
  kept = mine;
  layOutGraph(shape)
    .then((drawn) => {
      mine.drawn = drawn;
    })
    .catch((error: unknown) => {
      mine.problem = describeError(error);
    })
    .finally(() => {
      change(() => {});
      requestAnimationFrame(() => requestAnimationFrame(centre));
    });
  return mine;
}

/** A graph wider than its column begins at its middle, where the first step stands. */
function centre(): void {
  const canvas = document.querySelector('.canvas');
  if (canvas !== null) canvas.scrollLeft = (canvas.scrollWidth - canvas.clientWidth) / 2;
}

export function select(id: string | null): void {
  change((s) => {
    if (s.plan !== null) s.plan.selected = id;
  });
}

/** What a box of a drawing does when it is pressed, by pointer or keyboard. */
export function pressable(toggle: () => void) {
  return {
    onClick: toggle,
    onKey: (event: KeyboardEvent) => {
      if (event.key !== 'Enter' && event.key !== ' ') return;
      event.preventDefault();
      toggle();
    },
  };
}

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
  const decides = critical ? ' Decides when the plan ends.' : '';
  return svg`<g class="node" data-status=${step.status} data-selected=${selected} data-critical=${critical}
    transform=${`translate(${x} ${y})`} tabindex="0" role="button" aria-pressed=${selected}
    aria-label=${`Step ${name}: ${headlineOf(step.call)}. ${words}.${decides}`} @click=${onClick} @keydown=${onKey}>
    <rect width=${nodeSize.width} height=${nodeSize.height} rx="10" />
    ${critical ? svg`<text class="node-critical" x=${nodeSize.width - 18} y="20">◆</text>` : nothing}
    <text class="node-symbol" x="14" y=${first}>${symbol}</text>
    ${lines.map((line, row) => svg`<text class="node-text" x="34" y=${first + row * 17}>${line}</text>`)}
    <text class="node-operation" x="34" y=${first + lines.length * 17 + 3}>${wrapText(operation, 26, 1)[0]}</text>
  </g>`;
}

/**
 * A drawing of boxes and arrows, once it is laid out.
 * @param drawBox one box at its place; null: nothing is known of it
 * @param drawArrow what stands on an arrow beside its line
 */
export function drawShape(
  shape: Shape,
  label: string,
  drawBox: (id: string, at: Point) => SVGTemplateResult | null,
  {
    isCritical,
    drawArrow = () => nothing,
  }: {
    isCritical: (arrow: string) => boolean;
    drawArrow?: (arrow: string, points: Point[]) => SVGTemplateResult | typeof nothing;
  },
): TemplateResult {
  const { drawn, problem } = getLayout(shape);
  if (problem !== null) return drawEmpty("The graph couldn't be drawn", problem);
  if (drawn === null) return drawLoading();
  const { width, height, nodes, edges } = drawn;
  return html`<div class="canvas" tabindex="0" role="group" aria-label=${label}>
    <svg class="graph" width=${width} height=${height} viewBox=${`0 0 ${width} ${height}`}>
      <defs>
        ${['arrow', 'arrow-critical'].map(
          (id) => svg`<marker id=${id} viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7"
            markerHeight="7" orient="auto"><path d="M1 1l6 3-6 3z" /></marker>`,
        )}
      </defs>
      ${edges.map(({ id, points }) => {
        const critical = isCritical(id);
        return svg`<path class="edge" data-critical=${critical} d=${drawPath(points)}
          marker-end=${critical ? 'url(#arrow-critical)' : 'url(#arrow)'} />`;
      })}
      ${edges.map(({ id, points }) => drawArrow(id, points))}
      ${shape.nodes.map((id) => {
        const at = nodes.get(id);
        return at === undefined ? nothing : (drawBox(id, at) ?? nothing);
      })}
    </svg>
  </div>`;
}

/** Which steps decide when the plan ends, above the drawing; and what their mark is. */
export function drawCritical(view: PlanView, card: Card, names: StepNames): unknown {
  if (view.forecast === null) return nothing;
  const over = card.facts.plan.execution_ended_at !== null;
  const words = describeCritical(view.forecast.critical, names, over);
  if (words === '') return nothing;
  return html`<p class="critical-note"><span class="critical-mark" aria-hidden="true">◆</span>${words}</p>`;
}

export function drawGraph(view: PlanView, card: Card): TemplateResult {
  const names = nameSteps(card, view);
  if (card.facts.plan.total_steps > drawnAtMost) return drawGroups(view, card, names);
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
            <button class="quiet icon-only close" aria-label="Close" @click=${() => select(null)}>
              ${drawIcon('close')}
            </button>
            ${drawStepDetails(chosen, names, { titled: true, workingDay: facts.working_day_minutes })}
          </div>`
    }
  `;
}
