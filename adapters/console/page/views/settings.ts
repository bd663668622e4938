// The settings dialog, loaded when it is first opened.
import { nothing, type TemplateResult } from '../lit.ts';
import { describeError } from '../live/api.ts';
import type { Settings, State } from '../live/state.ts';
import { change } from '../live/store.ts';

let draw: ((settings: Settings) => TemplateResult) | null = null;
let isLoading = false;

async function load(): Promise<void> {
  isLoading = true;
  try {
    const { drawDialog } = await import('./settings/dialog.ts');
    change(() => {
      draw = drawDialog;
    });
  } catch (error) {
    change((s) => {
      s.settings = null;
      s.problem = describeError(error);
    });
  } finally {
    isLoading = false;
  }
}

export function drawSettings({ settings }: State): TemplateResult | typeof nothing {
  if (settings === null) return nothing;
  if (draw !== null) return draw(settings);
  if (!isLoading) void load();
  return nothing;
}
