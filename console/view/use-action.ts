// One action at a time: which one goes on, and why the last one did not work.

import { useState } from 'preact/hooks';
import { sentenceOf } from '../console-state.ts';

export interface Action {
  /** The name of the action that goes on; empty when none does. */
  readonly busy: string;
  readonly problem: string;
  /** Gives whether it worked. */
  act(name: string, work: () => Promise<unknown>): Promise<boolean>;
  clear(): void;
}

export function useAction(): Action {
  const [busy, setBusy] = useState('');
  const [problem, setProblem] = useState('');
  return {
    busy,
    problem,
    clear: () => setProblem(''),
    act: async (name, work) => {
      setBusy(name);
      setProblem('');
      try {
        await work();
        return true;
      } catch (error) {
        setProblem(sentenceOf(error));
        return false;
      } finally {
        setBusy('');
      }
    },
  };
}
