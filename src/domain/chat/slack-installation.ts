// Slack installations per workspace, with encrypted tokens.

export type SlackInstallation = {
  /** Workspace `T…`, or organisation `E…` if org-wide. */
  owner: string;
  org_wide: boolean;
  name: string;
  app_id: string;
  scopes: string[];
  installed_by: string;
  installed_at: Date;
  /** Keeps old events from affecting a later installation. */
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
  /** The workspace's, else its organisation's; removed ones last. @throws CountersignError if the token can't be decrypted */
  find(team: string): Promise<HeldSlackInstallation | null>;
  /** Exactly this owner's; no token if it can't be decrypted. */
  read(owner: string): Promise<(HeldSlackInstallation & { readable: boolean }) | null>;
  /** Retries waiting posts. @param after the generation replaced, or null @returns false if another was stored since */
  store(installation: NewSlackInstallation, after: number | null): Promise<boolean>;
  /** Deletes the token; waiting posts record the reason. @returns false if reinstalled or already removed */
  remove(installation: Pick<SlackInstallation, 'owner' | 'generation' | 'name'>): Promise<boolean>;
  /** @returns false if the organisation has none */
  join(team: string, enterprise: string): Promise<boolean>;
  useState(id: string, expiresAt: Date): Promise<boolean>;
  list(limit: number): Promise<(SlackInstallation & { readable: boolean })[]>;
};
