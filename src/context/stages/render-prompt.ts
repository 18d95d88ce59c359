// Writes the layers down as the system prompt: stable text first, then the cache boundary, then what changes by
// session and by run. The only stage that adds words of Atrium's own; each is a span of origin `product`.

import type { CompositionState, Layer, PromptBlock, Stage } from '../composition.ts';
import { product } from '../provenance/origin.ts';
import { joinRopes, type Rope, type Span } from '../provenance/rope.ts';
import type { Skill } from '../sources/skills.ts';

export const renderPrompt: Stage = {
  name: 'render',
  summary: 'write the layers down: stable text, the cache boundary, then what changes',
  run(state: CompositionState): CompositionState {
    const { input, layers } = state;
    const stable = section(
      '# Project Context',
      layers.filter((layer) => layer.stability === 'static'),
    );
    const bySession = section(
      '# Session Context',
      layers.filter((layer) => layer.stability === 'session'),
    );
    const byRun = section(
      '# Run Context',
      layers.filter((layer) => layer.stability === 'run'),
    );
    const blocks: PromptBlock[] = [
      {
        id: 'static',
        stability: 'static',
        rope: joinRopes(preamble(input.workspaceDir, input.situation.agentId), catalogue(input.skills), stable),
      },
      { id: 'session', stability: 'session', rope: bySession },
      { id: 'run', stability: 'run', rope: byRun },
    ];
    return { ...state, blocks: blocks.filter((block) => block.rope.length > 0) };
  },
};

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
