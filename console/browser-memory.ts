// What must survive a reload and stays in this browser: the token, the name of the surface, the last part that was
// shown, and words not yet accepted. A browser may refuse to keep anything; the page then works without.

export const browserMemory = {
  get(name: string): string | undefined {
    try {
      return localStorage.getItem(PREFIX + name) || undefined;
    } catch {
      return undefined;
    }
  },

  /** An empty list when there is none, or when it cannot be read. */
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

  remove(name: string): void {
    try {
      localStorage.removeItem(PREFIX + name);
    } catch {}
  },
};

const PREFIX = 'atrium.';
