// The zone in which commands write times: that of the people (`agents.defaults.userTimezone`), else that of the machine. It
// is the one in which they read them, too. A configuration that cannot be read does not keep a command from answering.

import { resolveAgentDefaults } from '../config/agents.ts';
import { readConfig } from '../config/load-config.ts';
import { resolveTimezone } from '../config/timezone.ts';
import { isAtriumError } from '../protocol/errors.ts';
import type { CliIo } from './cli-io.ts';

export async function inUserZone(io: CliIo): Promise<CliIo> {
  const { environment } = io;
  try {
    const config = await readConfig({ environment });
    // Finding the zone of the machine takes its time, so it is left to those who print one.
    if (resolveAgentDefaults(config).userTimezone === undefined) return io;
    return { ...io, environment: Object.freeze({ ...environment, timezone: resolveTimezone(config, environment) }) };
  } catch (error) {
    if (isAtriumError(error)) return io;
    throw error;
  }
}
