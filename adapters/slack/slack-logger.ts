// Logs warnings and errors of Slack's libraries.
import { LogLevel } from '@slack/bolt';

export type SlackLogger = ReturnType<typeof createSlackLogger>;

export function createSlackLogger(warn: (message: string) => void) {
  const say = (...parts: unknown[]) => {
    const words = parts.map((part) => (part instanceof Error ? part.message : String(part)));
    warn(`Slack: ${words.join(' ')}`);
  };
  return {
    debug() {},
    info() {},
    warn: say,
    error: say,
    setLevel() {},
    getLevel: () => LogLevel.WARN,
    setName() {},
  };
}
