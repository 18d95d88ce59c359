// `atrium deadletters`: what was given up and waits for a person.

import type { Command } from 'commander';
import { group } from './commands.ts';

export function deadLettersGroup(program: Command): Command {
  return group(
    program,
    'deadletters',
    'look at messages and answers that were given up, send them again or remove them',
  );
}
