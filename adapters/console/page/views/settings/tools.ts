// Tools and MCP servers with their operations.
import { repeat } from 'lit-html/directives/repeat.js';
import type { OperationFacts, SettingsView, ToolFacts } from '#domain/settings-view.ts';
import { showLine, showText } from '#domain/shown-text.ts';
import { capitalise, countOf, listOf } from '#domain/words.ts';
import { html, nothing, type TemplateResult } from '../../lit.ts';
import { connect, disconnect, searchTools } from '../../live/settings.ts';
import type { Settings } from '../../live/state.ts';
import { formatTime } from '../../plan/format.ts';
import { drawBadge, drawEmpty, drawIcon } from '../parts.ts';
import { drawCheck, drawState, drawWhere } from './parts.ts';

const effects = {
  reads: 'Reads',
  changes: 'Changes things',
  outside: 'Goes outside',
} as const;

function drawOperation(operation: OperationFacts): TemplateResult {
  const { name, description, effect, destructive, guarded, planner, person } = operation;
  const notes = [
    ...(person ? ['asks a person'] : []),
    ...(destructive && effect !== 'reads' ? ['can destroy what was there'] : []),
    ...(planner ? ['planners may read with it'] : []),
  ];
  return html`<li class="operation">
    <p class="operation-head">
      <code>${showLine(name, 200)}</code>
      ${drawBadge(effect === 'reads' ? '○' : effect === 'outside' ? '↗' : '●', effects[effect], 'default')}
      ${guarded ? html`<span class="badge" data-tone="warning">${drawIcon('shield')}Guarded</span>` : nothing}
    </p>
    <p>${showText(description)}</p>
    ${notes.length === 0 ? nothing : html`<p class="operation-notes">${capitalise(notes.join(' · '))}</p>`}
  </li>`;
}

function describeServer({ server, file }: ToolFacts): string {
  if (server === null) return file === undefined ? 'Built in' : `Written in ${showLine(file, 200)}`;
  const { transport, at, name, version, protocol, since, trusted } = server;
  const parts = [
    transport === 'stdio' ? `MCP server, started with ${at}` : `MCP server at ${at}`,
    ...(name === null
      ? []
      : [`${showLine(name, 80)}${version === null ? '' : ` ${showLine(version, 40)}`}`]),
    ...(protocol === null ? [] : [`protocol ${showLine(protocol, 40)}`]),
    ...(since === null ? [] : [`connected since ${formatTime(since)}`]),
    trusted ? 'trusted' : 'not trusted: every call counts as going outside',
  ];
  return parts.join(' · ');
}

function drawStateOf(tool: ToolFacts): TemplateResult {
  if (tool.state === 'off') return drawState('off', 'Switched off');
  if (tool.server?.sign_in === 'needed') return drawState('broken', 'Needs sign-in');
  if (tool.state === 'down') return drawState('broken', 'Down');
  return drawState('ok', tool.source === 'mcp' ? 'Connected' : 'Ready');
}

function drawTrouble({ state, problem, server }: ToolFacts): TemplateResult | typeof nothing {
  if (state === 'down')
    return html`<p class="tool-problem">${showText(problem ?? 'It does not answer.')}</p>
      ${
        server === null
          ? nothing
          : html`<p class="operation-notes">
              It is tried again by itself, at least once a minute. Steps that need it wait; nothing is lost.
            </p>`
      }`;
  const last = server?.last_problem ?? null;
  if (last === null) return nothing;
  return html`<p class="operation-notes">
    Last trouble, ${formatTime(last.at)}: ${showText(last.text)}
  </p>`;
}

function drawNotes({ notes, name }: ToolFacts): TemplateResult | typeof nothing {
  return notes.length === 0
    ? nothing
    : html`<ul class="operation-notes" aria-label="Not offered by ${name}, or not checked here">
        ${notes.map((note) => html`<li>${showText(note)}</li>`)}
      </ul>`;
}

