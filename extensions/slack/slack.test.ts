import { describeChannel } from '../../src/channels/channel-suite.ts';
import { makeRig, surfaceIn } from './fixtures/slack-rig.ts';

describeChannel('Slack, a direct conversation', () =>
  makeRig((slack) => ({
    place: slack.direct('owner'),
    surface: surfaceIn({ kind: 'direct', id: slack.person('owner').id }),
  })),
);

describeChannel('Slack, a channel', () =>
  makeRig((slack) => {
    const place = slack.channel('general');
    return { place, surface: surfaceIn({ kind: 'channel', id: place.channel }) };
  }),
);

describeChannel('Slack, a group of direct messages', () =>
  makeRig((slack) => {
    const place = slack.groupDirect(['owner', 'guest']);
    return { place, surface: surfaceIn({ kind: 'group', id: place.channel }) };
  }),
);

describeChannel('Slack, a thread', () =>
  makeRig((slack) => {
    const place = slack.thread(slack.channel('general'), '');
    // The thread began from a message that was deleted, so people see only its replies.
    for (const message of slack.workspace.conversations.get(place.channel)?.messages ?? [])
      message.subtype = 'tombstone';
    return { place, surface: surfaceIn({ kind: 'channel', id: place.channel }, place.thread) };
  }),
);
