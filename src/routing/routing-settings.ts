// What routing needs from the configuration, as plain values. This file does not know how they are written in a file.

import type { DmScope, IdentityLinks, SessionScope } from '../protocol/build-session-key.ts';
import type { Peer } from '../protocol/inbound.ts';

export interface RoutingSettings {
  /** The ids are normalised. */
  readonly agentIds: readonly string[];
  readonly defaultAgentId: string;
  readonly bindings: readonly Binding[];
  readonly dmScope: DmScope;
  readonly scope: SessionScope;
  readonly mainKey?: string | undefined;
  readonly identityLinks: IdentityLinks;
}

/** Says which agent answers where. */
export interface Binding {
  readonly agentId: string;
  readonly channel: string;
  /** A normalised account, or `*` for every one. */
  readonly accountId: string;
  readonly peer?: Peer | undefined;
  /** Its position in the configuration, counted from 1. */
  readonly position: number;
  /** The server or workspace that the message must come from. */
  readonly space?: { readonly kind: 'guild' | 'team'; readonly id: string } | undefined;
  /** The sender must have one of these roles there. An empty list asks for none. */
  readonly roles: readonly string[];
}
