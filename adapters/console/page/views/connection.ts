// A line over the whole page while the server is away: what is shown may be old, and what is typed is kept.
import { html, nothing, type TemplateResult } from '../lit.ts';
import type { State } from '../live/state.ts';

export function drawConnection({ connection }: State): TemplateResult {
  return html`<div class="connection" role="status">
    ${
      connection === 'reconnecting'
        ? html`<p>↻ The server isn't answering. Reconnecting… What you have typed is kept.</p>`
        : nothing
    }
  </div>`;
}
