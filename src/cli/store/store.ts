// `atrium store`: where everything is stored, and how it is moved.

import type { CliCommand } from '../command.ts';
import { storeMigrate } from './migrate.ts';
import { storeShow } from './show.ts';

export const STORE_COMMANDS: readonly CliCommand[] = [storeShow, storeMigrate];
