// How repeated tool calls of a run are noticed (`tools.loopDetection`, where each setting may be replaced by the agent's
// own). The thresholds are kept in their order: a warning comes before a refusal.

import { resolveAgentConfig } from './agents.ts';
import type { Config } from './schema.ts';

export interface LoopDetection {
  readonly isOn: boolean;
  /** How many of the last calls count. */
  readonly historySize: number;
  /** From so many equal calls on, the operator is told. */
  readonly warnFrom: number;
  /** From so many calls on that had the same result each time, a further one is refused. */
  readonly refuseFrom: number;
  /** The same, whatever detectors are switched off. */
  readonly refuseAlwaysFrom: number;
  /** From so many calls of a tool that does not exist on, a further one is refused. */
  readonly refuseUnknownFrom: number;
  readonly detectors: { readonly repeat: boolean; readonly poll: boolean; readonly pingPong: boolean };
}

export function loopDetectionOf(config: Config, agentId: string): LoopDetection {
  const common = config.tools?.loopDetection;
  const own = resolveAgentConfig(config, agentId)?.tools?.loopDetection;
  const { enabled, historySize, warningThreshold, criticalThreshold, ...rest } = { ...common, ...own };
  const detectors = { ...common?.detectors, ...own?.detectors };
  const warnFrom = warningThreshold ?? 10;
  const refuseFrom = Math.max(criticalThreshold ?? 20, warnFrom + 1);
  const refuseAlwaysFrom = Math.max(rest.globalCircuitBreakerThreshold ?? 30, refuseFrom + 1);
  return {
    isOn: enabled ?? false,
    historySize: Math.max(historySize ?? 30, refuseAlwaysFrom),
    warnFrom,
    refuseFrom,
    refuseAlwaysFrom,
    refuseUnknownFrom: rest.unknownToolThreshold ?? 10,
    detectors: {
      repeat: detectors.genericRepeat ?? true,
      poll: detectors.knownPollNoProgress ?? true,
      pingPong: detectors.pingPong ?? true,
    },
  };
}
