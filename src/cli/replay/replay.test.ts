// `atrium run replay` and `atrium runs replay` on the store of a real gateway, while it runs and after it.

import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { reply, toolCall } from '../../testkit/model-server.ts';
import { on } from '../../testkit/on.ts';
import { ScratchGateway } from '../../testkit/scratch-gateway.ts';
import { runInHome } from '../fixtures/run-in-home.ts';

let scratch: ScratchGateway;
let runId: string;
beforeEach(async () => {
  scratch = await ScratchGateway.open({
    files: { 'workspace/AGENTS.md': '# Rules\n\nBe brief.\nBe kind.\n', 'workspace/SOUL.md': 'Calm.\n' },
    now: () => Date.parse('2026-05-08T23:30:00Z'),
    provider: { models: [{ id: 'small', cost: { input: 2, output: 10 } }, { id: 'large' }] },
    config: {
      bootstrap: {
        hooks: { 'time-context': { enabled: true } },
        rules: [{ id: 'friday', file: 'AGENTS.md', text: 'It is Friday.' }],
      },
    },
    register: (hooks) => {
      on(hooks, 'before_prompt_build', 'framer', () => ({
        prependContext: 'Framed.',
        appendSystemContext: 'The end.',
      }));
    },
  });
  scratch.model.script([toolCall('read', { path: 'SOUL.md' }), reply('Very well.')]);
  runId = (await scratch.channel.says({}, 'hello')).runId ?? '';
  await scratch.services.runs.wait(runId);
});
afterEach(() => scratch.close());

function atrium(...argv: string[]) {
  return runInHome(scratch.home.home, argv, { now: new Date('2026-05-09T10:00:00Z') });
}

async function file(name: string, text: string): Promise<string> {
  const path = join(scratch.home.home, name);
  await writeFile(path, text);
  return path;
}

