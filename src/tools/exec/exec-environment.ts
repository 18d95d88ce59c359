// The environment that commands are given: the few variables that every program expects, and those that the operator
// names. Everything else stays here, keys and tokens first of all. It is pure; the variables are handed in.

export type Variables = Readonly<Record<string, string | undefined>>;

export interface ExecEnvironment {
  readonly variables: Readonly<Record<string, string>>;
  /** Names that the operator asked for and that no command gets, because they make programs run something else. */
  readonly refused: readonly string[];
}

export function execEnvironment(given: Variables, named: readonly string[]): ExecEnvironment {
  const refused = named.filter((name) => !NAME.test(name) || HIJACKING.test(name));
  const wanted = new Set([...HARMLESS, ...named.filter((name) => !refused.includes(name))]);
  const taken = Object.entries(given).filter(
    (entry): entry is [string, string] =>
      entry[1] !== undefined && !entry[1].includes('\0') && (wanted.has(entry[0]) || LOCALE.test(entry[0])),
  );
  return {
    variables: { TERM: 'dumb', ...Object.fromEntries(taken), PATH: searchPath(given.PATH).join(':') },
    refused,
  };
}

/** Folders to look for programs in. An empty or relative one means the current folder, where an agent can put files. */
export function searchPath(path: string | undefined): readonly string[] {
  const folders = (path ?? '').split(':').filter((folder) => folder.startsWith('/') && !folder.includes('\0'));
  return folders.length > 0 ? folders : DEFAULT_PATH;
}

const DEFAULT_PATH: readonly string[] = ['/usr/local/bin', '/usr/bin', '/bin'];

const HARMLESS = 'PATH HOME USER LOGNAME SHELL LANG LANGUAGE TZ TERM TMPDIR'.split(' ');
const LOCALE = /^LC_[A-Z]+$/;
const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** They load code into programs or choose what programs run, so that a rule would no longer mean what it says. */
const HIJACKING = new RegExp(
  `^(?:${[
    'LD_.*',
    'DYLD_.*',
    'GIT_.*',
    'BASH_.*',
    'BASHOPTS|SHELLOPTS|ENV|IFS|PS4|CDPATH|GLOBIGNORE|PROMPT_COMMAND|FPATH|ZDOTDIR',
    'NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE',
    'PYTHON(?:STARTUP|PATH|HOME|INSPECT|USERBASE|BREAKPOINT|WARNINGS)',
    'PERL5?(?:OPT|LIB|DB)|PERL5SHELL|RUBY(?:OPT|LIB)|GEM_(?:HOME|PATH)|LUA_(?:INIT|PATH|CPATH).*|PHPRC|PHP_INI_SCAN_DIR',
    'JAVA_TOOL_OPTIONS|_JAVA_OPTIONS|JDK_JAVA_OPTIONS|CLASSPATH',
    'PAGER|MANPAGER|EDITOR|VISUAL|BROWSER|LESSOPEN|LESSCLOSE|MAKEFLAGS|MAKEFILES|RUSTC_WRAPPER|GCONV_PATH|LOCPATH|NLSPATH|HOSTALIASES|TERMINFO|TERMINFO_DIRS',
  ].join('|')})$`,
);
