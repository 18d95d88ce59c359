// Finds the folder in which an agent's bootstrap files live. The rules are those of existing homes, and the first rule
// that matches wins. The disk is only asked whether a folder from another OpenClaw version exists.

import os from 'node:os';
import path from 'node:path';
import { normalizeAgentId } from '../protocol/agent-id.ts';
import { givenPath, listAgentIds, resolveAgentConfig, resolveAgentDefaults, resolveDefaultAgentId } from './agents.ts';
import { isNamedProfile } from './cli-profile.ts';
import { type EnvironmentVariables, resolveHomeDir } from './home-dir.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import { isDirectory, resolveStateDir, STATE_DIRNAME } from './state-dir.ts';
import { resolveUserPath } from './user-path.ts';

export function resolveAgentWorkspaceDir(
  cfg: Config,
  agentId: string,
  env: EnvironmentVariables = process.env,
): string {
  const id = normalizeAgentId(agentId);
  const home = resolveHomeDir(env);
  const agent = resolveAgentConfig(cfg, id);
  const own = givenPath(agent?.workspace);
  if (own !== undefined) return resolveUserPath(own, home);
  if (agent?.taxonomy === 'openboa') return path.join(openboaRoot(cfg, env), 'agents', id, 'workspace');

  const shared = givenPath(resolveAgentDefaults(cfg).workspace);
  if (id === resolveDefaultAgentId(cfg)) {
    return shared === undefined ? resolveDefaultAgentWorkspaceDir(env) : resolveUserPath(shared, home);
  }
  // OpenClaw later moved other agents into sub-folders of the shared workspace. An agent that has such a folder keeps
  // it.
  const inShared = shared === undefined ? undefined : path.join(resolveUserPath(shared, home), id);
  if (inShared !== undefined && isDirectory(inShared)) return inShared;
  return path.join(resolveStateDir(env), `workspace-${id}`);
}

/**
 * Returns the default agent's workspace when the configuration names none. It stays under the home even if the state
 * directory is elsewhere.
 */
export function resolveDefaultAgentWorkspaceDir(
  env: EnvironmentVariables = process.env,
  homedir: () => string = os.homedir,
): string {
  const given = env.OPENCLAW_WORKSPACE_DIR?.trim();
  if (given) return path.resolve(given);
  const name = isNamedProfile(env.OPENCLAW_PROFILE) ? `workspace-${env.OPENCLAW_PROFILE.trim()}` : 'workspace';
  return path.join(resolveHomeDir(env, homedir), STATE_DIRNAME, name);
}

export const DEFAULT_AGENT_WORKSPACE_DIR = resolveDefaultAgentWorkspaceDir();

/** Where the chat records of an openboa agent are, and the folders in which they must not be; undefined for other agents. */
export function resolveChatRecordPlace(
  cfg: Config,
  agentId: string,
  env: EnvironmentVariables = process.env,
): { readonly root: string; readonly workspaces: readonly string[] } | undefined {
  if (resolveAgentConfig(cfg, normalizeAgentId(agentId))?.taxonomy !== 'openboa') return undefined;
  const workspaces = listAgentIds(cfg).map((id) => resolveAgentWorkspaceDir(cfg, id, env));
  return { root: openboaRoot(cfg, env), workspaces };
}

function openboaRoot(cfg: Config, env: EnvironmentVariables): string {
  const root = isPlainObject(cfg.openboa) ? givenPath(cfg.openboa.root) : undefined;
  return root === undefined ? resolveStateDir(env) : resolveUserPath(root, resolveHomeDir(env));
}
