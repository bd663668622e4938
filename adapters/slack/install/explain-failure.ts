// What went wrong with an installation: the page that the person reads, and what is said to whoever runs Countersign.
import { webApi } from '@slack/bolt';
import { CountersignError, errorMessage } from '#contracts/errors.ts';
import { type Page, pages } from './pages.ts';
import { StateRefused } from './state.ts';

/** `tell`: what an operator has to know; null: the person alone can go on. */
export type Failure = { page: Page; tell: string | null };

/** Slack's words about the app's own settings. */
const settings: Record<string, string> = {
  bad_client_secret:
    'SLACK_CLIENT_SECRET is not that of the Slack app. It stands on its page "Basic Information".',
  bad_redirect_uri:
    'The Slack app has another redirect URL. Put the manifest for this address into "App Manifest".',
  invalid_client_id:
    'SLACK_CLIENT_ID is not that of a Slack app. It stands on its page "Basic Information".',
};

function explainRefusal(reason: string): Failure {
  if (reason === 'code_already_used' || reason === 'invalid_code')
    return { page: pages.expired, tell: null };
  // The token that Slack has just given: another installation came after it.
  if (reason === 'token_revoked') return { page: pages.overtaken, tell: null };
  const known = settings[reason];
  if (known !== undefined) return { page: pages.misconfigured, tell: known };
  return { page: pages.unavailable, tell: `Slack refused an installation: ${reason}.` };
}

/** Codes of Slack's library. */
const byCode: Record<string, Page> = {
  slack_oauth_installer_authorization_error: pages.denied,
  slack_oauth_invalid_state: pages.elsewhere,
  slack_oauth_missing_state: pages.elsewhere,
  slack_oauth_missing_code: pages.incomplete,
};

/** The workspace is none of those that may add the app. */
export class NotInvited extends Error {
  readonly code = 'not_invited';
}

export function explainFailure(error: unknown): Failure {
  if (error instanceof StateRefused) {
    const { reason } = error;
    return { page: reason === 'forged' ? pages.elsewhere : pages[reason], tell: null };
  }
  if (error instanceof NotInvited) return { page: pages.notInvited, tell: null };
  if (error instanceof webApi.WebAPIPlatformError) return explainRefusal(error.data.error);
  if (error instanceof CountersignError && error.passesAfterMs === null)
    return { page: pages.misconfigured, tell: error.message };
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  const page = byCode[code];
  if (page !== undefined) return { page, tell: null };
  return { page: pages.unavailable, tell: `An installation failed: ${errorMessage(error)}` };
}
