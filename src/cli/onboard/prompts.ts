// The questions of onboarding in a terminal, drawn by @clack/prompts, which is loaded when the first one is asked. Ctrl-C at any of
// them rejects with OnboardCancelledError; nothing is written before the last one is answered.

import { OnboardCancelledError } from '../errors.ts';
import { visibleLine } from '../output/text.ts';

export interface Choice<Value> {
  readonly value: Value;
  readonly label: string;
  readonly hint?: string | undefined;
}

export interface Prompts {
  intro(text: string): void;
  note(text: string): void;
  outro(text: string): void;
  choose<Value>(question: string, choices: readonly Choice<Value>[]): Promise<Value>;
  /** One of many names, found by typing a part of it. */
  pick(question: string, names: readonly string[], first?: string): Promise<string>;
  /** `check` returns what is wrong with the answer. */
  text(
    question: string,
    given: { readonly placeholder?: string; check?(text: string): string | undefined },
  ): Promise<string>;
  secret(question: string, check: (text: string) => string | undefined): Promise<string>;
  confirm(question: string, initial: boolean): Promise<boolean>;
  /** Shows that something takes its time, and then what came of it. */
  during<Value>(text: string, work: () => Promise<Value>, done: (value: Value) => string): Promise<Value>;
}

/** So many names are shown at once. */
const FEW = 8;

export async function openPrompts(): Promise<Prompts> {
  const clack = await import('@clack/prompts');
  const answered = <Value>(value: Value): Exclude<Value, symbol> => {
    if (clack.isCancel(value)) throw new OnboardCancelledError();
    return value as Exclude<Value, symbol>;
  };
  return {
    intro: (text) => clack.intro(text),
    note: (text) => clack.log.info(visibleLine(text)),
    outro: (text) => clack.outro(text),
    choose: async (message, choices) => {
      // The library is handed positions, because its types want to know the values.
      const options = choices.map(({ label, hint }, value) => ({
        value,
        label: visibleLine(label),
        ...(hint !== undefined && { hint: visibleLine(hint) }),
      }));
      const at = answered(await clack.select({ message, options }));
      return (choices[at] as Choice<never>).value;
    },
    pick: async (message, names, initialValue) => {
      const options = names.map((value) => ({ value, label: visibleLine(value) }));
      const initial = initialValue !== undefined && names.includes(initialValue) && { initialValue };
      if (options.length <= FEW) return answered(await clack.select({ message, options, ...initial }));
      const placeholder = 'type a part of the name';
      return answered(await clack.autocomplete({ message, options, maxItems: FEW, placeholder, ...initial }));
    },
    text: async (message, { placeholder, check }) =>
      answered(
        await clack.text({
          message,
          ...(placeholder !== undefined && { placeholder }),
          validate: (text = '') => check?.(text.trim()),
        }),
      )?.trim() ?? '',
    secret: async (message, check) =>
      answered(await clack.password({ message, validate: (text = '') => check(text.trim()) })).trim(),
    confirm: async (message, initialValue) => answered(await clack.confirm({ message, initialValue })),
    during: async (text, work, done) => {
      const spinner = clack.spinner({ cancelMessage: 'Nothing was written.' });
      spinner.start(text);
      const value = await work();
      if (spinner.isCancelled) throw new OnboardCancelledError();
      spinner.stop(visibleLine(done(value)));
      return value;
    },
  };
}
