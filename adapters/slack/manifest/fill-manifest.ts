// The Slack app's manifest (manifest.json at the root) for one Countersign: over HTTP at its public address, or in
// Socket Mode, where Slack needs no address at all.
import { CountersignError } from '#contracts/errors.ts';

/** As much of a manifest as depends on where Countersign is reached. */
export type SlackManifest = {
  features: { slash_commands: { url?: string | undefined }[] };
  oauth_config: { redirect_urls?: string[] | undefined };
  settings: {
    event_subscriptions: { request_url?: string | undefined };
    interactivity: { request_url?: string | undefined };
    socket_mode_enabled: boolean;
  };
};

/** Where Slack calls: events, presses and commands alike. */
const eventsPath = '/slack/events';
/** Where Slack sends a person back who has added the app to a workspace. */
const redirectPath = '/slack/oauth_redirect';

function readAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const bare = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (bare && url.protocol === 'https:') return url.href.replace(/\/+$/, '');
  throw new CountersignError(
    'invalid_configuration',
    `--url: "${address}" is not an address that Slack can call. Give it as https://bot.example.com.`,
  );
}

/**
 * The address the manifest is for: the one that was given, or else the one Countersign is set up with, where Slack can
 * call it. null: Socket Mode, which wins where its token is set.
 */
export function chooseAddress(
  { url, socket }: { url?: string; socket?: true },
  env: Record<string, string | undefined>,
): string | null {
  if (socket === true) return null;
  if (url !== undefined) return url;
  const { COUNTERSIGN_PUBLIC_URL: set = '', SLACK_APP_TOKEN: token = '' } = env;
  return token === '' && set.startsWith('https://') ? set : null;
}

/**
 * The manifest with every address in it, or with none (`address` null: Socket Mode).
 * @throws CountersignError `invalid_configuration` that says how an address looks
 */
export function fillManifest<T extends SlackManifest>(template: T, address: string | null): T {
  const manifest = structuredClone(template);
  const { features, oauth_config, settings } = manifest;
  const places = [settings.event_subscriptions, settings.interactivity];
  settings.socket_mode_enabled = address === null;
  if (address === null) {
    for (const command of features.slash_commands) delete command.url;
    for (const place of places) delete place.request_url;
    delete oauth_config.redirect_urls;
    return manifest;
  }
  const base = readAddress(address);
  for (const command of features.slash_commands) command.url = base + eventsPath;
  for (const place of places) place.request_url = base + eventsPath;
  oauth_config.redirect_urls = [base + redirectPath];
  return manifest;
}
