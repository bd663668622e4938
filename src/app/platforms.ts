// The chat platforms; a new one adds a line here.
import { slack } from '#adapters/slack/platform.ts';
import { teams } from '#adapters/teams/platform.ts';
import type { Platform } from '#chat/platform.ts';

export const chatPlatforms: readonly Platform[] = [slack, teams];
