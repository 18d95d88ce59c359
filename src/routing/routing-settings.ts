// What routing has to know of a configuration, as plain values. How they are written in a file is not known here.

import type { DmScope, IdentityLinks, SessionScope } from '../protocol/build-session-key.ts';
import type { Peer } from '../protocol/inbound.ts';

export interface RoutingSettings {
  /** Normalised ids. */
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
  /** Its place in the configuration, from 1. */
  readonly position: number;
  /** Conditions that cannot be checked here. Such a binding never applies: it would reach further than it was meant to. */
  readonly unchecked: readonly string[];
}
