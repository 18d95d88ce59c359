// Something that is loaded by the first who needs it, and kept. When loading fails, the next one tries again.

export function loadOnce<T>(load: () => T | Promise<T>): () => Promise<T> {
  let loading: Promise<T> | undefined;
  return () => {
    loading ??= Promise.resolve()
      .then(load)
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
}
