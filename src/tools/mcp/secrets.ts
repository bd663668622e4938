// What may be secret in how an MCP server is reached: headers, environment, parts of addresses and of arguments.
import type { McpServer } from '#domain/settings.ts';

/** What may be secret in an address: who signs in, its query, and long parts of its path. */
function secretsOf(address: string): string[] {
  const { username, password, search, searchParams, pathname } = new URL(address);
  const parts = pathname.split('/').filter((part) => part.length >= 16);
  return [search, ...searchParams.values(), username, password, ...parts];
}

/** The flag in front of a value that may be secret, with or without it: `--token`, `--api-key=…`; null: there is none. */
export function findSecretFlag(argument: string): string | null {
  const flag = /^--?[\w-]+(?==|$)/.exec(argument)?.[0] ?? '';
  return /token|secret|key|password|auth|header/i.test(flag) ? flag : null;
}

/** What may be secret in the arguments of a command: values of such flags, addresses, and words that look like a token. */
function secretsAmong(args: string[]): string[] {
  return args.flatMap((argument, index) => {
    const value = argument.replace(/^--?[\w-]+=/, '');
    if (value.includes('://') && URL.canParse(value)) return [value, ...secretsOf(value)];
    const before = args[index - 1] ?? '';
    const named = findSecretFlag(argument) !== null || findSecretFlag(before) === before;
    return named || /^(?=.*\d)[\w+=-]{12,}$/.test(value) ? [value] : [];
  });
}

/** The values of a server's headers, environment, arguments and sign-in that may be secret. */
export function secretsOfServer({ headers, env, args, url, oauth }: McpServer): string[] {
  return [
    ...Object.values(headers),
    ...Object.values(env),
    ...secretsAmong(args),
    ...(url === undefined ? [] : secretsOf(url)),
    ...(oauth?.client_secret === undefined ? [] : [oauth.client_secret]),
  ].flatMap((value) => [value, value.replace(/^(Bearer|Basic)\s+/i, '')]);
}
