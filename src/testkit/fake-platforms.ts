// The chat platforms that can be played on this machine, by the ids of their channels. Each is loaded when it is opened.

import type { FakePlatform } from './fake-platform.ts';

/** Opens a platform with these people on it. */
type OpenPlatform = (names: readonly string[]) => Promise<FakePlatform>;

export const FAKE_PLATFORMS: Readonly<Record<string, () => Promise<OpenPlatform>>> = {
  telegram: async () => (await import('./telegram/telegram-platform.ts')).openTelegramPlatform,
  discord: async () => (await import('./discord/discord-platform.ts')).openDiscordPlatform,
  slack: async () => (await import('./slack/slack-platform.ts')).openSlackPlatform,
};
