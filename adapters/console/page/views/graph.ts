// Graph: the steps and what they wait for, top to bottom. The layout is kept; states are redrawn over it.
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from 'lit-html';
import { headlineOf } from '#cards/calls.ts';
import type { ShownStep } from '#domain/plan/call.ts';
import type { Overview } from '#domain/plan/views.ts';
import { describeError } from '../live/api.ts';
import type { Card, PlanView } from '../live/state.ts';
import { change } from '../live/store.ts';
import { countOf, wrapText } from '../plan/format.ts';
import { layOutGraph } from '../plan/graph-layout.ts';
import { type Drawn, describeShape, drawPath, nodeSize, type Point } from '../plan/graph-shape.ts';
import { shareCounts } from '../plan/statuses.ts';
import { nameSteps, type StepNames } from '../plan/step-names.ts';
import { describeStep } from '../plan/words.ts';
import { drawEmpty, drawIcon, drawLoading } from './parts.ts';
import { drawStepDetails } from './step-details.ts';

/** The latest layout, and the shape it was made for. */
let kept: { shape: string; drawn: Drawn | null; problem: string | null } | null = null;

function getLayout(steps: ShownStep[]): NonNullable<typeof kept> {
  const shape = describeShape(steps);
  if (kept?.shape === shape) return kept;
  const mine: NonNullable<typeof kept> = { shape, drawn: null, problem: null };
  kept = mine;
  layOutGraph(steps)
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

function select(id: string | null): void {
  change((s) => {
    if (s.plan !== null) s.plan.selected = id;
  });
}

function drawNode(
  step: ShownStep,
  name: string,
  { x, y }: Point,
  selected: boolean,
): SVGTemplateResult {
  const { symbol, words } = describeStep(step.status);
  const toggle = () => select(selected ? null : step.id);
  const onKey = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' && event.key !== ' ') return;
    event.preventDefault();
    toggle();
  };
  const lines = wrapText(headlineOf(step.call), 27, 2);
  const first = lines.length === 1 ? 34 : 26;
  const operation = `${step.tool}_${step.operation}${step.guarded ? ' · guarded' : ''}`;
  return svg`<g class="node" data-status=${step.status} data-selected=${selected}
    transform=${`translate(${x} ${y})`} tabindex="0" role="button" aria-pressed=${selected}
    aria-label=${`Step ${name}: ${headlineOf(step.call)}. ${words}.`} @click=${toggle} @keydown=${onKey}>
    <rect width=${nodeSize.width} height=${nodeSize.height} rx="10" />
    <text class="node-symbol" x="14" y=${first}>${symbol}</text>
    ${lines.map((line, row) => svg`<text class="node-text" x="34" y=${first + row * 17}>${line}</text>`)}
    <text class="node-operation" x="34" y=${first + lines.length * 17 + 3}>${wrapText(operation, 26, 1)[0]}</text>
  </g>`;
}

function drawDrawing(
  steps: ShownStep[],
  names: StepNames,
  drawn: Drawn,
  selected: string | null,
): TemplateResult {
  const { width, height, nodes, edges } = drawn;
  return html`<div class="canvas">
    <svg
      class="graph"
      width=${width}
      height=${height}
      viewBox=${`0 0 ${width} ${height}`}
      role="group"
      aria-label="Steps and what they wait for"
    >
      <defs>
        <marker id="arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">
          <path d="M1 1l6 3-6 3z" />
        </marker>
      </defs>
      ${edges.map(({ points }) => svg`<path class="edge" d=${drawPath(points)} marker-end="url(#arrow)" />`)}
      ${steps.map((step) => {
        const place = nodes.get(step.id);
        const name = names.get(step.id) ?? String(step.position);
        return place === undefined ? nothing : drawNode(step, name, place, selected === step.id);
      })}
    </svg>
  </div>`;
}

export function drawGraph(view: PlanView, card: Card): TemplateResult {
  if (view.drawn === null) return drawLoading();
  const { facts } = card;
  const names = nameSteps(card, view);
  const { steps, complete } = view.drawn;
  if (steps.length === 0) return drawEmpty('No steps', 'This plan has no steps to draw.');
  const { drawn, problem } = getLayout(steps);
  if (problem !== null) return drawEmpty("The graph couldn't be drawn", problem);
  if (drawn === null) return drawLoading();
  const chosen = steps.find((step) => step.id === view.selected);
  return html`
    ${
      complete
        ? nothing
        : html`<p class="note">
              The first ${steps.length} of ${countOf(facts.plan.total_steps, 'step')}. The rest is under Steps.
            </p>
            ${drawPartitions(view.overview?.partitions ?? [])}`
    }
    ${drawDrawing(steps, names, drawn, view.selected)}
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

/** A large plan by its partitions: how far each one is. */
function drawPartitions(partitions: Overview['partitions']): TemplateResult | typeof nothing {
  if (partitions.length === 0) return nothing;
  const ordered = partitions.toSorted((a, b) =>
    a.name.localeCompare(b.name, 'en', { numeric: true }),
  );
  return html`<table class="table">
    <thead>
      <tr>
        <th scope="col">Partition</th>
        <th scope="col">Steps</th>
      </tr>
    </thead>
    <tbody>
      ${ordered.slice(0, 100).map(
        ({ name, counts }) => html`<tr>
          <td>${name}</td>
          <td>
            ${shareCounts(counts)
              .map(
                ({ status, count }) =>
                  `${describeStep(status).symbol} ${describeStep(status).words} ${count.toLocaleString()}`,
              )
              .join(' · ')}
          </td>
        </tr>`,
      )}
    </tbody>
  </table>`;
}
