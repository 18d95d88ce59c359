import { execFileSync } from 'node:child_process';
import { readFile, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, runAtrium } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { fail, hang, reply } from '../../testkit/model-server.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';

describe('without a gateway', () => {
  test('it runs its own for the one message, and leaves nothing running', async () => {
    const home = await ScratchHome.create();
    onTestFinished(() => home.remove());
    const ask = (message: string) => runAtrium(['agent', '--message', message], { home: home.home });
    expect(await ask('say first')).toEqual({ code: 0, out: 'first\n', err: '' });
    expect(await ask('say second')).toEqual({ code: 0, out: 'second\n', err: '' });
    expect((await runAtrium(['agent', '--message', '-'], { home: home.home, input: 'say from a pipe\n' })).out).toBe(
      'from a pipe\n',
    );
    const words = (...argv: readonly string[]) =>
      runAtrium(['agent', ...argv], { home: home.home, input: 'say piped\n' });
    expect((await words('say', 'several words')).out).toBe('several words\n');
    expect((await words('-m', 'say short')).out).toBe('short\n');
    expect((await words('-')).out).toBe('piped\n');
  });

  test.each([
    ['no message', [], /There is no message\. Write it behind the command/],
    ['two messages', ['-m', 'one', 'two'], /given twice: with --message, and as "two"/],
    ['a message without text', [' '], /The text " " is not a message/],
    ['an empty standard input', ['-'], /Standard input was empty, so there is no message/],
    ['a misspelt flag', ['--mesage', 'hi'], /unknown option '--mesage'\s+\(Did you mean --message\?\)/],
  ])('%s is refused before a gateway is started', async (_, argv, sentence) => {
    const home = await ScratchHome.create();
    onTestFinished(() => home.remove());
    const { code, out, err } = await runAtrium(['agent', ...argv], { home: home.home });
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  });

  test('two at once share the gateway of the first', async () => {
    const home = await ScratchHome.create();
    onTestFinished(() => home.remove());
    const ask = (word: string) => runAtrium(['agent', '--message', `say ${word}`], { home: home.home });
    const answers = await Promise.all([ask('one'), ask('two')]);
    expect(answers).toEqual([
      { code: 0, out: 'one\n', err: '' },
      { code: 0, out: 'two\n', err: '' },
    ]);
  });
});

