// Preference sliders and saved notes; native inputs for the keyboard.
import {
  calendarWords,
  describeCalendar,
  describeEffect,
  describeValue,
  type Slider,
  sliderNames,
  sliders,
} from '#cards/policy-words.ts';
import type { InteractionPolicy } from '#domain/people/policy.ts';
import { capitalise } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { enterCalendar, moveSlider, resetSettings, saveSettings } from '../../live/settings.ts';
import type { Settings } from '../../live/state.ts';
import { chooseTheme, readTheme, themes } from '../../live/theme.ts';
import { zone } from '../../plan/format.ts';
import { drawMemory } from '../memory.ts';

/** The slider table makes it fit. */
function moved(slider: Slider, value: string | number): Partial<InteractionPolicy> {
  return { [slider]: value };
}

function drawChoices(slider: Slider, policy: InteractionPolicy): TemplateResult | typeof nothing {
  const words = sliders[slider];
  if (words.kind !== 'choice') return nothing;
  return html`<div class="choices">
    ${words.choices.map(
      ({ value, label }) => html`<label class="choice">
        <input
          type="radio"
          name=${slider}
          value=${value}
          .checked=${policy[slider] === value}
          @change=${() => moveSlider(moved(slider, value))}
        />
        <span>${label}</span>
      </label>`,
    )}
  </div>`;
}

function drawRange(slider: Slider, policy: InteractionPolicy): TemplateResult | typeof nothing {
  const words = sliders[slider];
  if (words.kind !== 'range') return nothing;
  const onInput = ({ target }: InputEvent) => {
    if (target instanceof HTMLInputElement) moveSlider(moved(slider, target.valueAsNumber));
  };
  return html`<div class="range">
    <input
      type="range"
      aria-labelledby="slider-${slider}"
      aria-describedby="effect-${slider}"
      aria-valuetext=${describeValue(slider, policy)}
      min=${words.min}
      max=${words.max}
      step=${words.step}
      .value=${String(policy[slider])}
      @input=${onInput}
    />
    <output>${describeValue(slider, policy)}</output>
  </div>`;
}

function drawSlider(slider: Slider, { policy }: Settings): TemplateResult {
  const words = sliders[slider];
  return html`<fieldset class="slider" aria-describedby="effect-${slider}">
    <legend id="slider-${slider}">${words.label}</legend>
    <p class="slider-about">${words.about}</p>
    ${drawChoices(slider, policy)} ${drawRange(slider, policy)}
    <p class="slider-effect" id="effect-${slider}">${describeEffect(slider, policy)}</p>
  </fieldset>`;
}

function drawCalendar({ calendar: { host, entry } }: Settings): TemplateResult {
  const { label, about } = calendarWords;
  const onInput = ({ target }: InputEvent) => {
    if (target instanceof HTMLInputElement) enterCalendar(target.value);
  };
  return html`<fieldset class="slider">
    <legend id="calendar-label">${label}</legend>
    <p class="slider-about" id="calendar-about">${about}</p>
    <input
      type="text"
      aria-labelledby="calendar-label"
      aria-describedby="calendar-about"
      autocomplete="off"
      maxlength="2000"
      placeholder=${describeCalendar(host)}
      .value=${entry}
      @input=${onInput}
    />
  </fieldset>`;
}

function drawTheme(): TemplateResult {
  const theme = readTheme();
  return html`<fieldset class="slider">
    <legend>Theme</legend>
    <p class="slider-about">Of this browser. Applies at once.</p>
    <div class="choices">
      ${themes.map(
        (one) => html`<label class="choice">
          <input
            type="radio"
            name="theme"
            value=${one}
            .checked=${one === theme}
            @change=${() => chooseTheme(one)}
          />
          <span>${capitalise(one)}</span>
        </label>`,
      )}
    </div>
    <p class="slider-effect">
      Times are in your browser’s zone, ${zone()}. Plans are written in the language of your request.
    </p>
  </fieldset>`;
}

function onSubmit(event: SubmitEvent): void {
  event.preventDefault();
  void saveSettings();
}

export function drawPreferences(settings: Settings): TemplateResult {
  return html`<form @submit=${onSubmit}>
    <div class="settings-body">
      ${sliderNames.map((slider) => drawSlider(slider, settings))}${drawCalendar(settings)}${drawTheme()}${drawMemory(settings)}
    </div>
    <footer class="settings-foot">
      ${settings.problem === null ? nothing : html`<p role="alert">⚠ ${settings.problem}</p>`}
      <button
        type="button"
        class="quiet"
        ?disabled=${settings.saving}
        @click=${() => void resetSettings()}
      >
        Back to defaults
      </button>
      <button class="primary" ?disabled=${settings.saving}>Save</button>
    </footer>
  </form>`;
}