/** One sign-in for the whole instance. */
function drawSignIn({ name, server, state }: ToolFacts): TemplateResult | typeof nothing {
  const signIn = server?.sign_in ?? null;
  if (signIn === null || state === 'off') return nothing;
  return signIn === 'needed'
    ? html`<button type="button" class="quiet bordered" @click=${() => void connect(name)}>Connect</button>`
    : html`<button type="button" class="quiet bordered" @click=${() => void disconnect(name)}>Disconnect</button>`;
}

function drawTool(tool: ToolFacts, settings: Settings, searched: boolean): TemplateResult {
  const { name, source, state, operations } = tool;
  return html`<section class="tool" aria-label=${name}>
    <header>
      <h4>${name}</h4>
      ${drawStateOf(tool)}
    </header>
    <p class="operation-notes">${describeServer(tool)}</p>
    ${drawTrouble(tool)} ${drawSignIn(tool)} ${drawNotes(tool)}
    ${
      source === 'mcp' && state !== 'off'
        ? drawCheck({ part: 'tool', tool: name }, settings, 'Check again')
        : nothing
    }
    ${
      operations.length === 0
        ? nothing
        : html`<details ?open=${searched}>
            <summary>${countOf(operations.length, 'operation')}</summary>
            <ul>
              ${repeat(operations, (operation) => operation.name, drawOperation)}
            </ul>
          </details>`
    }
  </section>`;
}

/** Whole tools by name, else matching operations. */
export function filterTools(tools: ToolFacts[], search: string): ToolFacts[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return tools;
  const has = (text: string) => words.every((word) => text.toLowerCase().includes(word));
  return tools.flatMap((tool) => {
    if (has(tool.name)) return [tool];
    const operations = tool.operations.filter(({ name, description }) =>
      has(`${name} ${description}`),
    );
    return operations.length === 0 ? [] : [{ ...tool, operations }];
  });
}

function summarise(tools: ToolFacts[]): string {
  const servers = tools.filter(({ source, state }) => source === 'mcp' && state !== 'off');
  const down = servers.filter(({ state }) => state === 'down');
  const operations = tools.reduce((sum, tool) => sum + tool.operations.length, 0);
  const offered = `Plans can use ${countOf(operations, 'operation')}.`;
  if (servers.length === 0) return `${offered} No MCP server is connected.`;
  if (down.length === 0) return `${offered} ${countOf(servers.length, 'MCP server')} connected.`;
  return `${offered} ${listOf(down.map(({ name }) => name))} ${down.length === 1 ? 'is' : 'are'} down.`;
}

function onSearch({ target }: InputEvent): void {
  if (target instanceof HTMLInputElement) searchTools(target.value);
}

export function drawTools(facts: SettingsView, settings: Settings): TemplateResult {
  const shown = filterTools(facts.tools, settings.search);
  const searched = settings.search.trim() !== '';
  return html`<p>${summarise(facts.tools)} Health is as this process sees it; others connect for themselves.</p>
    ${
      facts.file.warnings.length === 0
        ? nothing
        : html`<ul class="operation-notes" aria-label="Not understood in the settings file">
            ${facts.file.warnings.map((warning) => html`<li>${showText(warning)}</li>`)}
          </ul>`
    }
    <input
      type="search"
      class="setting-search"
      aria-label="Search tools and operations"
      placeholder="Search tools and operations"
      .value=${settings.search}
      @input=${onSearch}
    />
    ${
      shown.length === 0
        ? drawEmpty(
            'Nothing found',
            'No tool or operation has these words in its name or description.',
          )
        : repeat(
            shown,
            (tool) => `${tool.source} ${tool.name}`,
            (tool) => drawTool(tool, settings, searched),
          )
    }
    ${drawWhere(facts, { keys: ['mcpServers', 'tools', 'disabledTools', 'plannerTools'] })}`;
}
