import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { AtriumProcess, type AtriumProcessSettings, hasTerminals, runAtrium } from '../../testkit/atrium-process.ts';
import { GatewayProcess } from '../../testkit/gateway-process.ts';
import { after, fail, hang, reply } from '../../testkit/model-server.ts';
import { ScratchHome } from '../../testkit/scratch-home.ts';
import { VirtualScreen } from '../fixtures/virtual-screen.ts';

function open(argv: readonly string[], settings: AtriumProcessSettings): AtriumProcess {
  const process = new AtriumProcess(argv, settings);
  onTestFinished(() => process.kill());
  return process;
}

/** What a person sees in the terminal, now or soon. */
async function sees(chat: AtriumProcess, text: RegExp): Promise<void> {
  await expect.poll(() => seen(chat), { timeout: 30_000 }).toMatch(text);
}

function seen(chat: AtriumProcess): string {
  const screen = new VirtualScreen(80, 40);
  screen.write(chat.out);
  return screen.text;
}

describe('without a gateway', () => {
  test('each line of a pipe is answered in order, and the process ends by itself', async () => {
    const home = await ScratchHome.create();
    onTestFinished(() => home.remove());
    const { code, out, err } = await runAtrium(['chat'], { home: home.home, input: 'say one\n\nsay two\n/help' });
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^one\ntwo\n.*\/status/s);
  });
});

describe('with a gateway', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await GatewayProcess.create();
    await gateway.start();
  });
  afterAll(() => gateway.close());
  const pipe = (input: string, ...flags: readonly string[]) =>
    runAtrium(['chat', ...flags], { home: gateway.home.home, input });

  test('a pipe gets the answers of the running one', async () => {
    gateway.model.script([reply('It is **fine**.'), reply('Still.')]);
    expect(await pipe('how is it?\nand now?\n')).toEqual({ code: 0, out: 'It is **fine**.\nStill.\n', err: '' });
  });

  test('a message that cannot be answered does not hold up the next, and the exit code remembers', async () => {
    gateway.model.script([fail(401), reply('Better.')]);
    const { code, out } = await pipe('one\ntwo\n');
    expect(code).toBe(2);
    expect(out).toMatch(/^This message could not be answered\. .*\nBetter\.\n$/);
  });

  test('a mistyped command is answered without the agent, and two slashes send one', async () => {
    gateway.model.script([reply('A fine word.')]);
    const before = gateway.model.requests.length;
    const { code, out } = await pipe('/statsu\n/exti\n//statsu\n');
    expect(code).toBe(0);
    expect(out).toMatch(
      /^There is no command \/statsu\. Did you mean \/status\?.*\nThere is no command \/exti\. Did you mean \/exit\? .*\/\/exti\nA fine word\.\n$/,
    );
    expect(gateway.model.requests).toHaveLength(before + 1);
    const messages = gateway.model.requests.at(-1)?.json.messages as { readonly content: unknown }[];
    expect(messages.at(-1)?.content).toBe('/statsu');
  });

  test('a long answer comes whole', async () => {
    const long = Array.from({ length: 4_000 }, (_, line) => `This is line ${line} of the answer.`).join('\n');
    gateway.model.script([reply(long)]);
    const { code, out } = await pipe('tell me everything\n');
    expect(code).toBe(0);
    expect(out.split('\n').filter((line) => line !== '')).toEqual(long.split('\n'));
  });

  test.each([
    ['a session that is none', ['--session', 'agent:'], /cannot be a session key/],
    ['a session with a space', ['--session', 'a b'], /not a session key/],
    ['an agent that is none', ['--agent', 'nobody'], /There is no agent "nobody"/],
  ])('%s is refused in a sentence', async (_, flags, sentence) => {
    const { code, out, err } = await pipe('hello\n', ...flags);
    expect([code, out]).toEqual([2, '']);
    expect(err).toMatch(sentence);
  });

  test('--session talks in that session', async () => {
    gateway.model.script([reply('Noted.')]);
    await pipe('remember\n', '--session', 'work');
    const { session } = await gateway.json<{ session: { sessionKey: string } }>('/api/sessions/agent:main:work');
    expect(session.sessionKey).toBe('agent:main:work');
  });

  test('a message that is too long is not sent, and the chat goes on', async () => {
    gateway.model.script([reply('Short.')]);
    const { code, out, err } = await pipe(`${'x'.repeat(1_100_000)}\nshort\n`);
    expect([code, out]).toEqual([2, 'Short.\n']);
    expect(err).toMatch(/not sent: it is longer/);
  });
});

describe('a gateway that is started again in the middle of an answer', () => {
  test('is found again, and the answer is printed once', async () => {
    const gateway = await GatewayProcess.create();
    onTestFinished(() => gateway.close());
    await gateway.start();
    gateway.model.script([hang('Half of the ans')]);
    const chat = open(['chat'], { home: gateway.home.home });
    chat.type('question\n');
    await gateway.model.waitForRequests(1);
    await gateway.kill();
    gateway.model.script([reply('The whole answer.'), reply('Still here.')]);
    await gateway.start();
    await chat.until('The whole answer.');
    chat.type('next\n');
    chat.endInput();
    expect(await chat.ended()).toBe(0);
    expect(chat.out).toBe('The whole answer.\nStill here.\n');
  });
});

