// Shared by graphs of steps and groups.
import { html, nothing, type SVGTemplateResult, svg, type TemplateResult } from '../lit.ts';
import { describeError } from '../live/api.ts';
import type { Card, PlanView } from '../live/state.ts';
import { change } from '../live/store.ts';
import { layOutGraph } from '../plan/graph-layout.ts';
import {
  type Drawn,
  describeShape,
  drawPath,
  type Point,
  type Shape,
} from '../plan/graph-shape.ts';
import { describeCritical } from '../plan/groups.ts';
import type { StepLabels } from '../plan/step-labels.ts';
import { drawEmpty, drawLoading } from './parts.ts';

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

/** Below, text is hard to read, so wider graphs scroll. */
const smallestScale = 0.75;

/** The first step is in the middle. */
function centre(): void {
  const canvas = document.querySelector('.canvas');
  if (canvas !== null) canvas.scrollLeft = (canvas.scrollWidth - canvas.clientWidth) / 2;
}

export function select(id: string | null): void {
  change((s) => {
    if (s.plan !== null) s.plan.selected = id;
  });
}

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

/** @param drawBox null if unknown @param drawArrow the label */
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
    <svg class="graph" width=${width} .style=${`min-width: ${width * smallestScale}px`} viewBox=${`0 0 ${width} ${height}`}>
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

export function drawCritical(view: PlanView, card: Card, names: StepLabels): unknown {
  if (view.forecast === null) return nothing;
  const over = card.facts.plan.execution_ended_at !== null;
  const words = describeCritical(view.forecast.critical, names, over);
  if (words === '') return nothing;
  return html`<p class="critical-note"><span class="critical-mark" aria-hidden="true">◆</span>${words}</p>`;
}
