// Which variables a file may set: none that is read before the files are, and none that makes programs load other code.

export function isUsableVariable(name: string): boolean {
  return isVariableName(name) && !NOT_FROM_A_FILE.test(name);
}

/** Any other text is a mistake of its author. */
export function isVariableName(name: string): boolean {
  return NAME.test(name);
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;
const NOT_FROM_A_FILE = /^(?:OPENCLAW_.*|ATRIUM_.*|NODE_.*|LD_.*|DYLD_.*|HOME|USERPROFILE|PATH|SHELL|TZ)$/i;
