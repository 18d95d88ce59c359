// What the commands of `atrium context` are about: what an agent would read in a situation, and the whole request around
// it. A running gateway is asked; without one, or with a configuration of its own, the command looks itself, with the
// plugins loaded in a worker, and changes nothing.

import { type LoadedConfig, loadConfig } from '../../config/load-config.ts';
import { type PackedComposition, unpackComposition } from '../../context/packed-composition.ts';
import type { OpenedPreview } from '../../gateway/composer/open-preview.ts';
import type { ContextLook, LookRequest } from '../../gateway/services/preview-message.ts';
import type { Upload } from '../../protocol/attachment.ts';
import { ownHandlers } from '../../public/own-handlers.ts';
import type { CliIo } from '../cli-io.ts';
import { askRunning, type GatewayClient } from '../gateway/gateway-client.ts';
import { warningLog } from '../gateway/gateway-log.ts';
import { oneLine } from '../output/text.ts';
import type { GivenFile } from '../read-given-file.ts';
import { type SituationFlags, toLookRequest } from './situation-options.ts';

export interface Look extends ContextLook {
  readonly configuration: Omit<LoadedConfig, 'config'>;
  /** What went wrong with plugins, one sentence each. */
  readonly troubles: readonly string[];
}

export interface LookFlags extends SituationFlags {
  readonly message?: string | undefined;
  readonly runHooks?: boolean | undefined;
  /** Files that would come with the message. */
  readonly files?: readonly GivenFile[] | undefined;
}

/** Looks at one or several situations of the same configuration. */
export interface ContextEye {
  look(flags: LookFlags): Promise<Look>;
}

/** `config` is the file that the command names; undefined for that of the home. */
export async function withContext<Value>(
  config: string | undefined,
  io: CliIo,
  use: (eye: ContextEye) => Promise<Value>,
): Promise<Value> {
  if (config === undefined) {
    const asked = await askRunning(io, async (client) => ({ value: await use(eyeOf(client, io)) }));
    if (asked) return asked.value;
  }
  const { environment } = io;
  const loaded = await loadConfig({ environment, configPath: config });
  const { openPreview } = await import('../../gateway/composer/open-preview.ts');
  const opened = await openPreview({
    environment,
    loaded,
    handlers: ownHandlers(loaded.config, io.environment, warningLog(io)),
    now: () => io.now().getTime(),
  });
  try {
    return await use(ownEye(opened, loaded, io));
  } finally {
    await opened.close();
  }
}

export function lookAtContext(flags: LookFlags, io: CliIo): Promise<Look> {
  return withContext(flags.config, io, (eye) => eye.look(flags));
}

type Answer = Omit<ContextLook, 'composition'> & {
  readonly composition: PackedComposition;
  readonly configuration: Look['configuration'];
};

function eyeOf(client: GatewayClient, io: CliIo): ContextEye {
  return {
    look: async (flags) => {
      // The time zone of the file is used to read a time of day, as far as the file can be read.
      const { config } = await loadConfig({ environment: io.environment }).catch(() => ({ config: {} }));
      const { at, ...request } = lookRequestOf(flags, io, config);
      const attachments = [];
      for (const { name, data } of flags.files ?? []) {
        const { id } = await client.post<Upload>('/api/attachments', { name, data });
        attachments.push({ id });
      }
      const files = attachments.length > 0 ? { attachments } : {};
      const body = { ...request, ...files, ...(at && { at: at.toISOString() }) };
      const answer = await client.post<Answer>('/api/context/look', body);
      return { ...answer, composition: unpackComposition(answer.composition), troubles: [] };
    },
  };
}

function ownEye(opened: OpenedPreview, loaded: LoadedConfig, io: CliIo): ContextEye {
  const { config, ...configuration } = loaded;
  return {
    look: async (flags) => {
      const attachments = (flags.files ?? []).map(({ name, data }) =>
        opened.hold({ name, bytes: Buffer.from(data, 'base64') }),
      );
      const files = attachments.length > 0 ? { attachments } : {};
      const look = await opened.look({ ...lookRequestOf(flags, io, config), ...files });
      return { ...look, configuration, troubles: opened.troubles() };
    },
  };
}

function lookRequestOf(flags: LookFlags, io: CliIo, config: LoadedConfig['config']): LookRequest {
  const { message, runHooks } = flags;
  return { ...toLookRequest(flags, io, config), message, runHooks };
}

/** Whether everything that a run would have is there. */
export function isComplete({
  placeholders,
  problem,
  troubles,
}: Pick<Look, 'placeholders' | 'problem' | 'troubles'>): boolean {
  return placeholders.length + troubles.length === 0 && problem === null;
}

/** What is missing from the answer, and what went wrong, as lines for the error stream. */
export function noteMissing({
  placeholders,
  problem,
  troubles,
}: Pick<Look, 'placeholders' | 'problem' | 'troubles'>): readonly string[] {
  const names = [...new Set(placeholders)].join(', ');
  return [
    ...troubles.map((sentence) => `warning: ${oneLine(sentence)}`),
    ...(problem === null ? [] : [`note: there would be no request to a model: ${oneLine(problem)}`]),
    ...(names === ''
      ? []
      : [
          `note: these were not asked, because that may have effects: ${oneLine(names)}.`,
          'note: the real request may differ by what they add; --run-hooks calls handlers.',
        ]),
  ];
}
