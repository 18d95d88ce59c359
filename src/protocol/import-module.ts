// Imports a module whose name is only known when the program runs: a file of a plugin, a handler, a package. Code that
// V8 took from a cache cannot import anything by itself (Node does not know where it came from), so the code
// that loads the program that way says how it is done. Modules with a fixed name need none of this: the bundler resolves them.

let importNow = (specifier: string): Promise<unknown> => import(specifier);

export function importModule(specifier: string): Promise<unknown> {
  return importNow(specifier);
}

export function importWith(way: (specifier: string) => Promise<unknown>): void {
  importNow = way;
}