describe.skipIf(!hasTerminals)('in a terminal', () => {
  let gateway: GatewayProcess;
  beforeAll(async () => {
    gateway = await GatewayProcess.create();
    await gateway.start();
  });
  afterAll(() => gateway.close());
  const openTerminal = async () => {
    const chat = open(['chat'], { home: gateway.home.home, isTerminal: true });
    await chat.until('> ');
    return chat;
  };

  test('an answer streams, Ctrl-C stops it, Ctrl-D leaves, and the arrow keys remember the next time', async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    gateway.model.script([hang('Let me think'), after(finished, reply('Here it is.')), reply('Again.')]);
    const chat = await openTerminal();
    chat.type('a hard one\r');
    await chat.until('Let me think');
    chat.type('\x03');
    await chat.until('Stopped.');
    chat.type('an easy one\r');
    await gateway.model.waitForRequests(2);
    finish();
    await chat.until('Here it is.');
    await chat.until('> ', chat.out.lastIndexOf('Here it is.'));
    // The bytes have it several times, because an unfinished block is drawn again.
    expect(seen(chat).split('Here it is.')).toHaveLength(2);
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);

    const next = await openTerminal();
    next.type('\x1b[A\x1b[A\r');
    await next.until('Again.');
    expect(JSON.stringify(gateway.model.requests.at(-1)?.json.messages)).toMatch(/a hard one[^}]*}]$/);
    await next.until('> ', next.out.indexOf('Again.'));
    next.type('\x03');
    expect(await next.ended()).toBe(0);
  });

  test('a slow answer is seen once: rendered, with a line that says what is going on until then', async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    gateway.model.script([after(finished, reply('# Top\n\nIt is **fine**.\n\n| a | b |\n|---|---|\n| 1 | 2 |'))]);
    const chat = await openTerminal();
    chat.type('how is it?\r');
    await sees(chat, /> how is it\?\n\S (?:thinking|waiting) · \d+s$/);
    finish();
    await sees(chat, /> how is it\?\nTop\n\nIt is fine\.\n\na │ b\n──┼──\n1 │ 2\n>$/);
    chat.type('/exit now\r');
    expect(await chat.ended()).toBe(0);
  });

  test.each([
    ['NO_COLOR', { NO_COLOR: '1' }, 'It is **fine**.', /\x1b\[[\d;]*m/],
    ['TERM=dumb', { TERM: 'dumb' }, '# Top', /thinking|waiting ·|\x1b\[\d*A/],
  ])('%s is respected', async (_, env, shown, forbidden) => {
    gateway.model.script([reply('# Top\n\nIt is **fine**.')]);
    const chat = open(['chat'], { home: gateway.home.home, isTerminal: true, env });
    await chat.until('> ');
    chat.type('how is it?\r');
    await chat.until(shown);
    await sees(chat, /fine\*\*\.\n>$/);
    expect(chat.out).not.toMatch(forbidden);
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });

  test('Tab completes a command', async () => {
    const chat = await openTerminal();
    chat.type('/st\t');
    await chat.until('/st');
    chat.type('\t');
    await chat.until(/\/stop +\/status[\s\S]*> \/st/);
    const listed = chat.out.length;
    chat.type('a\t');
    await chat.until('tus', listed);
    chat.type('\r');
    await chat.until('Agent: main');
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });

  test('several pasted lines are one message, which Enter sends', async () => {
    gateway.model.script([reply('A poem.')]);
    const before = gateway.model.requests.length;
    const chat = await openTerminal();
    chat.type('\x1b[200~roses are red\rviolets are blue\x1b[201~');
    await chat.until('violets are blue');
    expect(gateway.model.requests).toHaveLength(before);
    chat.type('\r');
    await chat.until('A poem.');
    expect(gateway.model.requests).toHaveLength(before + 1);
    expect(gateway.model.requests.at(-1)?.body).toContain('roses are red\\nviolets are blue');
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });

  test('what is typed while an answer comes waits its turn', async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    gateway.model.script([after(finished, reply('First.')), reply('Second.')]);
    const before = gateway.model.requests.length;
    const chat = await openTerminal();
    chat.type('one\r');
    await gateway.model.waitForRequests(before + 1);
    chat.type('two\r');
    finish();
    await sees(chat, /First\.\n> two\nSecond\./);
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });

  test('a command that is answered at once does not wait for the answer that comes', async () => {
    let finish: () => void = () => {};
    const finished = new Promise<void>((resolve) => {
      finish = resolve;
    });
    gateway.model.script([after(finished, reply('First.')), reply('Second.'), hang('Let me think')]);
    const before = gateway.model.requests.length;
    const chat = await openTerminal();
    chat.type('one\r');
    await gateway.model.waitForRequests(before + 1);
    chat.type('two\r/status\r');
    await sees(chat, /> \/status\nAtrium [^\n]*\nAgent: main/);
    expect(chat.out).not.toContain('First.');
    finish();
    await sees(chat, /First\.\n> two\nSecond\./);
    expect(seen(chat).split('Agent: main')).toHaveLength(2);
    expect(chat.out).not.toContain('from elsewhere');

    chat.type('three\r');
    await chat.until('Let me think');
    chat.type('/stop\r');
    await sees(chat, /> \/stop\n[\s\S]*Stopping\./);
    await chat.until('> ', chat.out.indexOf('Stopping.'));
    chat.type('\x04');
    expect(await chat.ended()).toBe(0);
  });

  test('somebody who types is not disturbed by what is said elsewhere', async () => {
    gateway.model.script([reply('Answer for the other one.')]);
    const chat = await openTerminal();
    chat.type('half a sen');
    await chat.until('half a sen');
    await runAtrium(['chat'], { home: gateway.home.home, input: 'hello from a pipe\n' });
    await chat.until(/from elsewhere: hello from a pipe/);
    await chat.until(/Answer for the other one\.\s+.*> half a sen/);
    chat.type('\x03\x03');
    expect(await chat.ended()).toBe(0);
  });
});
