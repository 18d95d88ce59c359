import { array, assert, constantFrom, property } from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Asking, type TakenAnswer } from './asking.ts';

const ANSWERS: readonly object[] = [
  { appendContext: 'Mind the gap.' },
  { appendContext: '' },
  { prependContext: 'Good morning.' },
  { appendSystemContext: 'Be kind.' },
  { prependContext: 'First.', appendContext: 'Last.' },
  { systemPrompt: 'You are a cat.' },
  { appendContext: null },
  {},
];

const HANDLER = { id: 'handler', owner: 'plugin', ephemeral: false };

function told({ changed, diff }: TakenAnswer): unknown {
  return { changed, diff: diff?.() };
}

function stateOf({ result, contributions, decidedBy, refusal, seen, isOver }: Asking): unknown {
  return { result, contributions, decidedBy, refusal, seen, isOver };
}

describe('Asking', () => {
  it('takes a text in the short way as it takes it in the long way, and every difference stays what it was', () => {
    const answers = array(constantFrom(...ANSWERS), { maxLength: 12 });
    assert(
      property(answers, (given) => {
        const event = { prompt: 'Hello.', messages: [] };
        const short = new Asking('before_prompt_build', event);
        const long = new Asking('before_prompt_build', event);
        const shortly = given.map((answer) => short.takeText(HANDLER, answer) ?? short.take(HANDLER, answer));
        const at = given.map((answer) => long.take(HANDLER, answer)).map(told);
        // The differences are asked for when all answers were taken, as a recorder does.
        expect(shortly.map(told)).toEqual(at);
        expect(stateOf(short)).toEqual(stateOf(long));
      }),
    );
  });

  it('has a short way for one text only, where answers add up', () => {
    const asking = new Asking('before_prompt_build', {});
    expect(asking.takeText(HANDLER, { appendContext: 'Mind the gap.' })?.changed).toEqual(['appendContext']);
    for (const answer of [{ appendContext: 1 }, { systemPrompt: 'No.' }, { appendContext: 'a', other: 1 }, 'a', null])
      expect(asking.takeText(HANDLER, answer)).toBeUndefined();
    expect(asking.takeText(HANDLER, Object.create({ appendContext: 'Inherited.' }))).toBeUndefined();
    expect(new Asking('message_sending', {}).takeText(HANDLER, { content: 'Other words.' })).toBeUndefined();
    expect(new Asking('before_agent_finalize', {}).takeText(HANDLER, { reason: 'Again.' })).toBeUndefined();
  });
});
