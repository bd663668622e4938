// A person's own calendar as they enter it in their preferences.

/** `sealed`: its secret address, in base64. `tenant`: the organisation that it was connected in, or null for the instance's own. */
export type SealedCalendar = { sealed: string; host: string; tenant: string | null };

/** `calendar`: an https address to connect, null to disconnect (“none”), or undefined to leave it. */
export function readCalendarEntry(
  notice = '',
): { calendar: string | null | undefined } | { problem: string } {
  const text = notice.trim();
  if (text === '') return { calendar: undefined };
  if (text.toLowerCase() === 'none') return { calendar: null };
  const calendar = text.replace(/^webcal:/i, 'https:');
  if (URL.canParse(calendar) && new URL(calendar).protocol === 'https:' && calendar.length <= 2000)
    return { calendar };
  return {
    problem:
      'Enter the https address of an ICS calendar. Google calls it the secret address, Outlook the published one.',
  };
}
