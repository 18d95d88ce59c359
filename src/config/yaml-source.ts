// A YAML configuration file. An edit is first tried as the smallest change of the text. Where that is not possible, the
// document is printed again, which keeps its comments but not every space. Either result is used only if it reads back
// correctly.

import { isDeepStrictEqual } from 'node:util';
import {
  type Document,
  isAlias,
  isCollection,
  isMap,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  Scalar,
  stringify,
  visit,
  type YAMLMap,
  type YAMLSeq,
} from 'yaml';
import { type ConfigPath, formatConfigPath, nestValue, withValueAt } from './config-path.ts';
import { type ConfigSource, refuseDeepValue } from './config-source.ts';
import { ConfigEditError, ConfigSyntaxError } from './errors.ts';

const PARSING = { merge: true, prettyErrors: false } as const;

export function parseYamlSource(file: string, text: string): ConfigSource {
  refuseDeepText(file, text);
  const lines = new LineCounter();
  const document = parseDocument(text, { ...PARSING, lineCounter: lines });
  const [error] = document.errors;
  if (error !== undefined) throw syntaxError(file, lines, error.pos[0], wordsOf(error.code, error.message), error);
  const value = toValue(file, document, lines);
  refuseDeepValue(file, value);
  return {
    file,
    format: 'yaml',
    text,
    value,
    lineOf: (path) => Math.max(1, lines.linePos(offsetOf(document, path)).line),
    edit: (path, replacement) => editText(file, text, value, path, replacement),
    remove: (path) => {
      const changed = parseDocument(text, PARSING);
      changed.deleteIn(path);
      return changed.toString();
    },
    comments: () => commentsOf(text),
  };
}

function toValue(file: string, document: Document, lines: LineCounter): unknown {
  try {
    return document.toJS() ?? {};
  } catch (error) {
    // Only aliases cannot be built: to a missing anchor, to themselves, or to far too many values.
    let offset = 0;
    visit(document, {
      Alias(_, alias) {
        if (alias.resolve(document) !== undefined) return undefined;
        offset = alias.range?.[0] ?? 0;
        return visit.BREAK;
      },
    });
    throw syntaxError(file, lines, offset, `this is not usable YAML: ${(error as Error).message}`, error);
  }
}

function syntaxError(
  file: string,
  lines: LineCounter,
  offset: number,
  problem: string,
  cause: unknown,
): ConfigSyntaxError {
  const { line, col } = lines.linePos(offset);
  return new ConfigSyntaxError({ file, line: Math.max(1, line), column: Math.max(1, col), problem }, { cause });
}

function wordsOf(code: string, message: string): string {
  if (code === 'MULTIPLE_DOCS') return 'a second YAML document begins here, and a configuration is one document';
  if (code === 'DUPLICATE_KEY') return 'this key was given before in the same place';
  return `this is not YAML: ${message.replace(/\.$/, '')}`;
}

/**
 * The parser recurses without a limit, and a deeply nested file would end the whole process, so the depth is measured
 * before.
 */
function refuseDeepText(file: string, text: string): void {
  const deepest = 100;
  let depth = 0;
  for (const token of new Lexer().lex(text)) {
    if (token === '[' || token === '{') depth++;
    else if (token === ']' || token === '}') depth--;
    if (depth > deepest) break;
  }
  if (depth > deepest || /^[ \t?:-]{800}/m.test(text)) {
    throw new ConfigSyntaxError({
      file,
      line: 1,
      column: 1,
      problem: `the values are nested more than ${deepest} levels deep`,
    });
  }
}

function commentsOf(text: string): string[] {
  const tokens = [...new Lexer().lex(text)];
  return tokens
    .filter((token, index) => token.startsWith('#') && tokens[index - 1] !== SCALAR_MARK)
    .map((token) => token.trimEnd());
}

/** The lexer puts this character before the text of every scalar. */
const SCALAR_MARK = '\x1f';

/** The pair or list item that a part of a path names, with its value. */
interface Child {
  readonly pair: Pair<Node, Node | null> | undefined;
  readonly value: Node | null;
}

