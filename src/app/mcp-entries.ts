// Converts other clients' MCP servers, never weakening the review. Pure.
import { CountersignError } from '#domain/errors.ts';
import { McpServer } from '#domain/settings.ts';
import { type Json, type JsonObject, objectIn } from '#domain/text.ts';
import { trimTail } from '#domain/words.ts';

export type McpEntries = { file: JsonObject; warnings: string[] };

const otherLists = ['servers', 'mcp_servers', 'context_servers'];
const otherKeys = ['inputs'];

/** Other clients' names for our keys. */
const synonyms: Record<string, string> = {
  serverUrl: 'url',
  httpUrl: 'url',
  endpoint: 'url',
  http_headers: 'headers',
  transport: 'type',
  transportType: 'type',
  auth: 'oauth',
};

const kinds: Record<string, 'stdio' | 'http' | 'sse'> = {
  stdio: 'stdio',
  http: 'http',
  'streamable-http': 'http',
  streamablehttp: 'http',
  streamable_http: 'http',
  sse: 'sse',
};

const oauthSynonyms: Record<string, string> = {
  clientId: 'client_id',
  CLIENT_ID: 'client_id',
  clientSecret: 'client_secret',
  CLIENT_SECRET: 'client_secret',
  scopes: 'scope',
};

/** Keys that would skip a person's approval. */
const approvals = new Set([
  'autoApprove',
  'alwaysAllow',
  'alwaysAllowed',
  'trust',
  'auto_approve',
  'default_tools_approval_mode',
  'require_approval',
]);

/** Keys that limit a server's tools. */
const limits = new Set(['enabled_tools', 'includeTools', 'allowedTools', 'tools']);
const hidden = new Set(['disabled_tools', 'disabledTools', 'excludeTools']);

const known = new Set<string>(Object.keys(McpServer.shape));

type Entry = { name: string; entry: JsonObject; off: string[]; warnings: string[] };

function textsIn(value: Json | undefined): string[] {
  return Array.isArray(value) ? value.filter((one): one is string => typeof one === 'string') : [];
}

function readOauth(value: Json): Json {
  const oauth = objectIn(value);
  if (oauth === null) return value;
  return Object.fromEntries(
    Object.entries(oauth).map(([key, item]): [string, Json] => {
      const name = oauthSynonyms[key] ?? key;
      return [name, name === 'scope' && Array.isArray(item) ? item.join(' ') : item];
    }),
  );
}

function readKey(read: Entry, key: string, value: Json): string | null {
  const { name, entry } = read;
  const at = `mcpServers.${name}.${key}`;
  const ours = synonyms[key] ?? key;
  switch (ours) {
    case 'type': {
      const kind = typeof value === 'string' ? kinds[value.toLowerCase()] : undefined;
      if (kind !== undefined) entry.type = kind;
      else if (key === 'type') entry.type = value;
      else return `${at} is not understood and is ignored.`;
      return null;
    }
    case 'oauth':
      entry.oauth = readOauth(value);
      return null;
    case 'enabled':
      if (value === false) entry.disabled = true;
      return null;
    case 'tool_timeout_sec':
      if (typeof value === 'number') entry.timeout_ms = Math.round(value * 1000);
      return null;
    case 'bearer_token_env_var':
      entry.headers = { ...objectIn(entry.headers), authorization: `Bearer \${${String(value)}}` };
      return null;
    case 'env_http_headers':
      for (const [header, variable] of Object.entries(objectIn(value) ?? {}))
        entry.headers = { ...objectIn(entry.headers), [header]: `\${${String(variable)}}` };
      return null;
    case 'timeout':
      return `${at} is ignored, since clients disagree about its unit. Write "timeout_ms" in milliseconds.`;
    default:
  }
  if (approvals.has(key))
    return `${at} is ignored: here, a call that changes something runs only in a plan that a person has approved.`;
  if (hidden.has(key)) {
    read.off.push(...textsIn(value).map((tool) => `${name}_${tool}`));
    return null;
  }
  if (limits.has(key))
    return `${at} is ignored: every tool of the server is offered. List those you don't want under "disabledTools", such as "${name}_…".`;
  if (!known.has(ours)) return `${at} is not known here and is ignored.`;
  const headers = ours === 'headers' ? objectIn(value) : null;
  entry[ours] = headers === null ? value : { ...objectIn(entry.headers), ...headers };
  return null;
}

/** Letters, digits and hyphens, so that `server_tool` is unambiguous. */
function readName(name: string): string {
  const plain = name.trim().replace(/[\s_./:@-]+/g, '-');
  return trimTail(plain.replace(/^-/, ''), /-/);
}

function readEntry(given: string, value: Json): Entry | null {
  const entry = objectIn(value);
  if (entry === null) return null;
  const name = readName(given);
  const read: Entry = { name, entry: {}, off: [], warnings: [] };
  if (name !== given)
    read.warnings.push(
      `mcpServers: the server "${given}" is called ${name} here; its operations begin with ${name}_.`,
    );
  for (const [key, item] of Object.entries(entry)) {
    const problem = readKey(read, key, item);
    if (problem !== null) read.warnings.push(problem);
  }
  return read;
}

/** @param where names the file @throws CountersignError `invalid_configuration` on equal names */
export function readMcpEntries(file: JsonObject, where: string): McpEntries {
  const warnings: string[] = [];
  const rest: JsonObject = { ...file };
  const given = Object.entries(objectIn(file.mcpServers) ?? {});
  for (const list of otherLists) {
    const servers = objectIn(rest[list]);
    if (servers === null) continue;
    given.push(...Object.entries(servers));
    delete rest[list];
    warnings.push(`"${list}" is read as "mcpServers".`);
  }
  for (const key of otherKeys) {
    if (!(key in rest)) continue;
    delete rest[key];
    warnings.push(
      `"${key}" is ignored: write \${NAME} where a variable of the environment is meant.`,
    );
  }
  if (given.length === 0) return { file: rest, warnings };
  const servers: JsonObject = {};
  const off: string[] = [];
  const givenBy = new Map<string, string>();
  for (const [name, value] of given) {
    const read = readEntry(name, value);
    const own = read?.name ?? name;
    const other = givenBy.get(own);
    if (other !== undefined)
      throw new CountersignError(
        'invalid_configuration',
        `${where}: mcpServers: "${other}" and "${name}" would both be called ${own}. Rename one of them.`,
      );
    givenBy.set(own, name);
    servers[own] = read === null ? value : read.entry;
    off.push(...(read?.off ?? []));
    warnings.push(...(read?.warnings ?? []));
  }
  rest.mcpServers = servers;
  if (off.length > 0) rest.disabledTools = [...textsIn(rest.disabledTools), ...off];
  return { file: rest, warnings };
}
