// A JSON5 configuration file. The JSON5 reference parser decides what the text means; where the text is plain JSON, which
// means the same in both, the one of the language is some ten times as fast. Another parser, which keeps positions, is used
// only for line numbers and edits; where it does not understand the text, line numbers are
// approximate and edits are refused.

import {
  type DocumentNode,
  type LocationRange,
  type MemberNode,
  parse as parsePositions,
  tokenize,
  type ValueNode,
} from '@humanwhocodes/momoa';
import JSON5 from 'json5';
import { type ConfigPath, formatConfigPath, nestValue } from './config-path.ts';
import { type ConfigSource, refuseDeepValue } from './config-source.ts';
import { ConfigEditError, ConfigSyntaxError } from './errors.ts';
import { isPlainObject } from './plain-object.ts';

export function parseJson5Source(file: string, text: string): ConfigSource {
  const plain = parsePlain(text);
  const isEmpty = plain === undefined && !hasValue(text);
  const value = plain ?? (isEmpty ? {} : parseValue(file, text));
  refuseDeepValue(file, value);
  let tree: DocumentNode | undefined;
  const positions = () => {
    tree ??= parsePositions(text, { mode: 'json5', tokens: true });
    return tree;
  };
  return {
    file,
    format: 'json5',
    text,
    value,
    lineOf: (path) => (isEmpty ? 1 : lineAt(text, offsetOf(positions, path))),
    edit: (path, replacement) => {
      try {
        return editText(text, positions, path, replacement);
      } catch (error) {
        throw new ConfigEditError(
          { file, path: formatConfigPath(path), detail: 'the place for it was not found' },
          { cause: error },
        );
      }
    },
    remove: (path) => {
      try {
        return removeMember(text, positions(), path);
      } catch (error) {
        throw new ConfigEditError(
          { file, path: formatConfigPath(path), detail: 'its place was not found' },
          { cause: error },
        );
      }
    },
    comments: () => commentsOf(text),
  };
}

/** Undefined for everything that is not an object in plain JSON. */
function parsePlain(text: string): object | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isPlainObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function parseValue(file: string, text: string): unknown {
  try {
    return JSON5.parse(text);
  } catch (error) {
    const {
      message,
      lineNumber = 1,
      columnNumber = 1,
    } = error as Error & { lineNumber?: number; columnNumber?: number };
    const problem = message.replace(/^JSON5: /, '').replace(/ at \d+:\d+$/, '');
    throw new ConfigSyntaxError(
      { file, line: lineNumber, column: columnNumber, problem: `this is not JSON5: ${problem}` },
      { cause: error },
    );
  }
}

/** Returns false when the text is only space and comments, which JSON5 itself does not allow. */
function hasValue(text: string): boolean {
  try {
    return tokenize(text, { mode: 'json5' }).some(({ type }) => !isComment(type));
  } catch {
    return true;
  }
}

function isComment(type: string): boolean {
  return type === 'LineComment' || type === 'BlockComment';
}

function commentsOf(text: string): string[] {
  return tokenize(text, { mode: 'json5' })
    .filter(({ type }) => isComment(type))
    .map((token) => text.slice(...rangeOf(token)).trimEnd());
}

function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length;
}

function offsetOf(positions: () => DocumentNode, path: ConfigPath): number {
  try {
    let node: ValueNode = positions().body;
    let offset = rangeOf(node)[0];
    for (const part of path) {
      const child = childOf(node, part);
      if (child === undefined) break;
      offset = rangeOf(child)[0];
      node = child.value;
    }
    return offset;
  } catch {
    return 0;
  }
}

/**
 * Returns the member or element that `part` names. Of two members with one name the last one counts, as in the parsed
 * value.
 */
function childOf(node: ValueNode, part: string | number): (Located & { value: ValueNode }) | undefined {
  if (node.type === 'Array') return typeof part === 'number' ? node.elements[part] : undefined;
  if (node.type === 'Object') return node.members.findLast((member) => nameOf(member) === String(part));
  return undefined;
}

function nameOf({ name }: MemberNode): string {
  return name.type === 'Identifier' ? name.name : name.value;
}

function rangeOf({ loc }: Located): [number, number] {
  return [loc.start.offset, loc.end.offset];
}

interface Located {
  loc: LocationRange;
}

/** How this file is written, so that an added value looks like the rest. */
interface Style {
  readonly newline: string;
  readonly unit: string;
  readonly bareKeys: boolean;
}

