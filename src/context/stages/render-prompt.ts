// Writes the layers down as the system prompt: stable text first, then the cache boundary, then what changes by
// session and by run. The only stage that adds words of Atrium's own; each is a span of origin `product`.

import type { CompositionState, Layer, PromptBlock, Stage } from '../composition.ts';
import { product } from '../provenance/origin.ts';
import { joinRopes, type Rope, type Span } from '../provenance/rope.ts';
import type { Skill } from '../sources/skills.ts';

export const renderPrompt: Stage = {
  name: 'render',
  pure: true,
  summary: 'write the layers down: stable text, the cache boundary, then what changes',
  run(state: CompositionState): CompositionState {
    const { workspaceDir, situation } = state.input;
    const blocks: PromptBlock[] = SECTIONS.map(({ stability, heading }) => {
      const layers = state.layers.filter((layer) => layer.stability === stability);
      const aboutSession = stability === 'session' && situation.sessionType === 'subagent' ? subagentContext() : [];
      const rope = joinRopes(aboutSession, section(heading, layers), cutNotice(state, stability));
      return { id: stability, stability, rope };
    });
    const opening = joinRopes(
      preamble(workspaceDir, situation.agentId),
      catalogue(state.skills),
      blocks[0]?.rope ?? [],
    );
    blocks[0] = { id: 'static', stability: 'static', rope: opening };
    return { ...state, blocks: blocks.filter((block) => block.rope.length > 0) };
  },
};

/** The sections in the order of the prompt; the cache boundary is behind the first. */
const SECTIONS = [
  { stability: 'static', heading: '# Project Context' },
  { stability: 'session', heading: '# Session Context' },
  { stability: 'run', heading: '# Run Context' },
] as const;

/** Further cuts are summed up, because the notice must not use up the budget itself. */
const MAX_NOTED_CUTS = 20;

/** Tells the agent which lines it does not see, so that it can read them. */
function cutNotice({ cuts, input }: CompositionState, stability: PromptBlock['stability']): Rope {
  if (!input.policy.cutNotice) return [];
  const noted = cuts.filter((cut) => cut.stability === stability);
  if (noted.length === 0) return [];
  const lines = noted
    .slice(0, MAX_NOTED_CUTS)
    .map(
      ({ file, source, lines, chars }) => `- ${source ?? file}, lines ${lines[0]} to ${lines[1]} (${chars} characters)`,
    );
  const more = noted.length > MAX_NOTED_CUTS ? [`- and ${noted.length - MAX_NOTED_CUTS} more places`] : [];
  const text = [
    '',
    '## Cut to fit',
    '',
    'These parts did not fit and are not shown above. Read the files when details matter.',
    '',
    ...lines,
    ...more,
    '',
  ];
  return [ours('cut-notice', text.join('\n'))];
}

function preamble(workspaceDir: string, agentId: string | undefined): Rope {
  const name = agentId ? `the agent "${agentId}"` : 'an agent';
  const lines = [
    `You are ${name}, running in Atrium, a gateway that brings people's messages to you and your replies to them.`,
    '',
    '## Workspace',
    '',
    `Your working directory is ${workspaceDir}. The sections under "# Project Context" are files of that workspace, as they are now; follow them.`,
    'Text between [brackets] that speaks of missing or truncated content was put there by Atrium: read the named file when you need the rest.',
    '',
  ];
  return [ours('preamble', lines.join('\n'))];
}

/** What is different for an agent that works for another session. */
function subagentContext(): Rope {
  const lines = [
    '',
    '## Subagent Context',
    '',
    'Another session handed you a task and goes on without you. No person reads what you write here.',
    '- Do the task that follows "[Subagent Task]", and nothing beyond it. Read first what the task tells you to read.',
    '- Your last answer is the result, and it is handed back by itself. Write it as plain text that stands alone: what you found or did, where it is, and what is missing.',
    '- Use the tool `message` only when the task tells you to write to a certain person or place. Otherwise let the session that asked deliver your result.',
    '- When the task cannot be done, say so and why. Nobody can answer questions here.',
    '',
  ];
  return [ours('subagent-context', lines.join('\n'))];
}

function catalogue(skills: readonly Skill[]): Rope {
  if (skills.length === 0) return [];
  const rope: Span[] = [
    ours('skills', "\n## Skills\n\nRead the file at a skill's location before you use the skill.\n\n"),
  ];
  for (const skill of skills) {
    const origin = { kind: 'file', path: skill.path, derived: true } as const;
    rope.push(ours('skills', '- '), { text: skill.name, origin });
    if (skill.description) rope.push(ours('skills', ': '), { text: skill.description, origin });
    rope.push(ours('skills', ` (${skill.path})\n`));
  }
  return rope;
}

function section(heading: string, layers: readonly Layer[]): Rope {
  if (layers.length === 0) return [];
  const rope: Span[] = [ours('heading', `\n${heading}\n`)];
  for (const layer of layers)
    rope.push(ours('heading', `\n## ${layer.title}\n\n`), ...layer.rope, ours('heading', '\n'));
  return rope;
}

function ours(part: string, text: string): Span {
  return { text, origin: product(part) };
}