describe('with a gateway', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await GatewayProcess.create({
      config: {
        agents: {
          list: [
            { id: 'main', default: true, model: 'fake/small' },
            { id: 'coder', model: 'fake/large' },
          ],
        },
      },
    });
    await gateway.start();
  });
  afterAll(() => gateway.close());
  const agent = (...flags: readonly string[]) => runAtrium(['agent', ...flags], { home: gateway.home.home });

  test('Ctrl-C stops the run, and the command says so', async () => {
    gateway.model.script([hang('Half')]);
    const before = gateway.model.requests.length;
    const asking = new AtriumProcess(['agent', '--message', 'write on', '--json'], { home: gateway.home.home });
    onTestFinished(() => asking.kill());
    await gateway.model.waitForRequests(before + 1);
    asking.signal('SIGINT');
    await asking.until('Stopping the run. Once more leaves at once.');
    expect(await asking.ended()).toBe(2);
    const { runId } = JSON.parse(asking.out) as { runId: string };
    expect((await gateway.json<{ run: { status: string } }>(`/api/runs/${runId}`)).run.status).toBe('stopped');
  });

  test('the answer is printed', async () => {
    gateway.model.script([reply('Fine, \x1b[31mthanks.')]);
    expect(await agent('--message', 'how are you?')).toEqual({ code: 0, out: 'Fine, [31mthanks.\n', err: '' });
  });

  test('files go along, and one that cannot be read is named before anything is sent', async () => {
    await gateway.home.write('notes.txt', 'bring bread');
    await gateway.home.write('list.csv', 'a,b');
    gateway.model.script([reply('Read.')]);
    const file = (name: string) => join(gateway.home.stateDir, name);
    const flags = ['--file', file('notes.txt'), '--file', file('list.csv')];
    expect(await agent('--message', 'read them', ...flags)).toEqual({ code: 0, out: 'Read.\n', err: '' });
    const body = gateway.model.requests.at(-1)?.body ?? '';
    expect(body).toContain('[Attachment: notes.txt, text/plain, 11 bytes.');
    expect(body).toContain('> bring bread');
    expect(body).toContain('[Attachment: list.csv, text/plain, 3 bytes.');
    const sent = gateway.model.requests.length;
    const missing = await agent('--message', 'read it', '--file', file('none.txt'));
    expect(missing.code).toBe(2);
    expect(missing.err).toMatch(/none\.txt.*there is none/);
    expect(gateway.model.requests).toHaveLength(sent);
  });

  test('what is no file, is empty or is too large is refused with a sentence, and nothing waits for its end', async () => {
    const file = (name: string) => join(gateway.home.stateDir, name);
    await gateway.home.write('empty.txt', '');
    await gateway.home.write('large.bin', 'x');
    await truncate(file('large.bin'), 100 * 1_048_576);
    execFileSync('mkfifo', [file('pipe')]);
    const sent = gateway.model.requests.length;
    for (const [path, why] of [
      ['/dev/zero', 'this is not a regular file'],
      [file('pipe'), 'this is not a regular file'],
      [file('empty.txt'), 'it is empty'],
      [file('large.bin'), 'it is larger than 35 MB'],
      [gateway.home.stateDir, 'this is a folder'],
    ] as const) {
      const { code, err } = await agent('--message', 'read it', '--file', path);
      expect(err).toContain(`--file ${JSON.stringify(path)} is not a file to send: ${why}.`);
      expect(code).toBe(2);
    }
    const input = 'x'.repeat(4_100_000);
    const long = await runAtrium(['agent', '--message', '-'], { home: gateway.home.home, input });
    expect(long.code).toBe(2);
    expect(long.err).toContain('standard input has more than 1,000,000 characters');
    expect(gateway.model.requests).toHaveLength(sent);
  });

  test('a configuration that was broken meanwhile does not keep anyone from asking', async () => {
    const before = await readFile(join(gateway.home.stateDir, 'openclaw.json'), 'utf8');
    onTestFinished(() => gateway.home.write('openclaw.json', before));
    await gateway.home.write('openclaw.json', '{ broken');
    gateway.model.script([reply('Still here.')]);
    const asked = await runAtrium(['agent', '--message', 'are you there?'], {
      home: gateway.home.home,
      env: { OPENCLAW_GATEWAY_TOKEN: gateway.token },
    });
    expect(asked).toEqual({ code: 0, out: 'Still here.\n', err: '' });
  });

  test('an agent that does not reply prints no empty line, and one that says nothing has failed', async () => {
    gateway.model.script([reply('NO_REPLY')]);
    expect(await agent('--message', 'this is not for you')).toEqual({
      code: 0,
      out: '',
      err: 'atrium: The agent chose not to reply.\n',
    });
    gateway.model.script([reply('')]);
    expect(await agent('--message', 'and now?')).toEqual({
      code: 2,
      out: '',
      err: expect.stringMatching(/^atrium: The model fake\/small answered with nothing \(stop\)/),
    });
  });

  test('--json prints the run, --agent and --session choose', async () => {
    gateway.model.script([reply('Compiled.')]);
    const { code, out } = await agent('--message', 'go', '--agent', 'coder', '--session', 'build', '--json');
    expect(code).toBe(0);
    expect(JSON.parse(out)).toMatchObject({
      status: 'done',
      agentId: 'coder',
      sessionKey: 'agent:coder:build',
      outcome: { reply: 'Compiled.', model: 'large' },
    });
  });

  test('a run that fails is a sentence and exit code 2, also as JSON', async () => {
    gateway.model.script([fail(401), fail(401)]);
    const failed = await agent('--message', 'hello');
    expect([failed.code, failed.out]).toEqual([2, '']);
    expect(failed.err).toMatch(/^atrium: The model fake\/small did not answer \(auth\): .*\n$/);
    const { code, out } = await agent('--message', 'hello', '--json');
    expect(code).toBe(2);
    expect(JSON.parse(out)).toMatchObject({ status: 'failed' });
  });

  test.each([
    ['no text', ['--message', ' '], /^atrium: --message " " is not a message/],
    ['an unknown agent', ['--message', 'x', '--agent', 'codr'], /^atrium: There is no agent "codr".*coder/],
    ['a session that is none', ['--message', 'x', '--session', 'agent:'], /^atrium: "agent:" cannot be a session key/],
  ])('%s is refused in a sentence', async (_, flags, sentence) => {
    const { code, out, err } = await agent(...flags);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  });
});

test('a gateway that dies before the answer is found again, and the message is answered once', async () => {
  const gateway = await GatewayProcess.create();
  onTestFinished(() => gateway.close());
  await gateway.start();
  gateway.model.script([hang('Half')]);
  const agent = new AtriumProcess(['agent', '--message', 'question'], { home: gateway.home.home });
  onTestFinished(() => agent.kill());
  await gateway.model.waitForRequests(1);
  gateway.model.script([reply('Whole.')]);
  await gateway.kill();
  await gateway.start();
  expect(await agent.ended()).toBe(0);
  expect([agent.out, agent.err]).toEqual(['Whole.\n', '']);
  expect(gateway.model.requests).toHaveLength(2);
});
