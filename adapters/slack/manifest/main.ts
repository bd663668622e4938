// `npm run slack:manifest`: prints the app manifest.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Command } from 'commander';
import { CountersignError } from '#domain/errors.ts';
import { trimTail } from '#domain/words.ts';
import { type AgentView, agentView } from './agent-view.ts';

/** Those that depend on our address. */
type SlackManifest = {
  features: {
    slash_commands: { url?: string | undefined }[];
    unfurl_domains?: string[] | undefined;
  };
  oauth_config: { redirect_urls?: string[] | undefined };
  settings: {
    event_subscriptions: { request_url?: string | undefined };
    interactivity: {
      request_url?: string | undefined;
      message_menu_options_url?: string | undefined;
    };
    org_deploy_enabled: boolean;
    socket_mode_enabled: boolean;
  };
};

/** Events, presses and commands. */
const eventsPath = '/slack/events';
/** Slack redirects here after an installation. */
const redirectPath = '/slack/oauth_redirect';

function readAddress(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : null;
  const bare = url !== null && url.search === '' && url.hash === '' && url.username === '';
  if (bare && url.protocol === 'https:') return trimTail(url.href, /\//);
  throw new CountersignError(
    'invalid_configuration',
    `--url: "${address}" is not an address that Slack can call. Give it as https://bot.example.com.`,
  );
}

type Way = {
  address: string | null;
  /** Browsers still return to the address after an installation. */
  socket: boolean;
};

/** HTTP at a reachable address. Socket Mode without one, on request, or with its token. */
export function chooseWay(
  { url, socket = false }: { url?: string; socket?: boolean },
  env: Record<string, string | undefined>,
): Way {
  const { COUNTERSIGN_PUBLIC_URL: set = '', SLACK_APP_TOKEN: token = '' } = env;
  const address = url ?? (set.startsWith('https://') ? set : null);
  return { address, socket: socket || address === null || (url === undefined && token !== '') };
}

/** @param organisation it may install for its workspaces @throws CountersignError `invalid_configuration` */
export function fillManifest<T extends SlackManifest>(
  template: T,
  { address, socket }: Way,
  organisation = false,
): T {
  const manifest = structuredClone(template);
  const { features, oauth_config, settings } = manifest;
  const places = [settings.event_subscriptions, settings.interactivity];
  const base = address === null ? null : readAddress(address);
  settings.socket_mode_enabled = socket;
  settings.org_deploy_enabled = organisation;
  if (base === null) {
    // Links to a loopback console have no preview.
    delete oauth_config.redirect_urls;
    delete features.unfurl_domains;
  } else {
    oauth_config.redirect_urls = [base + redirectPath];
    features.unfurl_domains = [new URL(base).hostname];
  }
  if (base === null || socket) {
    for (const command of features.slash_commands) delete command.url;
    for (const place of places) delete place.request_url;
    delete settings.interactivity.message_menu_options_url;
    return manifest;
  }
  for (const command of features.slash_commands) command.url = base + eventsPath;
  for (const place of places) place.request_url = base + eventsPath;
  settings.interactivity.message_menu_options_url = base + eventsPath;
  return manifest;
}

type AgentManifest = SlackManifest & {
  features: { agent_view?: AgentView | undefined };
  oauth_config: { scopes: { bot: string[] } };
  settings: { event_subscriptions: { bot_events: string[] } };
};

/** Adds a Stop button during planning. https://docs.slack.dev/ai/agent-sessions */
export function declareAgent<T extends AgentManifest>(plain: T): T {
  const manifest = structuredClone(plain);
  const { features, oauth_config, settings } = manifest;
  features.agent_view = agentView;
  oauth_config.scopes.bot = [...oauth_config.scopes.bot, 'assistant:write'].sort();
  const { event_subscriptions } = settings;
  event_subscriptions.bot_events = [
    ...event_subscriptions.bot_events,
    'agent_session_stopped',
  ].sort();
  return manifest;
}

const template: AgentManifest = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', '..', '..', 'manifest.json'), 'utf8'),
);

type Options = { url?: string; socket?: true; organisation?: true; plain?: true };

const program = new Command('npm run slack:manifest --')
  .description('Prints the manifest of the Slack app.')
  .option(
    '--url <address>',
    'the public address of this Countersign; COUNTERSIGN_PUBLIC_URL when not given; without either, for Socket Mode',
  )
  .option(
    '--socket',
    'for Socket Mode, whatever address is set; that is then only where people add the app to workspaces',
  )
  .option(
    '--organisation',
    'for an Enterprise organisation that installs it for all its workspaces',
  )
  .option(
    '--plain',
    'for an app that is no agent: without the examples to begin with, and without the Stop button while it plans',
  )
  .action(({ organisation, plain, ...options }: Options) => {
    const way = chooseWay(options, process.env);
    const declared = plain === true ? template : declareAgent(template);
    console.log(JSON.stringify(fillManifest(declared, way, organisation), null, 2));
  });

try {
  program.parse();
} catch (error) {
  if (!(error instanceof CountersignError)) throw error;
  console.error(`slack:manifest: ${error.message}`);
  process.exitCode = 1;
}
