// What tests of plugins can import as `atrium/testkit`. `atrium plugins test` hands it to them.

export { openDiscordPlatform } from '../testkit/discord/discord-platform.ts';
export { FakeDiscord } from '../testkit/discord/fake-discord.ts';
export type { FakeMessage, FakePlace, FakePlatform } from '../testkit/fake-platform.ts';
export { fail, type ModelReply, reply, thought, toolCall, toolCalls } from '../testkit/model-server.ts';
export {
  FakeSlack,
  type FakeSlackSettings,
  type SlackDeed,
  type SlackFault,
  type SlackPlace,
  type SlackWords,
} from '../testkit/slack/fake-slack.ts';
export { openTelegramPlatform } from '../testkit/telegram/telegram-platform.ts';
export { TelegramServer } from '../testkit/telegram/telegram-server.ts';
export { type TestedPlugin, type TestPluginOptions, testPlugin } from '../testkit/test-plugin.ts';
