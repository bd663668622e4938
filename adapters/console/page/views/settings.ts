// The settings dialog, loaded on first use.
import { nothing, type TemplateResult } from '../lit.ts';
import type { State } from '../live/state.ts';
import { drawLazily } from './lazy.ts';

const draw = drawLazily(
  async () => (await import('./settings/dialog.ts')).drawDialog,
  (s) => {
    s.settings = null;
  },
);

export function drawSettings({ settings }: State): TemplateResult | typeof nothing {
  return settings === null ? nothing : draw(settings);
}