describe('atrium run replay', () => {
  it('gives the same bytes, while the gateway runs and when it is down', async () => {
    for (const named of [runId, 'last']) {
      const { code, out, err } = await atrium('run', 'replay', named);
      expect([code, err]).toEqual([0, '']);
      expect(out).toMatch(/^ +1 +fake\/small +[\d,]+ +same bytes +[0-9a-f]{64}$/m);
      expect(out).toMatch(/^ +2 +fake\/small +[\d,]+ +same bytes +[0-9a-f]{64}$/m);
      expect(out).toContain('every request has the same bytes as the one that was sent.');
      await scratch.stop();
    }
    const json = JSON.parse((await atrium('run', 'replay', runId, '--json')).out);
    expect(json).toMatchObject({
      run: runId,
      same: true,
      calls: [
        { call: 1, same: true },
        { call: 2, same: true },
      ],
    });
    expect(json.calls[0].hash).toBe(json.calls[0].recordedHash);
  });

  it.each([
    ['a handler', 'time-context', /^ {2}- handler time-context +## Overnight$/m],
    ['a rule', 'friday', /^ {2}- rule friday +It is Friday\.$/m],
    ['a plugin, in the system prompt', 'framer', /^ {2}- before_prompt_build of framer +The end\.$/m],
    ['a plugin, in the message', 'framer', /^Message 1: changed\n {2}- before_prompt_build of framer +Framed\.$/m],
    ['a file', 'SOUL.md', /^ {2}- SOUL\.md:1 +Calm\.$/m],
  ])('shows what is different without %s, by author', async (_, author, expected) => {
    const { code, out } = await atrium('run', 'replay', runId, '--without', author);
    expect(code).toBe(0);
    expect(out).toContain('With these changes, the run would have sent other bytes.');
    expect(out).toMatch(expected);
    expect(out.match(/^ {2}[-+] /gm)?.length).toBeLessThan(20);
  });

  it('takes another file, and another configuration', async () => {
    const path = await file('new.md', '# Rules\n\nBe brief.\nBe brave.\n');
    const other = await atrium('run', 'replay', runId, '--with-file', `AGENTS.md=${path}`);
    expect(other.out).toMatch(/^ {2}- AGENTS\.md:4 +Be kind\.$/m);
    expect(other.out).toMatch(/^ {2}\+ AGENTS\.md:4 +Be brave\.$/m);
    expect(other.out).not.toMatch(/^ {2}[-+] .*(?:Friday|Overnight)/m);
    const config = await file(
      'other.json',
      '{ "bootstrap": { "rules": [{ "id": "monday", "file": "AGENTS.md", "text": "It is Monday." }] } }',
    );
    const settings = await atrium('run', 'replay', runId, '--config', config);
    expect(settings.out).toMatch(/^ {2}- rule friday +It is Friday\.$/m);
    expect(settings.out).toMatch(/^ {2}\+ rule monday +It is Monday\.$/m);
    expect(settings.out).toMatch(/^ {2}- handler time-context +## Overnight$/m);
  });

  it('names the run that it has taken, and says why a new text is not in the prompt', async () => {
    const { out } = await atrium('run', 'replay', 'last');
    expect(out).toMatch(new RegExp(`^run +${runId}\nsession +agent:\\S+\nbegan +\\d{4}-`));
    const config = await file(
      'withheld.json',
      '{ "bootstrap": { "rules": [{ "id": "no-soul", "file": "SOUL.md", "mode": "remove" }] } }',
    );
    const other = await file('soul.md', 'Be bold.');
    const left = await atrium('run', 'replay', runId, '--config', config, '--with-file', `SOUL.md=${other}`);
    expect(left.out).toMatch(/Not in the prompt:\n {2}SOUL\.md: removed-by-handler/);
  });

  it('asks another model only when one is named, with tools from the record or refused', async () => {
    await scratch.stop();
    const before = scratch.model.requests.length;
    scratch.model.script([
      toolCall('read', { path: 'SOUL.md' }),
      toolCall('read', { path: 'AGENTS.md' }),
      reply('Quite so.', { usage: { input: 10, output: 2 } }),
    ]);
    const { code, out } = await atrium('run', 'replay', runId, '--model', 'fake/large', '--without', 'framer');
    expect(code).toBe(0);
    expect(out).toMatch(/^asked +fake\/large$/m);
    expect(out).toMatch(/^tools +read \(from the record\), read \(refused\)$/m);
    expect(out).toMatch(/^cost +unknown$/m);
    expect(out).toMatch(/The recorded answer\nVery well\.\n\nThe other answer\nQuite so\.\n/);
    const asked = scratch.model.requests.slice(before);
    expect(asked).toHaveLength(3);
    expect(asked[0]?.body).not.toContain('Framed.');
    expect(asked[1]?.body).toContain('Calm.');
    await scratch.start();
    expect(await scratch.store.count('runs')).toBe(1);
  });

  it('says which input is gone, and refuses what it does not know', async () => {
    await scratch.store.commit([{ remove: 'captures', where: { runId, call: 0 } }], { site: 'prune' });
    const gone = await atrium('run', 'replay', runId);
    expect(gone.code).toBe(1);
    expect(gone.out).toContain('cannot be composed again, because this is gone: the files, tools and edits');
    expect((await atrium('run', 'replay', 'run_nobody')).code).toBe(2);
  });

  it('refuses a name that nobody in the run has, and a file that is not there', async () => {
    const unknown = await atrium('run', 'replay', runId, '--without', 'nobody');
    expect(unknown.code).toBe(2);
    expect(unknown.err).toMatch(/--without "nobody" is not an author of this run: .*framer.*time-context.*AGENTS\.md/);
    const never = await atrium('run', 'replay', runId, '--call', '9');
    expect(never).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--call "9" is not a request of this run, which made \d requests?\./),
    });
    expect((await atrium('run', 'replay', runId, '--with-file', 'AGENTS.md')).err).toContain('NAME=PATH');
    expect((await atrium('run', 'replay', runId, '--with-file', 'AGENTS.md=no.md')).err).toContain('there is none');
    const endless = await atrium('run', 'replay', runId, '--with-file', 'AGENTS.md=/dev/zero');
    expect(endless.err).toContain('this is not a regular file');
    const other = await file('other.md', 'Be bold.');
    const typo = await atrium('run', 'replay', runId, '--with-file', `AGNTS.md=${other}`);
    expect(typo.code).toBe(2);
    expect(typo.err).toMatch(
      /--with-file "AGNTS\.md" is not the name or path of a file that this run read or missed: .*AGENTS\.md/,
    );
  });
});

