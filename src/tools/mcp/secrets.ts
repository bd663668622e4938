// Finds possible secrets in an MCP server's settings.
import type { McpServer } from '#domain/settings.ts';

/** Credentials, query, and long path segments. */
function secretsOf(address: string): string[] {
  const { username, password, search, searchParams, pathname } = new URL(address);
  const parts = pathname.split('/').filter((part) => part.length >= 16);
  return [search, ...searchParams.values(), username, password, ...parts];
}

export function findSecretFlag(argument: string): string | null {
  const flag = /^--?[\w-]+(?==|$)/.exec(argument)?.[0] ?? '';
  return /token|secret|key|password|auth|header/i.test(flag) ? flag : null;
}

/** Values of such flags, URLs, and token-like words. */
function secretsAmong(args: string[]): string[] {
  return args.flatMap((argument, index) => {
    const value = argument.replace(/^--?[\w-]+=/, '');
    if (value.includes('://') && URL.canParse(value)) return [value, ...secretsOf(value)];
    const before = args[index - 1] ?? '';
    const named = findSecretFlag(argument) !== null || findSecretFlag(before) === before;
    return named || /^(?=.*\d)[\w+=-]{12,}$/.test(value) ? [value] : [];
  });
}

export function secretsOfServer({ headers, env, args, url, oauth }: McpServer): string[] {
  return [
    ...Object.values(headers),
    ...Object.values(env),
    ...secretsAmong(args),
    ...(url === undefined ? [] : secretsOf(url)),
    ...(oauth?.client_secret === undefined ? [] : [oauth.client_secret]),
  ].flatMap((value) => [value, value.replace(/^(Bearer|Basic)\s+/i, '')]);
}
