// The folders of skills that the operator names besides those of the workspace and the state directory. A skill there must lie
// in its folder after links are followed.

import type { Environment } from './environment.ts';
import type { Config } from './schema.ts';
import { resolveUserPath } from './user-path.ts';

export function extraSkillFolders(
  config: Config,
  { home, cwd }: Pick<Environment, 'home' | 'cwd'>,
): readonly { readonly dir: string; readonly roots: readonly string[] }[] {
  const written = (config.skills?.load?.extraDirs ?? []).map((each) => each.trim()).filter((each) => each !== '');
  return [...new Set(written.map((each) => resolveUserPath(each, home, cwd)))].map((dir) => ({ dir, roots: [dir] }));
}
