// A large plan by its partitions: how far each one is.
import { html, nothing, type TemplateResult } from 'lit-html';
import type { Overview } from '#domain/plan/views.ts';
import { shareCounts } from '../plan/statuses.ts';
import { describeStep } from '../plan/words.ts';

export function drawPartitions(
  partitions: Overview['partitions'],
): TemplateResult | typeof nothing {
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
