import { afterAll, beforeAll, expect, it } from 'vitest';
import { AtriumProcess, hasTerminals } from '../testkit/atrium-process.ts';
import { CliHome } from './fixtures/cli-home.ts';

let home: CliHome;
beforeAll(async () => {
  home = await CliHome.create();
});
afterAll(() => home.remove());

it('lists every topic with a line about it', async () => {
  const { code, out } = await home.run(['docs']);
  expect(code).toBe(0);
  expect(out).toMatch(/^ {2}models {2,}models and keys/m);
  expect(out).toMatch(/^ {2}remote-access {2}\S/m);
});

it('prints a document as it is, also by the name of its file', async () => {
  const { out } = await home.run(['docs', 'models']);
  expect(out).toMatch(/^# Models\n/);
  expect((await home.run(['docs', 'docs/models.md'])).out).toBe(out);
  expect(await home.runJson(['docs', 'models'])).toMatchObject({ topic: 'models', text: out });
});

it('says which topic was probably meant, and leads nowhere else', async () => {
  expect(await home.run(['docs', 'modles'])).toMatchObject({
    code: 2,
    out: '',
    err: 'atrium: There is no document "modles". Did you mean "atrium docs models"?\n',
  });
  expect((await home.run(['docs', 'moving'])).err).toContain('Did you mean "atrium docs moving-in"?');
  const { code, err } = await home.run(['docs', '../package.json']);
  expect({ code, err }).toEqual({
    code: 2,
    err: 'atrium: There is no document "../package.json". "atrium docs" lists those that there are.\n',
  });
});

it.skipIf(!hasTerminals)('uses the pager in a terminal and only there', async () => {
  const env = { PAGER: 'sed s/^/paged:/' };
  const shown = new AtriumProcess(['docs', 'vocabulary'], { home: home.home, env, isTerminal: true });
  await shown.until('paged:# Vocabulary');
  expect(await shown.ended()).toBe(0);
  const piped = new AtriumProcess(['docs', 'vocabulary'], { home: home.home, env });
  expect(await piped.ended()).toBe(0);
  expect(piped.out).toMatch(/^# Vocabulary\n/);
  const missing = new AtriumProcess(['docs', 'vocabulary'], {
    home: home.home,
    env: { PAGER: 'no-such-pager-here' },
    isTerminal: true,
  });
  await missing.until('# Vocabulary');
  expect(await missing.ended()).toBe(0);
});