describe('atrium runs replay', () => {
  it('sums up what a change would have done', async () => {
    scratch.model.script([reply('Again.')]);
    const second = await scratch.channel.says({}, 'again');
    await scratch.services.runs.wait(second.runId ?? '');
    const same = await atrium('runs', 'replay', '--since', '7d');
    expect([same.code, same.err]).toEqual([0, '']);
    expect(same.out).toMatch(/^runs +2\nsame bytes +2$/m);
    const path = await file('new.md', `# Rules\n\n${'Be brief. '.repeat(2_000)}\n`);
    const { out } = await atrium('runs', 'replay', '--since', '7d', '--with-file', `AGENTS.md=${path}`);
    expect(out).toMatch(/^changed +2$/m);
    expect(out).toMatch(/^tokens of the prompts +[\d,]+ +[\d,]+$/m);
    expect(out).toMatch(/^cost of the prompts +0\.\d+ +0\.\d+$/m);
    expect(out).toMatch(/^runs with cuts +0 +2$/m);
    expect(out).toContain(runId);
    const json = JSON.parse((await atrium('runs', 'replay', '--without', 'time-context', '--json')).out);
    expect(json).toMatchObject({ runs: 2, changed: 2, same: 0, before: { unpriced: 0 }, after: { unpriced: 0 } });
    expect(json.after.tokens).toBeLessThan(json.before.tokens);
    const none = await atrium('runs', 'replay', '--session', 'agent:none:main');
    expect([none.code, none.err]).toEqual([
      2,
      expect.stringContaining('--session "agent:none:main" is not the key of a session'),
    ]);
  });

  it('refuses a name that no run has, and counts the runs that do not have it', async () => {
    const other = await file('other.md', 'Be bold.');
    const nobody = await atrium('runs', 'replay', '--without', 'nobody');
    expect([nobody.code, nobody.err]).toEqual([
      2,
      expect.stringContaining('--without "nobody" is not an author of any of these runs.'),
    ]);
    expect(await atrium('runs', 'replay', '--with-file', `AGNTS.md=${other}`)).toMatchObject({
      code: 2,
      err: expect.stringContaining('--with-file "AGNTS.md" is not the name or path of a file that any of these runs'),
    });
    await rm(scratch.home.path('workspace/SOUL.md'));
    scratch.model.script([reply('Again.')]);
    const { runId: second = '' } = await scratch.channel.says({}, 'again');
    await scratch.services.runs.wait(second);
    const some = await atrium('runs', 'replay', '--without', 'SOUL.md');
    expect(some.code).toBe(0);
    expect(some.out).toMatch(/^changed +1$/m);
    expect(some.out).toMatch(/Not in the run, so nothing was changed:\n {2}1 × {2}SOUL\.md\n/);
  });

  it('says that prices are unknown, and counts what cannot be replayed', async () => {
    await scratch.home.write('openclaw.json', JSON.stringify({ agents: { defaults: { model: 'mirror/mirror' } } }));
    expect((await atrium('runs', 'replay')).out).toMatch(/^cost of the prompts +unknown +unknown$/m);
    await scratch.store.commit([{ remove: 'captures', where: { runId } }], { site: 'prune' });
    const { code, out } = await atrium('runs', 'replay');
    expect(code).toBe(0);
    expect(out).toMatch(/^not replayed +1$/m);
    expect(out).toContain('its requests (they were pruned');
  });
});
