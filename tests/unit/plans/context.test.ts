import { describe, expect, test } from 'vitest';
import { systemRandom } from '#domain/clock.ts';
import { PlanContext } from '#domain/plan/plan.ts';
import { splitContext } from '#plans/content/context.ts';

const limit = 50 * 1024;

function contextOf(outputs: Record<string, string>, notes = ''): PlanContext {
  return PlanContext.parse({
    notes,
    tool_outputs: Object.fromEntries(
      Object.entries(outputs).map(([name, data]) => [
        name,
        { tool: 'workspace', operation: 'read', data },
      ]),
    ),
  });
}

const bytesOf = (value: unknown): number => Buffer.byteLength(JSON.stringify(value));

describe('a context', () => {
  test('stays as it is while it fits', () => {
    const context = contextOf({ a: 'x'.repeat(1000) }, 'short');
    expect(splitContext(context, systemRandom)).toEqual({ inline: context, artifacts: [] });
  });

  test('gives up its largest parts first, and no more than it must', () => {
    const context = contextOf(
      { large: 'é'.repeat(30_000), small: 'x'.repeat(2000) },
      'n'.repeat(45_000),
    );
    const { inline, artifacts } = splitContext(context, systemRandom);
    expect(artifacts.map(({ name }) => name)).toEqual(['large.json']);
    expect(inline.tool_outputs).toEqual({ small: context.tool_outputs.small });
    expect(inline.notes).toBe(context.notes);
    expect(inline.artifacts).toEqual([
      { id: artifacts[0]?.id, name: 'large.json', size: artifacts[0]?.content.length },
    ]);
    expect(JSON.parse(artifacts[0]?.content.toString() ?? '')).toEqual(context.tool_outputs.large);
    expect(bytesOf(inline)).toBeLessThanOrEqual(limit);
  });

  test('gives up its notes too', () => {
    const { inline, artifacts } = splitContext(contextOf({}, 'n'.repeat(60_000)), systemRandom);
    expect(inline.notes).toBe('');
    expect(artifacts.map(({ name, content }) => [name, content.length])).toEqual([
      ['notes.txt', 60_000],
    ]);
  });

  test('is refused when its parts are too many to refer to', () => {
    const parts = Object.fromEntries(Array.from({ length: 10_000 }, (_, i) => [`p${i}`, 'x']));
    expect(() => splitContext(contextOf(parts), systemRandom)).toThrowError(
      expect.objectContaining({ code: 'context_too_large' }),
    );
  });
});
