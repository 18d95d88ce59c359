// A hook pack: a directory with a HOOK.md that says when it fires and a handler module that does the work. Discovery,
// eligibility, loading and the commands share this type; it holds what was read from disk and no decision about it.

import type { FrontMatter } from './front-matter.ts';
import type { HookMetadata, MetadataProblem } from './hook-metadata.ts';

/** Where a pack was found. The names are those that existing homes and tools use. */
export type HookSource = 'openclaw-bundled' | 'openclaw-plugin' | 'openclaw-managed' | 'openclaw-workspace';

export interface HookPack {
  readonly name: string;
  readonly description: string;
  readonly source: HookSource;
  /** Set only for packs that come with a plugin. */
  readonly pluginId?: string | undefined;
  readonly dir: string;
  readonly hookMdPath: string;
  readonly handlerPath: string;
  readonly frontmatter: FrontMatter;
  /** Undefined when HOOK.md declares none; such a pack listens to no event. */
  readonly metadata: HookMetadata | undefined;
}

/** A problem that a pack's author should fix. The pack, or the packs beside it, may still work. */
export interface HookProblem {
  readonly code:
    | MetadataProblem['code']
    | 'directory-unreadable'
    | 'link-not-followed'
    | 'file-unreadable'
    | 'file-outside'
    | 'package-unreadable'
    | 'handler-missing';
  readonly path: string;
  readonly message: string;
}

/** The name by which the configuration refers to a pack. */
export function resolveHookKey(pack: { readonly name: string; readonly metadata?: HookMetadata | undefined }): string {
  return pack.metadata?.hookKey ?? pack.name;
}
