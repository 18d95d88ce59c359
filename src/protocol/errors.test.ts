import { describe, expect, it } from 'vitest';
import { AtriumError, defineError, isAtriumError, RunInterruptedError, RunStoppedError } from './errors.ts';

class UnknownFruitError extends defineError({
  code: 'ATRIUM_FRUIT_UNKNOWN',
  status: 404,
  message: ({ fruit, known }: { fruit: string; known: readonly string[] }, cause: unknown) =>
    `There is no ${fruit}${cause ? ` (${cause})` : ''}. Take one of: ${known.join(', ')}.`,
  means: 'No fruit has this name.',
  remedy: 'Take another one.',
}) {
  readonly count = this.known.length;
}

class NoFruitError extends defineError({
  code: 'ATRIUM_FRUIT_NONE',
  message: 'The bowl is empty.',
  means: 'There is no fruit.',
  remedy: 'Buy some.',
}) {}

describe('an error', () => {
  it('is called by its class, makes its message from its facts, and keeps them and its cause', () => {
    const error = new UnknownFruitError({ fruit: 'kiwi', known: ['fig'] }, { cause: 'eaten' });
    expect(error).toMatchObject({
      name: 'UnknownFruitError',
      code: 'ATRIUM_FRUIT_UNKNOWN',
      status: 404,
      message: 'There is no kiwi (eaten). Take one of: fig.',
      fruit: 'kiwi',
      known: ['fig'],
      cause: 'eaten',
      count: 1,
    });
    expect(error.stack).toContain('UnknownFruitError');
    expect('cause' in new UnknownFruitError({ fruit: 'kiwi', known: [] })).toBe(false);
  });

  it('may have no facts, and is the fault of the gateway unless its definition says otherwise', () => {
    const cause = new Error('boom');
    expect(new NoFruitError({ cause })).toMatchObject({ message: 'The bowl is empty.', status: 500, cause });
    expect(new NoFruitError()).toBeInstanceOf(Error);
  });

  it('takes no fact under the name of a field that every error has', () => {
    defineError({
      code: 'ATRIUM_X_Y',
      // @ts-expect-error `status` is the HTTP status of the error.
      message: ({ status }: { status: number }) => `${status}`,
      means: '',
      remedy: '',
    });
  });

  it('is an instance of its own class, and of no other', () => {
    const error = new RunStoppedError({ reason: 'a test' });
    expect(error).toBeInstanceOf(RunStoppedError);
    expect(error).toBeInstanceOf(AtriumError);
    expect(error).not.toBeInstanceOf(RunInterruptedError);
  });
});

describe('an error of another copy of this package', () => {
  const foreign = Object.assign(new Error('from elsewhere'), { code: 'ATRIUM_RUN_STOPPED' });

  it('is known by its code', () => {
    expect(isAtriumError(foreign)).toBe(true);
    expect(foreign).toBeInstanceOf(AtriumError);
    expect(foreign).toBeInstanceOf(RunStoppedError);
    expect(foreign).not.toBeInstanceOf(RunInterruptedError);
  });

  it('is not taken for one when it has no such code', () => {
    const strangers = [
      new Error('x'),
      Object.assign(new Error('x'), { code: 'ENOENT' }),
      { code: 'ATRIUM_X' },
      null,
      'x',
    ];
    for (const stranger of strangers) {
      expect(isAtriumError(stranger)).toBe(false);
      expect(stranger).not.toBeInstanceOf(AtriumError);
    }
  });
});
