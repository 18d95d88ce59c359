// Uses of native commands and presses of buttons, as inbounds, and what the person is shown at once. The answer of the
// agent goes the way of all answers; what is shown here only says that it was received.

import type { APIInteraction, APIUser } from '@discordjs/core';
import type { ReceiveResult } from '../../src/channels/channel.ts';
import type { Inbound } from '../../src/protocol/inbound.ts';
import type { Buttons } from './buttons.ts';
import { type InboundParts, senderOf, spaceOf } from './inbound.ts';
import { ARGUMENTS } from './native-commands.ts';
import { timeOfSnowflake } from './snowflake.ts';
import { surfaceOf } from './surface.ts';

/** The numbers are Discord's. */
export const INTERACTION = { command: 2, press: 3 } as const;
const ANSWER = { message: 4, deferredMessage: 5, deferredUpdate: 6 } as const;
/** Only the person sees it. */
const EPHEMERAL = 64;

/** As Discord's JSON has it. */
export type InteractionAnswer = { readonly type: number; readonly data?: Readonly<Record<string, unknown>> };

/** Undefined for what is neither a command nor a button of ours. */
export async function readInteraction(
  interaction: APIInteraction,
  buttons: Buttons,
  parts: InboundParts,
): Promise<Inbound | undefined> {
  const text = textOf(interaction, buttons);
  const user = userOf(interaction);
  const channelId = interaction.channel?.id;
  if (text === undefined || !user || channelId === undefined) return undefined;
  const { places, account } = parts;
  const { guild_id: guildId, member } = interaction;
  const known = places.known(channelId);
  const place =
    known ?? (guildId === undefined ? places.learnDirect(channelId, user.id) : await places.find(channelId, guildId));
  const space = await spaceOf(guildId, { author: user, member }, parts);
  return {
    surface: surfaceOf(account.accountId, place),
    sender: senderOf(user, member?.nick),
    text,
    at: timeOfSnowflake(interaction.id),
    eventId: `interaction:${interaction.id}`,
    wasMentioned: true,
    ...(space && { space }),
    ...(place.name !== undefined && { placeName: place.name }),
  };
}

/** What Discord is told before the message is stored, so that the person is not told that the bot does not answer. */
export function earlyAnswer({ type }: APIInteraction): InteractionAnswer {
  return type === INTERACTION.press
    ? { type: ANSWER.deferredUpdate }
    : { type: ANSWER.deferredMessage, data: { flags: EPHEMERAL } };
}

export function finalAnswer(
  { type }: APIInteraction,
  text: string | undefined,
  outcome: ReceiveResult['outcome'] | 'unknown',
): InteractionAnswer {
  if (type === INTERACTION.press && outcome !== 'unknown') return { type: ANSWER.deferredUpdate };
  const content = sentenceFor(text ?? '', outcome);
  return { type: ANSWER.message, data: { content, flags: EPHEMERAL, allowed_mentions: { parse: [] } } };
}

export function userOf({ member, user }: APIInteraction): APIUser | undefined {
  return member?.user ?? user;
}

function sentenceFor(text: string, outcome: ReceiveResult['outcome'] | 'unknown'): string {
  if (outcome === 'unknown') return 'This button is too old. Type what you want to say instead.';
  if (outcome === 'refused') return 'You may not talk to the agent here.';
  return `Received: \`${text.replaceAll('`', '').slice(0, 200)}\``;
}

function textOf(interaction: APIInteraction, buttons: Buttons): string | undefined {
  if (interaction.type === INTERACTION.press) return buttons.valueOf(interaction.data.custom_id);
  if (interaction.type !== INTERACTION.command) return undefined;
  const { name } = interaction.data;
  const options = 'options' in interaction.data ? (interaction.data.options ?? []) : [];
  const given = options.find((option) => option.name === ARGUMENTS) as { readonly value?: unknown } | undefined;
  return `/${name} ${String(given?.value ?? '')}`.trim();
}
