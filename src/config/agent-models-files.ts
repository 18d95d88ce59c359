// The files `models.json` that OpenClaw keeps for each agent. It writes the providers of the configuration into them, and a
// provider or an address that stands only there counts in OpenClaw all the same. Atrium reads the configuration alone, so
// such a file is named. Never throws: a file that cannot be read says nothing.

import path from 'node:path';
import { listAgentIds, resolveAgentDir } from './agents.ts';
import type { Environment } from './environment.ts';
import { configuredProviders, knownProviders } from './model-provider.ts';
import { isPlainObject } from './plain-object.ts';
import type { Config } from './schema.ts';
import type { FileRemark } from './secrets/env-files.ts';
import { readPrivateFile } from './secrets/private-file.ts';

const LARGEST = 4 * 1024 * 1024;

export function listAgentModelsFiles(config: Config, { variables, stateDir }: Environment): readonly FileRemark[] {
  const known = new Set([...configuredProviders(config), ...knownProviders()]);
  return listAgentIds(config).flatMap((agentId) => {
    const dir = resolveAgentDir(config, agentId, { ...variables, OPENCLAW_STATE_DIR: stateDir });
    const file = path.join(dir, 'models.json');
    const others = providersIn(file).filter((name) => !known.has(name));
    if (others.length === 0) return [];
    const message = `${file} has ${others.length === 1 ? 'a provider' : 'providers'} of models that the configuration does not have: ${others.join(', ')}. Only models.providers of the configuration is read; copy what you use.`;
    return [{ file, message }];
  });
}

function providersIn(file: string): readonly string[] {
  const read = readPrivateFile(file, { largest: LARGEST });
  if (!('text' in read)) return [];
  try {
    const parsed: unknown = JSON.parse(read.text);
    const providers = isPlainObject(parsed) ? parsed.providers : undefined;
    return isPlainObject(providers) ? Object.keys(providers).filter((name) => isPlainObject(providers[name])) : [];
  } catch {
    return [];
  }
}
