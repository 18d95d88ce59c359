// Values that must survive a reload and stay in this browser: the token, the browser's name, what is being written, and words
// that the gateway has not accepted yet. What was said is kept by the gateway alone. A browser may refuse to store anything; the page then
// works without.

export const browserMemory = {
  get(name: string): string | undefined {
    try {
      return localStorage.getItem(PREFIX + name) || undefined;
    } catch {
      return undefined;
    }
  },

  /** Gives an empty list when there is none, or when it cannot be read. */
  getList<Item>(name: string): readonly Item[] {
    try {
      return JSON.parse(this.get(name) ?? '[]') as Item[];
    } catch {
      return [];
    }
  },

  set(name: string, value: string): void {
    try {
      localStorage.setItem(PREFIX + name, value);
    } catch {}
  },

  /** Removes every value whose name begins with one of these. */
  removeAll(beginnings: readonly string[]): void {
    try {
      for (const key of Object.keys(localStorage))
        if (beginnings.some((each) => key.startsWith(PREFIX + each))) localStorage.removeItem(key);
    } catch {}
  },

  remove(name: string): void {
    try {
      localStorage.removeItem(PREFIX + name);
    } catch {}
  },
};

const PREFIX = 'atrium.';