function childOf(node: Node | null, part: string | number): Child | undefined {
  if (isMap<Node, Node | null>(node)) {
    const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part));
    return pair === undefined ? undefined : { pair, value: pair.value };
  }
  if (isSeq<Node | null>(node) && typeof part === 'number' && part < node.items.length) {
    return { pair: undefined, value: node.items[part] ?? null };
  }
  return undefined;
}

function offsetOf(document: Document, path: ConfigPath): number {
  let node = document.contents as Node | null;
  let offset = node?.range?.[0] ?? 0;
  for (const part of path) {
    if (isAlias(node)) node = node.resolve(document) ?? null;
    const child = childOf(node, part);
    if (child === undefined) break;
    offset = child.pair?.key.range?.[0] ?? child.value?.range?.[0] ?? offset;
    node = child.value;
  }
  return offset;
}

function editText(file: string, text: string, value: unknown, path: ConfigPath, replacement: unknown): string {
  const expected = withValueAt(value, path, replacement);
  let cause: unknown;
  for (const propose of [spliceValue, printAnew]) {
    // Block text is easier to read, but the library cannot print every text as a block in every indentation.
    for (const blockQuote of [true, false]) {
      try {
        const proposed = propose(text, path, replacement, { ...styleOf(text), blockQuote });
        if (proposed !== undefined && readsAs(proposed, expected, text)) return proposed;
      } catch (error) {
        cause = error;
      }
    }
  }
  const detail = 'the change would alter other values or lose a comment';
  throw new ConfigEditError({ file, path: formatConfigPath(path), detail }, { cause });
}

function readsAs(text: string, expected: unknown, before: string): boolean {
  try {
    const document = parseDocument(text, PARSING);
    if (document.errors.length > 0 || !isDeepStrictEqual(document.toJS(), expected)) return false;
    return isDeepStrictEqual(commentsOf(text), commentsOf(before));
  } catch {
    return false;
  }
}

/** Returns undefined when the change is not one of the simple ones. The result is a proposal that must be read back. */
function spliceValue(text: string, path: ConfigPath, replacement: unknown, style: Style): string | undefined {
  const document = parseDocument(text, PARSING);
  let node = document.contents as Node | null;
  if (node === null) return appendLines(text, text.length, printLines(nestValue(path, replacement), style, ''), style);

  let pair: Child['pair'];
  for (const [depth, part] of path.entries()) {
    const child = childOf(node, part);
    if (child === undefined) {
      const inner = nestValue(path.slice(depth + 1), replacement);
      if (isMap(node)) return insertPair(text, node, String(part), inner, style);
      if (isSeq(node)) return insertItem(text, node, inner, style);
      return setScalar(text, pair, node, nestValue(path.slice(depth), replacement), style);
    }
    pair = child.pair;
    node = child.value;
  }
  return setScalar(text, pair, node, replacement, style);
}

interface Style {
  readonly newline: string;
  readonly indent: number;
  readonly indentSeq: boolean;
  readonly blockQuote: boolean;
}

