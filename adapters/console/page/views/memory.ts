// Saved notes in the settings dialog.
import { memoryWords } from '#cards/memory-words.ts';
import type { MemoryEntry } from '#domain/people/memory.ts';
import { memoryLimits, writeNote } from '#domain/people/memory-note.ts';
import { html, type TemplateResult } from '../lit.ts';
import { editNote, forgetNote, keepNote } from '../live/memory.ts';
import type { Settings } from '../live/state.ts';

/** Saves the field without submitting the form around it. */
function onEnter(act: (field: HTMLInputElement) => void) {
  return (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.target instanceof HTMLInputElement)) return;
    event.preventDefault();
    act(event.target);
  };
}

function drawEntry(entry: MemoryEntry): TemplateResult {
  const { id, name, text } = entry;
  const keep = (field: HTMLInputElement) => {
    const edited = field.value.trim();
    if (edited === '') field.value = text;
    else if (edited !== text) void editNote(entry, edited);
  };
  return html`<li class="memory-entry">
    ${name === null ? '' : html`<span class="memory-name">${name}</span>`}
    <input
      type="text"
      aria-label=${`Entry ${id}`}
      maxlength=${memoryLimits.text}
      .value=${text}
      @keydown=${onEnter(keep)}
      @change=${({ target }: Event) => {
        if (target instanceof HTMLInputElement) keep(target);
      }}
    />
    <button
      type="button"
      class="quiet"
      aria-label=${`Forget ${writeNote(entry)}`}
      @click=${() => void forgetNote(id)}
    >
      Forget
    </button>
  </li>`;
}

async function add(field: HTMLInputElement): Promise<void> {
  if (field.value.trim() !== '' && (await keepNote(field.value))) field.value = '';
}

function onAdd({ currentTarget }: Event): void {
  if (!(currentTarget instanceof HTMLElement)) return;
  const field = currentTarget.parentElement?.querySelector('input');
  if (field !== null && field !== undefined) void add(field);
}

export function drawMemory({ memory }: Settings): TemplateResult {
  return html`<section class="memory" aria-labelledby="memory-title">
    <h3 id="memory-title">${memoryWords.title}</h3>
    <p class="slider-about">${memoryWords.about}</p>
    ${
      memory.length === 0
        ? html`<p class="slider-effect">${memoryWords.empty}</p>`
        : html`<ul>
            ${memory.map(drawEntry)}
          </ul>`
    }
    <div class="memory-entry">
      <input
        type="text"
        aria-label="Something to remember"
        placeholder="Ana is ana@example.com"
        maxlength=${memoryLimits.text}
        @keydown=${onEnter((field) => void add(field))}
      />
      <button type="button" @click=${onAdd}>Add</button>
    </div>
  </section>`;
}
