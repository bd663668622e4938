// Whether Slack and Teams take what is configured, and what they miss: for `countersign doctor` and the console's settings.
import type { Logger } from 'pino';
import { errorMessage } from '#domain/errors.ts';
import type { CheckResult } from '#domain/settings-view.ts';
import { listOf } from '#domain/words.ts';
import type { Config } from '../config.ts';
import type { Instance } from '../wire/instance.ts';

export async function checkSlackAccess({ slack }: Config, log: Logger): Promise<CheckResult> {
  const part = 'Slack';
  if (slack === null)
    return {
      part,
      state: 'off',
      text: 'Not set up.',
      advice: 'docs/slack.md says how.',
    };
  try {
    const { checkSlack } = await import('#adapters/slack/check.ts');
    const { text, missing } = await checkSlack(slack, (message) => log.warn(message));
    if (missing.length === 0) return { part, state: 'ok', text };
    return {
      part,
      state: 'broken',
      text: `${text}, without ${missing.length === 1 ? 'the scope' : 'the scopes'} ${listOf(missing)}`,
      advice: 'Put manifest.json into "App Manifest" of the Slack app and install it again.',
    };
  } catch (error) {
    const advice = 'docs/slack.md says where each token and secret is found; set it anew.';
    return { part, state: 'broken', text: errorMessage(error), advice };
  }
}

export async function checkTeamsAccess({ teams }: Config): Promise<CheckResult> {
  const part = 'Teams';
  if (teams === null)
    return {
      part,
      state: 'off',
      text: 'Not set up.',
      advice: 'docs/teams.md says how.',
    };
  try {
    const { checkTeams } = await import('#adapters/teams/check.ts');
    const { text, advice } = await checkTeams(teams);
    return { part, state: 'ok', text, ...(advice === null ? {} : { advice }) };
  } catch (error) {
    const advice = 'docs/teams.md says where the app id and its secret are found; set them anew.';
    return { part, state: 'broken', text: errorMessage(error), advice };
  }
}

/** The workspaces that added the app, where there may be several. */
export async function checkSlackWorkspaces(
  { slack: access }: Config,
  { slack }: Instance,
): Promise<CheckResult[]> {
  if (access?.workspaces.kind !== 'many') return [];
  const { installAt } = access.workspaces;
  const found = slack === null ? [] : await slack.checkWorkspaces();
  return found.map(({ name, state, text, missing }): CheckResult => {
    const part = `Slack ${name}`;
    switch (state) {
      case 'ok':
        return missing.length === 0
          ? { part, state, text }
          : {
              part,
              state: 'broken',
              text: `${text}, without ${missing.length === 1 ? 'the scope' : 'the scopes'} ${listOf(missing)}`,
              advice: `Put manifest.json into "App Manifest" of the Slack app and add it again at ${installAt}.`,
            };
      case 'removed':
        return { part, state: 'off', text };
      case 'unreadable':
        return {
          part,
          state: 'broken',
          text,
          advice: `Set COUNTERSIGN_ENCRYPTION_KEY to the former key, or have the app added there again at ${installAt}.`,
        };
      case 'broken':
        return { part, state, text, advice: `Have the app added there again at ${installAt}.` };
      default:
        return state satisfies never;
    }
  });
}
