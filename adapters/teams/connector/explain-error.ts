// Translates Teams' errors.
import { CountersignError, errorMessage } from '#domain/errors.ts';
import { readRetryAfter } from '#domain/retry-after.ts';

export class ConnectorRefusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly retryAfter: string | null;

  constructor(
    status: number,
    { code, message, retryAfter }: { code: string; message: string; retryAfter: string | null },
  ) {
    super(message === '' ? `${status} ${code}` : message);
    this.name = 'ConnectorRefusal';
    this.status = status;
    this.code = code;
    this.retryAfter = retryAfter;
  }
}

const remedies: Record<string, string> = {
  BotDisabledByAdmin:
    'An administrator has blocked the app in Teams. Allow it under "Manage apps" in the Teams admin center.',
  BotNotInConversationRoster: 'The app is not in this conversation in Teams. Add it under Apps.',
  BotNotRegistered:
    'The bot has no Teams channel. Add Microsoft Teams under Channels of the Azure bot.',
  ConversationBlockedByUser:
    'The person has blocked the app in Teams. They can unblock it in their chat with it.',
  MessageWritesBlocked:
    'The person has blocked or removed the app in Teams. They can add it again, under Apps.',
  NotEnoughPermissions: 'The app may not post in this Teams channel. Ask the owner of the team.',
  ForbiddenOperationException:
    'The app can’t write in this chat in Teams. Add it again under Apps.',
};
const notHere = 'The app can’t write here in Teams. Add it again under Apps.';
const wrongToken =
  'Teams rejected the bot’s token. Check that MicrosoftAppId is the app ID of the Azure bot.';

/** Teams asks for one or two seconds. */
const usualPauseMs = 2000;

function explainRefusal(refusal: ConnectorRefusal, action: string, now: Date): CountersignError {
  const { status, code, message } = refusal;
  const details = { teams: code, status };
  const options = { cause: refusal, details };
  if (status === 429)
    return new CountersignError(
      'tool_unavailable',
      `Teams has too many requests to ${action} now.`,
      {
        ...options,
        passesAfterMs: readRetryAfter(refusal.retryAfter, now.getTime()) ?? usualPauseMs,
      },
    );
  // 412: a concurrent change; the next drawing is current.
  if (status >= 500 || [408, 409, 412].includes(status))
    return new CountersignError('tool_unavailable', `Teams cannot ${action} now: ${message}`, {
      ...options,
      passesAfterMs: 0,
    });
  if (status === 404)
    return new CountersignError('not_found', `Teams cannot ${action}: ${message}`, options);
  if (status === 401) return new CountersignError('not_allowed', wrongToken, options);
  if (status === 403)
    return new CountersignError('not_allowed', remedies[code] ?? notHere, options);
  const remedy = remedies[code];
  if (remedy !== undefined) return new CountersignError('not_allowed', remedy, options);
  return new CountersignError('internal', `Teams refused to ${action}: ${message}`, options);
}

/** @param action completes "Teams cannot …" */
export function explainTeamsError(error: unknown, action: string, now: Date): CountersignError {
  if (error instanceof CountersignError) return error;
  if (error instanceof ConnectorRefusal) return explainRefusal(error, action, now);
  const text = `Teams could not be reached to ${action}: ${errorMessage(error)}`;
  return new CountersignError('tool_unavailable', text, { cause: error, passesAfterMs: 0 });
}

/** https://learn.microsoft.com/entra/identity-platform/reference-error-codes */
const signInRemedies: [RegExp, string][] = [
  [
    /AADSTS(7000215|7000222|50012)/,
    'MicrosoftAppPassword: Microsoft does not take it, or it has expired. Make a new client secret under "Certificates & secrets" of the app and copy its value.',
  ],
  [
    /AADSTS(700016|7000216|90013)/,
    'MicrosoftAppId: Microsoft does not know this app there. A single-tenant app also needs MicrosoftAppTenantId.',
  ],
  [/AADSTS(90002|900023|900021)/, 'MicrosoftAppTenantId: Microsoft does not know this tenant.'],
  [
    /ManagedIdentity|managed_identity|IMDS/i,
    'MicrosoftAppType UserAssignedMSI works only on Azure, where the identity is assigned to the machine that runs Countersign.',
  ],
];

export function explainSignIn(error: unknown): CountersignError {
  const message = errorMessage(error);
  const remedy = signInRemedies.find(([pattern]) => pattern.test(message))?.[1];
  if (remedy !== undefined) return new CountersignError('not_allowed', remedy, { cause: error });
  return new CountersignError(
    'tool_unavailable',
    `Microsoft gave the bot no token: ${message.slice(0, 300)}`,
    { cause: error, passesAfterMs: 0 },
  );
}
