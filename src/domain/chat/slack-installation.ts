// Slack installations per workspace. Tokens are encrypted in the database.

export type SlackInstallation = {
  /** The workspace, `T…`, or for org-wide installations the organisation, `E…`. */
  owner: string;
  org_wide: boolean;
  name: string;
  app_id: string;
  /** The token's scopes. */
  scopes: string[];
  /** The Slack user who installed it. */
  installed_by: string;
  installed_at: Date;
  /** Counts installations, so that events about an earlier one don't affect a later one. */
  generation: number;
  /** Null while installed. */
  removed_at: Date | null;
};

export type NewSlackInstallation = Omit<
  SlackInstallation,
  'generation' | 'removed_at' | 'installed_at'
> & { token: string };

export type HeldSlackInstallation = SlackInstallation & { token: string | null };

export type SlackInstallations = {
  /**
   * The workspace's own installation, else its organisation's; a removed one only if there is no other. Null if never installed.
   * @throws CountersignError if the token can't be decrypted
   */
  find(team: string): Promise<HeldSlackInstallation | null>;
  /** The installation of exactly this owner; without its token if it can't be decrypted. */
  read(owner: string): Promise<(HeldSlackInstallation & { readable: boolean }) | null>;
  /**
   * Stores an installation and retries what waited for it.
   * @param after the generation that it replaces, or null
   * @returns false if another was stored since
   */
  store(installation: NewSlackInstallation, after: number | null): Promise<boolean>;
  /**
   * Deletes a removed installation's token; waiting posts record the reason.
   * @returns false if it was reinstalled or already removed
   */
  remove(installation: Pick<SlackInstallation, 'owner' | 'generation' | 'name'>): Promise<boolean>;
  /** Assigns an organisation's installation to a workspace. @returns whether there is one */
  join(team: string, enterprise: string): Promise<boolean>;
  /** Marks an installation's state as used. @returns false if it was used before */
  useState(id: string, expiresAt: Date): Promise<boolean>;
  /** All by name, removed ones last, and whether each token can be decrypted. */
  list(limit: number): Promise<(SlackInstallation & { readable: boolean })[]>;
};
