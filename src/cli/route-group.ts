// `atrium route`: where messages go.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function routeGroup(program: Command): Command {
  return group(program, 'route', 'see which agent and session a message goes to');
}
