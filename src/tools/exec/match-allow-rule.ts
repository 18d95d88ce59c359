// Which rule lets a command pass without asking: one that the operator wrote, such as `ls *`, or one that a person's
// "allow-always" left behind. Both are compared word by word with a command that parsed as one simple command.

import type { AllowRuleRow } from '../../store/tables.ts';
import { parseSimpleCommand } from './parse-simple-command.ts';
import { canRunOtherPrograms } from './runs-other-programs.ts';

export interface AskedCommand {
  readonly argv: readonly string[];
  /** Relative to the workspace, `.` for itself, after links were followed. */
  readonly cwd: string;
}

export interface AllowRules {
  /** As the operator wrote them. */
  readonly configured: readonly string[];
  /** The stored rules of the agent. */
  readonly stored: readonly Pick<AllowRuleRow, 'id' | 'argv' | 'cwd'>[];
}

/** How people know the rule that matched; undefined when none does. */
export function matchAllowRule(command: AskedCommand, { configured, stored }: AllowRules): string | undefined {
  const written = configured.find((text) => {
    const rule = parseAllowRule(text);
    return rule !== undefined && matches(rule, command);
  });
  if (written !== undefined) return written;
  return stored.find(({ argv, cwd }) => cwd === command.cwd && isSame(argv, command.argv))?.id;
}

export interface AllowRule {
  readonly words: readonly string[];
  /** True for a `*` at the end: any further words, or none. */
  readonly isOpen: boolean;
}

export function parseAllowRule(text: string): AllowRule | undefined {
  const trimmed = text.trim();
  const closed = trimmed.replace(/[ \t]+\*$/, '');
  const words = parseSimpleCommand(closed);
  return words && { words, isOpen: closed !== trimmed };
}

/** What is wrong with a rule that will never match, for the operator; undefined for one that may. */
export function problemOfRule(text: string): string | undefined {
  const rule = parseAllowRule(text);
  if (!rule) return 'it is not one simple command: words and quotes only, with "*" as the last word or not at all';
  const [program = ''] = rule.words;
  if (rule.isOpen && canRunOtherPrograms(program)) {
    return `${program} can run any other program, so that a rule for it must name every word`;
  }
  return undefined;
}

function matches({ words, isOpen }: AllowRule, { argv, cwd }: AskedCommand): boolean {
  const [program = ''] = argv;
  // `./build` is another file in every folder; the operator meant the one in the workspace.
  if (isRelativePath(program) && cwd !== '.') return false;
  if (!isOpen) return isSame(words, argv);
  return !canRunOtherPrograms(program) && isSame(words, argv.slice(0, words.length));
}

function isRelativePath(program: string): boolean {
  return program.includes('/') && !program.startsWith('/');
}

function isSame(words: readonly string[], others: readonly string[]): boolean {
  return words.length === others.length && words.every((word, index) => word === others[index]);
}
