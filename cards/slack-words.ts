// What is said in Slack alone: the pages of an installation in the browser.

export const installWords = {
  inWorkspace: ({ name }: { name: string }) => `Countersign is in ${name}`,
  inOrganisation: ({ name }: { name: string }) => `Countersign is in the organisation ${name}`,
  next: 'Invite it into a channel with /invite @Countersign, or write to it directly. /plans help says the rest.',
  chooseWorkspaces: 'Choose the workspaces in which it may be used.',
  lacking: ({ scopes }: { scopes: string }) =>
    `Slack did not grant ${scopes}, so some things will not work. Whoever runs Countersign puts its manifest into "App Manifest" of the Slack app; then add it again.`,
  links: {
    again: 'Start again',
    choose: 'Choose workspaces',
    open: 'Open Slack',
    openInBrowser: 'Open Slack in the browser',
  },
  /** Over each of the following. */
  nothing: 'Nothing was installed',
  denied: 'You cancelled it in Slack.',
  expired: 'It was begun more than ten minutes ago.',
  reused: 'This page was opened before: what it stood for is done, or has failed.',
  elsewhere: 'It was not begun in this browser, or cookies are switched off here.',
  notInvited:
    'This Countersign is not for your workspace. Ask whoever runs it to add its id to SLACK_ALLOWED_WORKSPACES.',
  overtaken: 'Somebody added it to the same workspace at this moment; theirs holds.',
  tooMany: 'Too many came from your address. Load this page again in a minute.',
  incomplete: 'Slack sent you back without its permission.',
  misconfigured: 'Whoever runs Countersign has to mend something first: its log says what.',
  unavailable: 'Slack or the database did not answer. Start again in a minute.',
} as const;
