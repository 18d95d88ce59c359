import { describeChannel } from '../../src/channels/channel-suite.ts';
import { DiscordRig } from './fixtures/discord-rig.ts';

describeChannel('Discord, a direct conversation', async () => {
  const rig = await DiscordRig.start();
  return rig.suiteAt(rig.dm, rig.channel());
});

describeChannel('Discord, a channel of a server', async () => {
  const rig = await DiscordRig.start();
  return rig.suiteAt(rig.general, rig.channel());
});

describeChannel('Discord, a thread', async () => {
  const rig = await DiscordRig.start();
  return rig.suiteAt(rig.platform.opensThread(rig.ann, rig.general, 'A matter'), rig.channel());
});

describeChannel('Discord, a post of a forum', async () => {
  const rig = await DiscordRig.start();
  const forum = rig.platform.addChannel(rig.guild, 'questions', 'forum');
  return rig.suiteAt(rig.platform.opensThread(rig.ann, forum, 'How?'), rig.channel());
});
