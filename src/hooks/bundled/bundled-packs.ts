// The hook packs that come with the product, with only the facts that a listing needs. Reading their HOOK.md files
// would load a parser, which a home that uses none of them should not pay for. A test compares these facts with the
// files.

import { join } from 'node:path';
import type { HookPack } from '../packs/hook-pack.ts';

const BUNDLED_PACKS: readonly { readonly name: string; readonly description: string; readonly events: string[] }[] = [
  {
    name: 'boot-md',
    description: 'Has each agent do what BOOT.md in its workspace says when the gateway starts.',
    events: ['gateway:startup'],
  },
  {
    name: 'command-logger',
    description: 'Writes a line for every command to logs/commands.log in the state directory.',
    events: ['command'],
  },
  {
    name: 'compaction-notifier',
    description: 'Says on the surface that a long conversation is being made shorter.',
    events: ['session:compact:before', 'session:compact:after'],
  },
  {
    name: 'session-memory',
    description: 'Keeps the end of a conversation as a note in memory/ when a person says /new or /reset.',
    events: ['command:new', 'command:reset'],
  },
];

export function listBundledPacks(bundledDir: string): readonly HookPack[] {
  return BUNDLED_PACKS.map(({ name, description, events }) => ({
    name,
    description,
    source: 'openclaw-bundled',
    dir: join(bundledDir, name),
    hookMdPath: join(bundledDir, name, 'HOOK.md'),
    handlerPath: join(bundledDir, name, 'handler.js'),
    frontmatter: {},
    metadata: { events },
  }));
}
