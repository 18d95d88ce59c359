// Which names of the plugin SDK a file uses by static import, read from its compiled text. In a module, importing a name
// that does not exist is an error before anything runs; compiled code would notice only when it uses the name, perhaps in
// the middle of a run. Names that are looked up on the whole module are not among them: that is how plugins find out
// whether something is there.

export interface SdkImport {
  readonly specifier: string;
  readonly name: string;
}

export function findSdkImports(code: string): readonly SdkImport[] {
  if (!SDK_MENTIONED.test(code)) return [];
  const found = new Map<string, SdkImport>();
  const add = (specifier: string, name: string) => found.set(`${specifier}#${name}`, { specifier, name });
  for (const [, variable = '', specifier = ''] of code.matchAll(BOUND_TO_VARIABLE)) {
    // A namespace with the author's own name may be used to find out what exists.
    if (!COMPILERS_OWN_NAME.test(variable)) continue;
    const name = variable.replace(/\$/g, '\\$&');
    for (const [, used = ''] of code.matchAll(new RegExp(`(?<![\\w$.])${name}\\.([A-Za-z_$][\\w$]*)`, 'g'))) {
      if (used !== 'default') add(specifier, used);
    }
  }
  for (const [, names = '', specifier = ''] of code.matchAll(DESTRUCTURED)) {
    for (const name of names.split(',')) {
      // A name with a default value is optional.
      const [, plain] = /^\s*([A-Za-z_$][\w$]*)\s*(?::[^=]*)?$/.exec(name) ?? [];
      if (plain) add(specifier, plain);
    }
  }
  for (const [, specifier = '', name = ''] of code.matchAll(CALLED_AT_ONCE)) add(specifier, name);
  return [...found.values()];
}

const SPECIFIER = String.raw`["']((?:openclaw|clawdbot|moltbot|atrium)\/plugin-sdk(?:\/[^"'\s]*)?)["']`;
const SDK_MENTIONED = /(?:openclaw|clawdbot|moltbot|atrium)\/plugin-sdk/;
const LOADED = String.raw`(?:await\s+jitiImport|jitiRequire|require)\(\s*${SPECIFIER}\s*\)`;

const BOUND_TO_VARIABLE = new RegExp(String.raw`(?:var|let|const)\s+([A-Za-z_$][\w$]*)\s*=\s*${LOADED}`, 'g');
/** As babel, TypeScript and esbuild call what they bind an import to. */
const COMPILERS_OWN_NAME = /^_|_\d+$|^import_/;
/** Of `require`, as people write it in CommonJS. */
const DESTRUCTURED = new RegExp(String.raw`(?:var|let|const)\s+\{([^{}]*)\}\s*=\s*require\(\s*${SPECIFIER}\s*\)`, 'g');
/** How minifiers write an import that is used once; a plugin that only looks for a name does not write it so. */
const CALLED_AT_ONCE = new RegExp(String.raw`\(\s*0\s*,\s*${LOADED}\.([A-Za-z_$][\w$]*)\s*\)`, 'g');
