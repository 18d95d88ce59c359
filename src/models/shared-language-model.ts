// A provider's language model, made once and used for every call, because making it builds the schemas of all its
// answers, which costs more than the rest of a call. Its `fetch` is set when it is made, but each call needs its own. A
// call is recognised by its signal, which the package passes to `fetch` and which is never fired.

import type { CallOptions, LanguageModel } from './wire-model.ts';

type StreamResult = Awaited<ReturnType<LanguageModel['doStream']>>;

export class SharedLanguageModel {
  readonly #make: (fetch: typeof globalThis.fetch) => Promise<LanguageModel>;
  readonly #fetches = new WeakMap<AbortSignal, typeof fetch>();
  #made: Promise<LanguageModel> | undefined;

  constructor(make: (fetch: typeof globalThis.fetch) => Promise<LanguageModel>) {
    this.#make = make;
  }

  /** Rejects with what the package or `fetch` throws. */
  async doStream(options: CallOptions, callFetch: typeof fetch): Promise<StreamResult> {
    const { signal } = new AbortController();
    this.#fetches.set(signal, callFetch);
    const model = await this.#model();
    return model.doStream({ ...options, abortSignal: signal });
  }

  #model(): Promise<LanguageModel> {
    this.#made ??= this.#make(async (input, init) => {
      const callFetch = init?.signal && this.#fetches.get(init.signal);
      if (!callFetch) throw new Error('the package did not say which call it is making');
      return callFetch(input, init);
    }).catch((error: unknown) => {
      this.#made = undefined;
      throw error;
    });
    return this.#made;
  }
}
