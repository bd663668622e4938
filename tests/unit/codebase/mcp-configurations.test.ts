// docs/mcp.md's configurations parse, lead to /mcp, and hold no token.
import { readFileSync } from 'node:fs';
import { parse } from 'smol-toml';
import { expect, test } from 'vitest';
import { z } from 'zod';

const page = readFileSync(new URL('../../../docs/mcp.md', import.meta.url), 'utf8');
const blocks = [...page.matchAll(/^.*`([\w./~-]+)`:\n\n```(json|toml)\n([\s\S]*?)^```$/gm)].map(
  ([, file = '', language, text = '']) => ({
    file,
    read: (): unknown => (language === 'toml' ? parse(text) : JSON.parse(text)),
  }),
);

const url = z.literal('https://bot.example.com/mcp');
const bearer = (variable: string) =>
  z.strictObject({ Authorization: z.literal(['Bearer $', '{', variable, '}'].join('')) });
const shapes: Record<string, z.ZodType> = {
  '.mcp.json': z.strictObject({
    mcpServers: z.strictObject({
      countersign: z.strictObject({
        type: z.literal('http'),
        url,
        headers: bearer('COUNTERSIGN_TOKEN'),
      }),
    }),
  }),
  '.cursor/mcp.json': z.strictObject({
    mcpServers: z.strictObject({
      countersign: z.strictObject({ url, headers: bearer('env:COUNTERSIGN_TOKEN') }),
    }),
  }),
  '~/.codex/config.toml': z.strictObject({
    mcp_servers: z.strictObject({
      countersign: z.strictObject({
        url,
        bearer_token_env_var: z.literal('COUNTERSIGN_TOKEN'),
        tool_timeout_sec: z.number().min(60),
      }),
    }),
  }),
  '.vscode/mcp.json': z.strictObject({
    inputs: z.tuple([
      z.strictObject({
        type: z.literal('promptString'),
        id: z.literal('countersign'),
        description: z.string(),
        password: z.literal(true),
      }),
    ]),
    servers: z.strictObject({
      countersign: z.strictObject({
        type: z.literal('http'),
        url,
        headers: bearer('input:countersign'),
      }),
    }),
  }),
};

test('there is one for each agent', () => {
  expect(blocks.map(({ file }) => file).sort()).toEqual(Object.keys(shapes).sort());
});

test.each(blocks)('that of $file is what the agent reads', ({ file, read }) => {
  expect(shapes[file]?.safeParse(read()).error).toBeUndefined();
});
