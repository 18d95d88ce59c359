import { expect, it } from 'vitest';
import { workspaceForEachTest } from '../../../testkit/for-each-test.ts';
import { CI_TEXT, type CiModeSettings, createCiModeHandler } from './handler.ts';

const scratch = workspaceForEachTest({ 'AGENTS.md': 'rules', 'USER.md': 'user', 'HEARTBEAT.md': 'beat' });

async function composed(settings: CiModeSettings | undefined, situation = {}) {
  const undo = scratch.register('ci-mode', createCiModeHandler(settings));
  const composition = await scratch.compose(situation);
  undo();
  return composition;
}
const present = ({ files }: Awaited<ReturnType<typeof composed>>) =>
  files.filter(({ missing }) => !missing).map(({ name }) => name);

it('does nothing outside of a pipeline', async () => {
  const plain = await scratch.compose();
  expect((await composed(undefined)).prompt.text).toBe(plain.prompt.text);
  expect((await composed({ ci: false, force: false })).prompt.text).toBe(plain.prompt.text);
});

it.each([
  ['by the environment', { ci: true }, {}],
  ['by the session', {}, { sessionType: 'ci' }],
  ['by force', { force: true }, {}],
])('takes out what needs a person and says so, when this is a pipeline: %s', async (_, settings, situation) => {
  const composition = await composed(settings, situation);
  expect(present(composition)).toEqual(['AGENTS.md']);
  expect(composition.files.find(({ name }) => name === 'AGENTS.md')?.content).toBe(`rules\n\n---\n\n${CI_TEXT}`);
  expect(composition.report.absences).toContainEqual(
    expect.objectContaining({ what: 'USER.md', reason: 'removed-by-handler', by: 'ci-mode' }),
  );
});

it('says what it is told to say, or nothing', async () => {
  expect((await composed({ ci: true, text: 'Hurry.' })).prompt.text).toContain('Hurry.');
  const silent = await composed({ ci: true, text: '' });
  expect(silent.files.find(({ name }) => name === 'AGENTS.md')?.content).toBe('rules');
  expect(present(silent)).toEqual(['AGENTS.md']);
});

it('speaks to openboa agents in their own file', async () => {
  await scratch.write('AGENT.md', 'agent');
  expect((await composed({ ci: true }, { taxonomy: 'openboa' })).prompt.text).toContain(`agent\n\n---\n\n${CI_TEXT}`);
});
