// A calendar as entered in preferences.

/** `sealed`: its secret address, base64. `tenant`: null for the instance's own. */
export type SealedCalendar = { sealed: string; host: string; tenant: string | null };

/** `calendar`: https address; null disconnects; undefined leaves it. */
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