function styleOf(text: string): Omit<Style, 'blockQuote'> {
  const [, space = '  '] = /^( +)[^\s#]/m.exec(text) ?? [];
  return {
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    indent: Math.min(8, Math.max(1, space.length)),
    indentSeq: !/^( *)[^\s#-][^\n]*:[ \t]*\r?\n\1- /m.test(text),
  };
}

function printOptions({ indent, indentSeq, blockQuote }: Style) {
  return { indent, indentSeq, blockQuote, lineWidth: 0 };
}

function printLines(value: unknown, style: Style, margin: string): string {
  return stringify(value, printOptions(style))
    .replace(/\n$/, '')
    .split('\n')
    .map((line) => (line === '' ? line : margin + line))
    .join(style.newline);
}

/** Adds whole lines after the line that `offset` is on. */
function appendLines(text: string, offset: number, lines: string, { newline }: Style): string {
  const lineEnd = offset > 0 && text[offset - 1] === '\n' ? offset - 1 : text.indexOf('\n', offset);
  if (lineEnd === -1 || text === '')
    return `${text}${text === '' || text.endsWith('\n') ? '' : newline}${lines}${newline}`;
  return `${text.slice(0, lineEnd + 1)}${lines}${newline}${text.slice(lineEnd + 1)}`;
}

function insertPair(text: string, map: YAMLMap, key: string, value: unknown, style: Style): string | undefined {
  if (map.flow) return insertInFlow(text, map, `${JSON.stringify(key)}: ${JSON.stringify(value)}`);
  const [first] = map.items as Pair<Node, Node | null>[];
  const start = first?.key.range?.[0];
  const end = map.range?.[1];
  if (start === undefined || end === undefined) return undefined;
  return appendLines(text, end, printLines({ [key]: value }, style, ' '.repeat(columnOf(text, start))), style);
}

function insertItem(text: string, list: YAMLSeq, value: unknown, style: Style): string | undefined {
  if (list.flow) return insertInFlow(text, list, JSON.stringify(value));
  if (!list.range) return undefined;
  const [start, end] = list.range;
  return appendLines(text, end, printLines([value], style, ' '.repeat(columnOf(text, start))), style);
}

/** Only a collection on one line is changed, because comments and line ends inside brackets follow other rules. */
function insertInFlow(text: string, collection: YAMLMap | YAMLSeq, item: string): string | undefined {
  if (!collection.range) return undefined;
  const [start, end] = collection.range;
  const inside = text.slice(start + 1, end - 1);
  if (/[\n#]/.test(inside) || /,\s*$/.test(inside)) return undefined;
  const space = /\s*$/.exec(inside)?.[0] ?? '';
  const before = inside.slice(0, inside.length - space.length);
  const padding = isMap(collection) && before === '' ? ' ' : space;
  const joined = before === '' ? `${padding}${item}${padding}` : `${before}, ${item}${space}`;
  return text.slice(0, start + 1) + joined + text.slice(end - 1);
}

/** Gives a value to a key that was written without one. */
function fillPair(text: string, pair: Child['pair'], value: unknown, style: Style): string | undefined {
  const start = pair?.key.range?.[0];
  const end = pair?.value?.range?.[0];
  if (start === undefined || end === undefined) return undefined;
  const colon = text.lastIndexOf(':', end);
  if (colon < start) return undefined;
  if (typeof value !== 'object' || value === null) {
    return `${text.slice(0, colon + 1)} ${printInline(value)}${text.slice(colon + 1)}`;
  }
  const deeper = Array.isArray(value) && !style.indentSeq ? 0 : style.indent;
  return appendLines(text, colon + 1, printLines(value, style, ' '.repeat(columnOf(text, start) + deeper)), style);
}

function setScalar(
  text: string,
  pair: Child['pair'],
  node: Node | null,
  value: unknown,
  style: Style,
): string | undefined {
  if (node === null || (isScalar(node) && node.range?.[0] === node.range?.[1]))
    return fillPair(text, pair, value, style);
  if (!isScalar(node) || !node.range || node.anchor || node.tag) return undefined;
  if (node.type === Scalar.BLOCK_LITERAL || node.type === Scalar.BLOCK_FOLDED) return undefined;
  return text.slice(0, node.range[0]) + printInline(value) + text.slice(node.range[1]);
}

/** Prints on one line that is also safe inside brackets: as JSON, except for words that need no quotes. */
function printInline(value: unknown): string {
  if (typeof value === 'object') return JSON.stringify(value);
  return stringify([value], { collectionStyle: 'flow', lineWidth: 0 }).trim().slice(1, -1).trim();
}

function columnOf(text: string, offset: number): number {
  return offset - (text.lastIndexOf('\n', offset - 1) + 1);
}

function printAnew(text: string, path: ConfigPath, replacement: unknown, style: Style): string {
  const document = parseDocument(text, PARSING);
  let depth = path.length;
  // A null value on the way cannot be entered, so the nearest collection gets the whole rest of the path.
  while (depth > 1 && !isCollection(document.getIn(path.slice(0, depth - 1), true))) depth--;
  const value = document.createNode(nestValue(path.slice(depth), replacement));
  document.setIn(path.slice(0, depth), value);
  return document.toString(printOptions(style)).replaceAll('\n', style.newline);
}
