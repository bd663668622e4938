// What the Slack adapter stores about each workspace it is installed in. Tokens are encrypted in the database.

export type SlackInstallation = {
  /** The workspace, `T…`; org-wide, the organisation, `E…`, for all its workspaces. */
  owner: string;
  org_wide: boolean;
  name: string;
  app_id: string;
  /** What the token may be used for. */
  scopes: string[];
  /** Slack's user who did it. */
  installed_by: string;
  installed_at: Date;
  /** Counts how often it was installed: news about an earlier installation changes nothing of a later one. */
  generation: number;
  /** null: it is there. */
  removed_at: Date | null;
};

/** An installation as it comes back from Slack. */
export type NewSlackInstallation = Omit<
  SlackInstallation,
  'generation' | 'removed_at' | 'installed_at'
> & { token: string };

/** An installation with its token; null: it was removed. */
export type HeldSlackInstallation = SlackInstallation & { token: string | null };

export type SlackInstallations = {
  /**
   * What serves a workspace: its own installation, else that of its organisation. One that was removed comes only where
   * none is there. null: it never was installed there.
   * @throws CountersignError when the token cannot be decrypted
   */
  find(team: string): Promise<HeldSlackInstallation | null>;
  /** The installation of exactly this workspace or organisation; without its token where that cannot be decrypted. */
  read(owner: string): Promise<(HeldSlackInstallation & { readable: boolean }) | null>;
  /**
   * Stores what came back from Slack; what waited for it is tried again.
   * @param after the generation that it replaces; null: there was none
   * @returns false: somebody else has stored one since
   */
  store(installation: NewSlackInstallation, after: number | null): Promise<boolean>;
  /**
   * Deletes the token of a removed installation; what is to be posted there says why it is not.
   * @returns false: another was installed since, or it was removed before
   */
  remove(installation: Pick<SlackInstallation, 'owner' | 'generation' | 'name'>): Promise<boolean>;
  /** Keeps that an organisation's installation serves a workspace. @returns whether there is one */
  join(team: string, enterprise: string): Promise<boolean>;
  /** Marks an installation under way as come back. @returns false: it has come back before */
  useState(id: string, expiresAt: Date): Promise<boolean>;
  /** All of them, by name, those that were removed last; and whether the token can be decrypted. */
  list(limit: number): Promise<(SlackInstallation & { readable: boolean })[]>;
};
