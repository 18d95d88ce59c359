// Slack on this machine, as a `FakePlatform`: an app, a direct conversation for each person, and a channel with all of
// them. A thread is a place of its own as soon as something was written in it.

import type { FakeFault, FakePlace, FakePlatform } from '../fake-platform.ts';
import { FakeSlack, type SlackDeed, type SlackPlace, slackButtonLabels } from './fake-slack.ts';
import { shownText } from './slack-event.ts';

export async function openSlackPlatform(names: readonly string[]): Promise<FakePlatform> {
  const slack = await FakeSlack.start();
  const directs = names.map((name) => ({ name, place: slack.direct(name) }));
  const team = slack.channel('team', { people: [...names] });
  let repeatLatest: (() => SlackDeed) | undefined;
  let events = 0;

  const placeOf = (placeId: string): SlackPlace => {
    const [channel = '', thread] = placeId.split('#');
    return thread === undefined ? { channel } : { channel, thread };
  };
  const messagesOf = ({ channel, thread }: SlackPlace) =>
    [...(slack.workspace.conversations.get(channel)?.messages ?? [])].filter(
      ({ ts, threadTs }) => threadTs === thread || (thread !== undefined && ts === thread),
    );
  const threadPlaces = (place: SlackPlace, people: readonly string[]): FakePlace[] => {
    const all = slack.workspace.conversations.get(place.channel)?.messages ?? [];
    const roots = [...new Set(all.flatMap(({ threadTs }) => (threadTs === undefined ? [] : [threadTs])))];
    return roots.map((ts) => {
      const name = all.find((message) => message.ts === ts)?.text.slice(0, 40) ?? ts;
      return { id: `${place.channel}#${ts}`, name, kind: 'thread', people };
    });
  };
  const suffer = (fault: FakeFault): void => {
    if (fault === 'disconnect') slack.socketsOf().cut();
    else if (fault === 'limit') slack.fault('chat.postMessage', { limitSeconds: 1 });
    else if (fault === 'break') slack.fault('chat.postMessage', { status: 503 });
    else if (fault === 'withhold') slack.fault('chat.postMessage', 'withhold');
    else repeatLatest?.();
  };
  return {
    id: 'slack',
    name: 'Slack',
    section: { botToken: slack.app.botToken, appToken: slack.app.appToken, apiRoot: slack.apiRoot },
    places: () => [
      ...directs.map(({ name, place }): FakePlace => ({ id: place.channel, name, kind: 'direct', people: [name] })),
      ...directs.flatMap(({ name, place }) => threadPlaces(place, [name])),
      { id: team.channel, name: 'team', kind: 'group', people: names },
      ...threadPlaces(team, names),
    ],
    addressOf: (placeId) => {
      const { channel, thread } = placeOf(placeId);
      const direct = directs.find((each) => each.place.channel === channel);
      const to = direct ? `direct:${slack.person(direct.name).id}` : `channel:${channel}`;
      return thread === undefined ? { to } : { to, threadId: thread };
    },
    says: async (placeId, text, { person, isAside, file } = {}) => {
      const place = placeOf(placeId);
      const isDirect = directs.some((each) => each.place.channel === place.channel);
      const written = asSlackWrites(text);
      const said = isDirect || isAside ? written : `<@${slack.app.user.id}> ${written}`;
      const from = isDirect ? undefined : (person ?? names[0]);
      const eventId = `platform-${++events}`;
      const files = file ? [file] : [];
      repeatLatest = () => slack.says(place, said, { from, eventId, files });
      repeatLatest();
    },
    // A thread of Slack begins from a message.
    opensThread: async (placeId, name) => {
      const { channel, thread } = slack.thread(placeOf(placeId), name, names[0]);
      return `${channel}#${thread}`;
    },
    presses: async (placeId, messageId, label, { person } = {}) => {
      slack.presses(placeOf(placeId), messageId, label, { from: person ?? names[0] });
    },
    shown: (placeId) =>
      messagesOf(placeOf(placeId)).map((message) => ({
        id: message.ts,
        author: slack.workspace.users.get(message.user)?.name ?? message.user,
        isBot: message.botId !== undefined,
        text: asSlackShows(shownText(message)),
        buttons: slackButtonLabels(message),
        files: message.files.map(({ name }) => name),
        reactions: [...message.reactions].flatMap(([name, users]) => (users.has(slack.app.user.id) ? [name] : [])),
        at: Number(message.ts) * 1_000,
      })),
    // Slack shows no sign of typing for bots.
    isTyping: () => false,
    suffer,
    stop: () => slack.remove(),
  };
}

/** Slack's clients write these signs as entities, because the signs themselves mark mentions and links. */
function asSlackWrites(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function asSlackShows(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
