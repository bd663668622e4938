// Translates Slack's errors.
import { webApi } from '@slack/bolt';
import { CountersignError, errorMessage } from '#domain/errors.ts';

const reinstall =
  'Install the app again under "Install App" and put its new token into SLACK_BOT_TOKEN.';

const remedies: Record<string, string> = {
  account_inactive: `The Slack app was removed or its token revoked. ${reinstall}`,
  app_missing_action_url:
    'Turn on Interactivity for the Slack app, with the address in its manifest.',
  channel_is_limited_access: 'Posting in this Slack channel is limited. Allow the app to post.',
  ekm_access_denied: 'Slack Enterprise Key Management blocks the app. Ask its admins.',
  invalid_auth: `Slack does not know the token of the app. ${reinstall}`,
  is_archived: 'The Slack channel is archived. Unarchive it, or continue in another one.',
  is_inactive: 'The Slack channel is archived. Unarchive it, or continue in another one.',
  messages_tab_disabled:
    'The app takes no direct messages. Turn on its Messages Tab under "App Home".',
  no_permission: 'The Slack app may not do this in the workspace. Install it again.',
  not_authed: `Slack was given no token. ${reinstall}`,
  not_in_channel: 'The app is not in this Slack channel. Invite it: /invite @Countersign.',
  org_login_required: 'The Slack workspace is being moved. Install the app again afterwards.',
  restricted_action: 'The workspace does not let the app post there. Ask its admins.',
  restricted_action_read_only_channel: 'This Slack channel is read-only. Continue in another one.',
  restricted_action_thread_locked: 'This Slack thread is locked. Continue in another one.',
  team_access_not_granted: 'The Slack app may not act in this workspace. Install it there.',
  token_expired: `The token of the Slack app has expired. ${reinstall}`,
  token_revoked: `The Slack app was removed or its token revoked. ${reinstall}`,
};
/** With a remedy if there is one. */
const gone = new Set([
  'cant_update_message',
  'channel_not_found',
  'edit_window_closed',
  'message_not_found',
  'thread_not_found',
  'user_not_found',
  'user_not_in_channel',
]);
const goneWords: Record<string, string> = {
  channel_not_found:
    'The Slack channel is gone (channel_not_found), or it is private and the app is not in it. Invite it: /invite @Countersign.',
  user_not_in_channel: 'They are not in this Slack channel (user_not_in_channel).',
};
const passing = new Set([
  'accesslimited',
  'fatal_error',
  'internal_error',
  'ratelimited',
  'rate_limited',
  'request_timeout',
  'service_unavailable',
  'team_added_to_org',
]);

function explainRefusal(error: webApi.WebAPIPlatformError, action: string): CountersignError {
  const { data } = error;
  const reason = data.error;
  const details = { slack: reason };
  if (passing.has(reason))
    return new CountersignError('tool_unavailable', `Slack cannot ${action} now: ${reason}.`, {
      cause: error,
      details,
      passesAfterMs: 0,
    });
  if (gone.has(reason))
    return new CountersignError(
      'not_found',
      goneWords[reason] ?? `Slack cannot ${action}: ${reason}.`,
      {
        cause: error,
        details,
      },
    );
  const needed = 'needed' in data && typeof data.needed === 'string' ? data.needed : 'a scope';
  const remedy =
    reason === 'missing_scope'
      ? `The Slack app lacks ${needed}. Add it under "OAuth & Permissions" and install the app again.`
      : remedies[reason];
  if (remedy !== undefined)
    return new CountersignError('not_allowed', remedy, { cause: error, details });
  return new CountersignError('internal', `Slack refused to ${action}: ${reason}.`, {
    cause: error,
    details,
  });
}

/** @param action completes "Slack cannot …" */
export function explainSlackError(error: unknown, action: string): CountersignError {
  if (error instanceof CountersignError) return error;
  if (error instanceof webApi.WebAPIRateLimitedError)
    return new CountersignError(
      'tool_unavailable',
      `Slack has too many requests to ${action} now.`,
      {
        cause: error,
        details: { slack: 'ratelimited', limited: true },
        passesAfterMs: error.retryAfter * 1000,
      },
    );
  if (error instanceof webApi.WebAPIPlatformError) return explainRefusal(error, action);
  const away =
    error instanceof webApi.WebAPIRequestError ||
    (error instanceof webApi.WebAPIHTTPError && error.statusCode >= 500);
  const text = `Slack could not be reached to ${action}: ${errorMessage(error)}`;
  return away
    ? new CountersignError('tool_unavailable', text, { cause: error, passesAfterMs: 0 })
    : new CountersignError('internal', text, { cause: error });
}
