// The operator's rules as handlers. A rule may read its text only from the folder of the configuration, from the
// workspace, or from a root that the operator allowed.

import type { Environment } from '../../config/environment.ts';
import type { Config } from '../../config/schema.ts';
import { resolveUserPath } from '../../config/user-path.ts';
import { createRuleHandler } from '../../context/handlers/rules/handler.ts';
import { ruleStability } from '../../context/handlers/rules/rule.ts';
import { DEFAULT_HOOK_PRIORITY } from '../../hooks/packs/load-internal-hooks.ts';
import type { SwitchableHandler } from './bootstrap-registry.ts';

export interface RuleHandlerSettings {
  readonly config: Config;
  /** Relative paths in the configuration start here. */
  readonly configDir: string;
  readonly environment: Environment;
  readonly workspaceDir: string;
}

export function ruleHandlers({
  config,
  configDir,
  environment,
  workspaceDir,
}: RuleHandlerSettings): SwitchableHandler[] {
  const roots = [
    configDir,
    workspaceDir,
    ...(config.bootstrap?.allowedRoots ?? []).map((root) => resolveUserPath(root, environment.home, environment.cwd)),
  ];
  // A relative path is tried beside the configuration first, then in the workspace.
  const placesOf = (from: string) => [
    ...new Set([configDir, workspaceDir].map((dir) => resolveUserPath(from, environment.home, dir))),
  ];
  return (config.bootstrap?.rules ?? []).map((rule) => ({
    enabled: rule.enabled !== false,
    whyNot: 'switched off in bootstrap.rules',
    text: rule.text,
    registration: {
      id: `rule:${rule.id}`,
      owner: 'config',
      authorship: 'rule',
      priority: rule.priority ?? DEFAULT_HOOK_PRIORITY,
      stability: ruleStability({ stability: rule.stability, when: rule.when ?? {} }),
      description: `${rule.mode ?? 'append'} ${rule.file}`,
      handler: createRuleHandler({
        rule: {
          ...rule,
          mode: rule.mode ?? 'append',
          when: rule.when ?? {},
          from: rule.from === undefined ? undefined : placesOf(rule.from),
        },
        variables: environment.variables,
        roots,
      }),
    },
  }));
}