function editText(text: string, positions: () => DocumentNode, path: ConfigPath, replacement: unknown): string {
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const unit = /^([ \t]+)["'A-Za-z_$]/m.exec(text)?.[1] ?? '  ';
  if (!hasValue(text)) {
    const before = text === '' || text.endsWith('\n') ? text : text + newline;
    return before + printValue(nestValue(path, replacement), { newline, unit, bareKeys: false }, '') + newline;
  }
  const tree = positions();
  let node = tree.body;
  for (const [depth, part] of path.entries()) {
    const child = childOf(node, part);
    const style = { newline, unit, bareKeys: usesBareKeys(node, tree.body) };
    if (child !== undefined) {
      node = child.value;
      continue;
    }
    const rest = path.slice(depth + 1);
    if (node.type === 'Null') return replaceNode(text, node, nestValue(path.slice(depth), replacement), style);
    if (node.type === 'Object') {
      const key = printKey(String(part), style);
      return insertItem(
        text,
        tree,
        node,
        (indent) => `${key}: ${printValue(nestValue(rest, replacement), style, indent)}`,
        style,
      );
    }
    if (node.type === 'Array' && part === node.elements.length) {
      return insertItem(text, tree, node, (indent) => printValue(nestValue(rest, replacement), style, indent), style);
    }
    throw new Error(`no way on from a ${node.type}`);
  }
  return replaceNode(text, node, replacement, { newline, unit, bareKeys: usesBareKeys(node, tree.body) });
}

function replaceNode(text: string, node: ValueNode, value: unknown, style: Style): string {
  const [start, end] = rangeOf(node);
  return text.slice(0, start) + printValue(value, style, indentAt(text, start)) + text.slice(end);
}

/** The indentation `null` asks for one line. */
type PrintItem = (indent: string | null) => string;

function insertItem(
  text: string,
  tree: DocumentNode,
  container: Extract<ValueNode, { type: 'Object' | 'Array' }>,
  printItem: PrintItem,
  style: Style,
): string {
  const [start, end] = rangeOf(container);
  const items = container.type === 'Object' ? container.members : container.elements;
  const last = items.at(-1);
  const close = end - 1;
  const head = text.slice(0, close).trimEnd();
  const lastEnd = last === undefined ? undefined : rangeOf(last)[1];
  const hasComma = lastEnd !== undefined && (tree.tokens ?? []).some((token) => isCommaBetween(token, lastEnd, close));
  const withComma = lastEnd === undefined || hasComma ? head : `${head.slice(0, lastEnd)},${head.slice(lastEnd)}`;
  const trailing = hasComma ? ',' : '';

  if (last !== undefined && !text.slice(start, close).includes('\n')) {
    return `${withComma} ${printItem(null)}${trailing}${text.slice(head.length)}`;
  }
  const outer = indentAt(text, start);
  const firstOnItsLine = items
    .map((item) => rangeOf(item)[0])
    .find((offset) => /^[ \t]*$/.test(lineBefore(text, offset)));
  const inner = firstOnItsLine === undefined ? outer + style.unit : lineBefore(text, firstOnItsLine);
  return `${withComma}${style.newline}${inner}${printItem(inner)}${trailing}${style.newline}${outer}${text.slice(close)}`;
}

function removeMember(text: string, tree: DocumentNode, path: ConfigPath): string {
  const parent = path.slice(0, -1).reduce<ValueNode>((node, part) => {
    const child = childOf(node, part);
    if (child === undefined) throw new Error('no such member');
    return child.value;
  }, tree.body);
  const member = childOf(parent, path.at(-1) ?? '');
  if (parent.type !== 'Object' || member === undefined) throw new Error('no such member');
  const [start, end] = rangeOf(member);
  const close = rangeOf(parent)[1] - 1;
  const commas = (tree.tokens ?? []).filter(({ type }) => type === 'Comma').map((token) => rangeOf(token)[0]);
  const following = parent.members.map((each) => rangeOf(each)[0]).find((offset) => offset > start) ?? close;
  const comma = commas.find((offset) => offset >= end && offset < following);
  const to = comma === undefined ? end : comma + 1;
  const isAloneOnItsLines = lineBefore(text, start).trim() === '' && /^[ \t]*(?:\r?\n|$)/.test(text.slice(to));
  const cut = isAloneOnItsLines
    ? text.slice(0, start - lineBefore(text, start).length) + text.slice(to).replace(/^[ \t]*\r?\n/, '')
    : text.slice(0, start) + text.slice(to).replace(/^[ \t]+/, '');
  if (comma !== undefined) return cut;
  // It was the last member, so the comma before it separates nothing any more.
  const before = commas.findLast((offset) => offset < start && offset > rangeOf(parent)[0]);
  const isSeparator = before !== undefined && parent.members.some((each) => rangeOf(each)[1] <= before);
  return isSeparator && before !== undefined ? cut.slice(0, before) + cut.slice(before + 1) : cut;
}

function isCommaBetween(token: Located & { type: string }, from: number, to: number): boolean {
  return token.type === 'Comma' && rangeOf(token)[0] >= from && rangeOf(token)[0] < to;
}

function lineBefore(text: string, offset: number): string {
  return text.slice(text.lastIndexOf('\n', offset - 1) + 1, offset);
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(lineBefore(text, offset))?.[0] ?? '';
}

function usesBareKeys(node: ValueNode, root: ValueNode): boolean {
  const first = [node, root].find((each) => each.type === 'Object' && each.members.length > 0);
  return first?.type === 'Object' && first.members[0]?.name.type === 'Identifier';
}

function printKey(key: string, style: Style): string {
  const bare = style.bareKeys && /^[A-Za-z_$][\w$]*$/.test(key) && !/^(?:null|true|false|Infinity|NaN)$/.test(key);
  return bare ? key : printText(key);
}

function printText(value: string): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16)}`);
}

function printValue(value: unknown, style: Style, indent: string | null): string {
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return printScalar(value);
  const deeper = indent === null ? null : indent + style.unit;
  const items = isList
    ? value.map((item) => printValue(item, style, deeper))
    : Object.entries(value).map(([key, item]) => `${printKey(key, style)}: ${printValue(item, style, deeper)}`);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  if (items.length === 0) return open + close;
  if (deeper === null) return isList ? `[${items.join(', ')}]` : `{ ${items.join(', ')} }`;
  return `${open}${style.newline}${items.map((item) => deeper + item).join(`,${style.newline}`)}${style.newline}${indent}${close}`;
}

function printScalar(value: unknown): string {
  if (typeof value === 'string') return printText(value);
  if (Object.is(value, -0)) return '-0';
  return String(value);
}
