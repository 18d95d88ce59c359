// What a person who started a gateway wants to know first: its address, its agents and models, and its warnings.

import type { Services } from '../../gateway/services/services.ts';
import { docsCommand } from '../../protocol/documents.ts';
import { oneLine } from '../output/text.ts';
import { unusedLines } from '../output/unused-settings.ts';

export interface BannerFacts {
  readonly services: Pick<Services, 'status'>;
  readonly url: string;
  readonly token: string;
  readonly tokenSource: string;
  /** Other machines can connect to it. */
  readonly isReachable: boolean;
  /** Warnings that were printed already. */
  readonly told: readonly string[];
  /** Whether the configuration names the model of this agent. */
  readonly isModelConfigured?: ((agentId: string) => boolean) | undefined;
  /** Whether the home holds conversations of OpenClaw. Asked only when there is no conversation here yet. */
  readonly hasOpenClawState?: (() => Promise<boolean>) | undefined;
}

export async function formatBanner({
  services,
  url,
  token,
  tokenSource,
  isReachable,
  told,
  isModelConfigured = () => false,
  hasOpenClawState = async () => false,
}: BannerFacts): Promise<string> {
  const { version, agents, channels, store, waiting, deadLetters, unused, ...status } = await services.status({
    kinds: false,
  });
  const warnings = status.warnings.filter((warning) => !told.includes(warning));
  const lines = [
    `Atrium ${version} is ready.`,
    '',
    `  talk       ${url}/#token=${token}`,
    '             or in another terminal: atrium chat',
    `  api        ${url}/v1, for any OpenAI client; the key is the token`,
    `  token      ${tokenSource === 'config' ? 'as configured' : tokenSource}`,
    `  store      ${store}`,
    ...nodeLines(status.nodes ?? []),
    `  channels   ${channels.map(({ id }) => id).join(', ')}`,
    ...agents.map(
      ({ agentId, name, model, workspaceDir, isDefault }, index) =>
        `  ${index === 0 ? 'agents    ' : '          '} ${agentId}${name === undefined || name === agentId ? '' : ` "${oneLine(name)}"`}${isDefault ? ' (default)' : ''}: ${model}, ${workspaceDir}`,
    ),
  ];
  const letters = deadLetters.in + deadLetters.out;
  if (waiting > 0)
    lines.push(
      '',
      `  ${waiting} message${waiting === 1 ? '' : 's'} from before ${waiting === 1 ? 'is' : 'are'} being answered.`,
    );
  if (letters > 0) lines.push('', `  ${letters} dead letter${letters === 1 ? '' : 's'}: see atrium deadletters list.`);
  if (status.sessions === 0 && (await hasOpenClawState())) {
    lines.push(
      '',
      '  This home holds conversations, jobs or keys of OpenClaw. To bring them along, stop this gateway and run',
      `  atrium import openclaw (with --dry-run it only says what it would do). See ${docsCommand('moving-in')}.`,
    );
  }
  const mirrored = agents.filter(({ model }) => model.startsWith('mirror/'));
  if (mirrored.length > 0) {
    const isChosen = mirrored.every(({ agentId }) => isModelConfigured(agentId));
    // With many agents, it is told which of them answer with the mirror.
    const whose = mirrored.length === agents.length ? '' : ` of ${mirrored.map(({ agentId }) => agentId).join(', ')}`;
    const how = isChosen
      ? `The mirror is configured as the model${whose} and answers`
      : `No model${whose} is configured, so the mirror answers`;
    lines.push(
      '',
      `  ${how}: it says what a model would be sent.`,
      isChosen
        ? `  For a model, see ${docsCommand('models')}.`
        : `  Run atrium onboard, set ANTHROPIC_API_KEY or OPENAI_API_KEY, or see ${docsCommand('models')}.`,
    );
  }
  if (warnings.length > 0) lines.push('', ...warnings.map((warning) => `  warning    ${oneLine(warning)}`));
  if (unused.length > 0) lines.push('', ...unusedLines(unused).map((each) => `  ${each}`));
  if (isReachable) {
    lines.push('', '  Other machines can reach it. Everybody who has the token can talk to every agent.');
  }
  return `${lines.join('\n')}\n\n`;
}

/** Where several nodes may share the store: which one this is, and who else is there. */
function nodeLines(nodes: readonly { readonly node: string; readonly isHere: boolean }[]): readonly string[] {
  const here = nodes.find(({ isHere }) => isHere);
  if (!here) return [];
  const others = nodes.filter(({ isHere }) => !isHere).map(({ node }) => node);
  return [`  node       ${here.node}, ${others.length === 0 ? 'the only one so far' : `beside ${others.join(', ')}`}`];
}
