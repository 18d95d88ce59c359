// `atrium context edit`, `history` and `restore`: the bootstrap files of an agent through the gateway, which keeps every
// version and overwrites no change that it has not seen.

import { BadFlagError } from '../../gateway/errors.ts';
import type { BootstrapText, FileVersion } from '../../gateway/services/bootstrap-files.ts';
import { countOf } from '../../protocol/count-of.ts';
import { type CliCommand, command } from '../command.ts';
import { type GatewayClient, path } from '../gateway/gateway-client.ts';
import { listText } from '../output/format-table.ts';
import { formatTime } from '../output/format-time.ts';
import { line } from '../output/text.ts';
import { readRegularFile } from '../read-regular-file.ts';

const AGENT_OPTION = { '--agent <id>': 'the agent whose file it is (default: the default agent)' } as const;

export const CONTEXT_FILE_COMMANDS: readonly CliCommand[] = [
  command({
    path: 'context edit',
    summary: 'put another text into a bootstrap file of an agent; the old text is kept',
    args: { '<file>': 'the name of the file, such as AGENTS.md' },
    options: {
      '--with <path>': { text: 'the file that has the new text', isRequired: true },
      ...AGENT_OPTION,
    },
    examples: ['context edit AGENTS.md --with ~/drafts/agents.md', 'context history AGENTS.md'],
    notes: 'The next run reads it. A change that is made at the same moment is not overwritten.',
    needs: 'gateway',
    async run({ file: name, with: source, agent }, { client }) {
      const bytes = await readRegularFile(source, {
        largest: MOST_BYTES,
        refuse: (why) =>
          new BadFlagError({ flag: '--with', value: source, expected: `a file that can be read: ${why}` }),
      });
      const { agentId, before } = await readFile(client, agent, name);
      const body = { text: bytes.toString('utf8'), version: before.version, from: 'cli' };
      const { file } = await client.post<{ file: BootstrapText }>(path`/api/agents/${agentId}/files/${name}`, body);
      return { json: { file }, text: line(describe(file, before)) };
    },
  }),
  command({
    path: 'context history',
    summary: 'list the versions of a bootstrap file that are kept, or print one of them',
    args: { '<file>': 'the name of the file, such as AGENTS.md' },
    options: { ...AGENT_OPTION, '--show <id>': 'print the text of this version' },
    examples: ['context history AGENTS.md', 'context history AGENTS.md --show 12 | diff - AGENTS.md'],
    needs: 'gateway',
    async run({ file: name, agent, show }, { client, io }) {
      const agentId = agent ?? (await defaultAgent(client));
      if (show !== undefined) {
        const version = await client.get<{ text: string | null }>(
          path`/api/agents/${agentId}/files/${name}/versions/${show}`,
        );
        return { json: version, text: version.text ?? '' };
      }
      const { versions } = await client.get<{ versions: readonly FileVersion[] }>(
        path`/api/agents/${agentId}/files/${name}/versions`,
      );
      const text = listText(
        versions,
        {
          id: (version) => version.id,
          at: (version) => formatTime(version.at, io.environment.timezone),
          by: (version) => version.author,
          size: (version) => (version.version === null ? 'no file' : countOf(version.chars, 'character')),
          '': (version) => (version.isCurrent ? 'as it is now' : ''),
        },
        `No version of ${name} is kept: it was not edited through the gateway yet.`,
      );
      return { json: { versions }, text };
    },
  }),
  command({
    path: 'context restore',
    summary: 'put a kept version of a bootstrap file back; this can be undone like any edit',
    args: { '<file>': 'the name of the file, such as AGENTS.md', '<id>': 'the version, as "context history" lists it' },
    options: AGENT_OPTION,
    examples: ['context restore AGENTS.md 12'],
    needs: 'gateway',
    async run({ file: name, id, agent }, { client }) {
      if (!/^\d{1,15}$/.test(id))
        throw new BadFlagError({ flag: 'id', value: id, expected: 'the number of a version' });
      const { agentId, before } = await readFile(client, agent, name);
      const body = { id: Number(id), version: before.version, from: 'cli' };
      const { file } = await client.post<{ file: BootstrapText }>(
        path`/api/agents/${agentId}/files/${name}/restore`,
        body,
      );
      return { json: { file }, text: line(describe(file, before)) };
    },
  }),
];

const MOST_BYTES = 2 * 1024 * 1024;

async function readFile(client: GatewayClient, agent: string | undefined, name: string) {
  const agentId = agent ?? (await defaultAgent(client));
  const { file } = await client.get<{ file: BootstrapText }>(path`/api/agents/${agentId}/files/${name}`);
  return { agentId, before: file };
}

async function defaultAgent(client: GatewayClient): Promise<string> {
  const { agents } = await client.get<{ agents: readonly { agentId: string; isDefault: boolean }[] }>('/api/agents');
  return agents.find(({ isDefault }) => isDefault)?.agentId ?? 'main';
}

function describe({ path: place, text, version }: BootstrapText, before: BootstrapText): string {
  if (version === before.version) return `${place} has this text already.`;
  if (text === null) return `${place} is removed.`;
  return `${place} has ${countOf(text.length, 'character')} now. The next run reads it.`;
}
