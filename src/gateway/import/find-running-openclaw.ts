// Whether a gateway of OpenClaw answers on this machine, at the port that its configuration names or at its usual one. It asks
// for the page that OpenClaw has for such questions, without a token. Never rejects: whoever does not answer soon is not there.

import { configuredPort } from '../../config/gateway-port.ts';
import type { EnvironmentVariables } from '../../config/home-dir.ts';
import type { Config } from '../../config/schema.ts';

const USUAL_PORT = 18_789;
const PATIENCE_MS = 1_000;

/** The address of the gateway that answers; undefined when none does. */
export async function findRunningOpenClaw(
  config: Config,
  variables: EnvironmentVariables,
): Promise<string | undefined> {
  const port = configuredPort(config, variables) ?? USUAL_PORT;
  const addresses = [...new Set([port, USUAL_PORT])].map((each) => `http://127.0.0.1:${each}`);
  const answers = await Promise.all(addresses.map(isOpenClaw));
  return addresses.find((_, index) => answers[index]);
}

async function isOpenClaw(address: string): Promise<boolean> {
  try {
    const response = await fetch(`${address}/health`, { signal: AbortSignal.timeout(PATIENCE_MS), redirect: 'error' });
    const answer: unknown = await response.json();
    return isObject(answer) && answer.ok === true && answer.status === 'live';
  } catch {
    return false;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
