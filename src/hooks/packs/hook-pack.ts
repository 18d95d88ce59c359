// A hook pack: a directory with a HOOK.md that says when it fires and a handler module that does the work. This is
// the noun that discovery, eligibility, loading and the commands share; it holds what was read, not what was decided.

import type { FrontMatter } from './front-matter.ts';
import type { HookMetadata, MetadataProblem } from './hook-metadata.ts';

/** Where a pack was found. The words are those that existing homes and tools know. */
export type HookSource = 'openclaw-bundled' | 'openclaw-plugin' | 'openclaw-managed' | 'openclaw-workspace';

export interface HookPack {
  readonly name: string;
  readonly description: string;
  readonly source: HookSource;
  /** Only for packs that a plugin brings. */
  readonly pluginId?: string | undefined;
  readonly dir: string;
  readonly hookMdPath: string;
  readonly handlerPath: string;
  readonly frontmatter: FrontMatter;
  /** Undefined when HOOK.md declares none; such a pack listens to nothing. */
  readonly metadata: HookMetadata | undefined;
}

/** Something that a pack's author should mend. The pack, or its neighbours, may work all the same. */
export interface HookProblem {
  readonly code:
    | MetadataProblem['code']
    | 'directory-unreadable'
    | 'file-unreadable'
    | 'file-outside'
    | 'package-unreadable'
    | 'handler-missing';
  readonly path: string;
  readonly message: string;
}

/** The name under which configuration speaks of a pack. */
export function resolveHookKey(pack: { readonly name: string; readonly metadata?: HookMetadata | undefined }): string {
  return pack.metadata?.hookKey ?? pack.name;
}
