// Settings that ask for other tools in one place: a server, a channel, a group or a chat. Atrium does not limit tools by
// place, and what was meant to protect must not be left out in silence. So such a place is closed, unless `acceptUnused`
// names the setting. Which places a platform has, its own section knows.

import { isAccepted } from '../list-unused-settings.ts';
import { anyObject } from '../schema-kinds.ts';

/** The keys that a place has for it on every platform. */
export const placeTools = {
  tools: anyObject().optional().describe('Not used; the place is closed where it is set.'),
  toolsBySender: anyObject().optional().describe('Not used; the place is closed where it is set.'),
};

export interface PlaceTools {
  readonly tools?: object | undefined;
  readonly toolsBySender?: object | undefined;
}

/** The settings that close this place, as paths in the configuration; none when it is open. */
export function closingSettings(config: object, path: string, place: PlaceTools): readonly string[] {
  return (['tools', 'toolsBySender'] as const)
    .filter((key) => Object.keys(place[key] ?? {}).length > 0)
    .map((key) => `${path}.${key}`)
    .filter((setting) => !isAccepted(config, setting));
}

export function closedSentence(setting: string): string {
  return `${setting} limits tools for one place, which Atrium does not do. The place is closed; take the setting back, or accept it with "acceptUnused": ["${setting}"].`;
}
