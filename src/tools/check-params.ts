// Checks what a model wrote against a tool's JSON Schema, in sentences that a model can act on. The schema may be a
// plugin's or a server's, so it is not trusted: one that cannot be used fails the call and nothing else.
//
// Errors: ToolSchemaError.

import { checkSchema, type SchemaProblem } from '../protocol/check-schema.ts';
import { isJsonObject, type JsonValue } from '../protocol/json.ts';
import { nearMatch } from '../protocol/near-match.ts';
import { clip } from '../protocol/one-line.ts';
import { ToolSchemaError } from './errors.ts';
import type { Tool } from './tool.ts';

/** A model corrects these first; a longer list only costs tokens. */
const MAX_PROBLEMS = 5;

/** Returns one sentence for each problem; none when the parameters fit. */
export async function checkParams(
  { name, parameters, isRunByClient }: Pick<Tool, 'name' | 'parameters' | 'isRunByClient'>,
  params: JsonValue,
  timeoutMs?: number,
): Promise<readonly string[]> {
  if (isRunByClient) return [];
  const check = await checkSchema(parameters, params, { timeoutMs });
  if (check.kind === 'unusable') throw new ToolSchemaError({ tool: name, problem: check.reason });
  if (check.kind === 'overran') {
    const problem = `the parameters could not be checked within ${check.timeoutMs / 1_000} s`;
    throw new ToolSchemaError({ tool: name, problem });
  }
  const sentences = tellProblems(check.problems, params);
  if (sentences.length <= MAX_PROBLEMS) return sentences;
  return [...sentences.slice(0, MAX_PROBLEMS), `There are ${sentences.length - MAX_PROBLEMS} more problems.`];
}

interface Told {
  readonly problem: SchemaProblem;
  readonly sentence: string;
}

function tellProblems(problems: readonly SchemaProblem[], params: JsonValue): readonly string[] {
  const mistyped = new Set(problems.filter(({ keyword }) => keyword === 'type').map(placeOf));
  const told: Told[] = [];
  for (const problem of problems) {
    const forms = problem.keyword === 'anyOf' || problem.keyword === 'oneOf' ? takeForms(told, problem) : [];
    // A value of the wrong type breaks other rules too, and some keywords only repeat that another problem exists.
    if (WRAPPERS.has(problem.keyword) || (problem.keyword !== 'type' && mistyped.has(placeOf(problem)))) continue;
    told.push({ problem, sentence: sentenceOf(problem, forms, params) });
  }
  const unknown = told.filter(({ problem }) => UNKNOWN.has(problem.keyword));
  const known = told.filter(({ problem }) => !UNKNOWN.has(problem.keyword));
  return [...new Set([...known, ...unknown].map(({ sentence }) => sentence))];
}

const WRAPPERS: ReadonlySet<string> = new Set(['if', 'propertyNames']);
const UNKNOWN: ReadonlySet<string> = new Set(['additionalProperties', 'unevaluatedProperties']);

/** Which part of the schema, for which part of the parameters. */
function placeOf({ instancePath, schemaPath }: SchemaProblem): string {
  return `${instancePath} ${schemaPath.slice(0, schemaPath.lastIndexOf('/'))}`;
}

/** What is wrong with each of the forms stands right before the problem that none of them fits. */
function takeForms(told: Told[], { instancePath, schemaPath }: SchemaProblem): readonly Told[] {
  const isOfForm = ({ problem }: Told) =>
    `${problem.instancePath}/`.startsWith(`${instancePath}/`) &&
    (problem.schemaPath.startsWith(`${schemaPath}/`) || /^#\/(\$defs|definitions)\//.test(problem.schemaPath));
  return told.splice(told.findLastIndex((each) => !isOfForm(each)) + 1);
}

function sentenceOf(problem: SchemaProblem, forms: readonly Told[], params: JsonValue): string {
  const { instancePath, keyword, params: facts, schema, parentSchema = {}, message, propertyName } = problem;
  const data = problem.data as JsonValue;
  const path = pathOf(instancePath, params);
  const name = propertyName === undefined ? path || 'The parameters' : `The name ${clip(toJson(propertyName), 60)}`;
  const member = (key: unknown) => (path === '' ? String(key) : `${path}.${key}`);
  const must = (what: string) => `${name} must ${what}, not ${describe(data)}.`;
  switch (keyword) {
    case 'type':
      return must(`be ${nameTypes([schema].flat())}`);
    case 'const':
    case 'enum':
      return must(`be one of ${[keyword === 'enum' ? schema : [schema]].flat(2).map(toJson).join(', ')}`);
    case 'required':
      return `${member(facts.missingProperty)} is required.`;
    case 'dependencies':
    case 'dependentRequired':
      return `${member(facts.missingProperty)} is required when ${member(facts.property)} is given.`;
    case 'additionalProperties':
    case 'unevaluatedProperties': {
      const key = String(facts.additionalProperty ?? facts.unevaluatedProperty);
      return unknownKey(member(key), key, Object.keys(parentSchema.properties ?? {}));
    }
    case 'minLength':
    case 'maxLength':
      return outOfBounds(name, keyword, Number(schema), [...String(data)].length, 'characters');
    case 'minItems':
    case 'maxItems':
      return outOfBounds(name, keyword, Number(schema), (data as JsonValue[]).length, 'entries');
    case 'minProperties':
    case 'maxProperties':
      return outOfBounds(name, keyword, Number(schema), Object.keys(data as object).length, 'entries');
    case 'minimum':
      return must(`be at least ${schema}`);
    case 'maximum':
      return must(`be at most ${schema}`);
    case 'exclusiveMinimum':
      return must(`be above ${schema}`);
    case 'exclusiveMaximum':
      return must(`be below ${schema}`);
    case 'multipleOf':
      return must(`be a multiple of ${schema}`);
    case 'pattern':
      return must(`match ${clip(String(schema), 60)}`);
    case 'uniqueItems':
      return `${name} must not have the same entry twice: ${facts.j} and ${facts.i} are equal.`;
    case 'not':
    case 'false schema':
      return `${name} must not be ${describe(data)}.`;
    case 'anyOf':
    case 'oneOf':
      return facts.passingSchemas ? `${name} must fit one form only, and fits several.` : noForm(name, problem, forms);
    default:
      return `${name} ${message ?? 'does not fit the schema'}.`;
  }
}

function noForm(name: string, { instancePath, data }: SchemaProblem, forms: readonly Told[]): string {
  if (
    forms.length > 0 &&
    forms.every(({ problem: each }) => each.keyword === 'type' && each.instancePath === instancePath)
  ) {
    const types = nameTypes(forms.flatMap(({ problem: { schema } }) => [schema].flat()));
    return `${name} must be ${types}, not ${describe(data as JsonValue)}.`;
  }
  const reasons = [...new Set(forms.map(({ sentence }) => sentence.replace(/\.$/, '')))].slice(0, MAX_PROBLEMS);
  return `${name} fits none of the forms that are allowed${reasons.length > 0 ? `: ${reasons.join('; ')}` : ''}.`;
}

/** Where in the parameters, as a program would write it. */
function pathOf(instancePath: string, params: JsonValue): string {
  let at: JsonValue | undefined = params;
  let path = '';
  for (const part of instancePath.split('/').slice(1)) {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~');
    if (Array.isArray(at)) path += `[${key}]`;
    else path += path === '' ? key : `.${key}`;
    at = (at as Readonly<Record<string, JsonValue>> | undefined)?.[key];
  }
  return path;
}

function unknownKey(path: string, key: string, known: readonly string[]): string {
  const meant = nearMatch(key, known);
  const hint = meant
    ? `did you mean ${meant}?`
    : known.length > 0
      ? `there are ${known.join(', ')}.`
      : 'there are none.';
  return `There is no parameter ${clip(path, 60)}; ${hint}`;
}

function outOfBounds(name: string, keyword: string, bound: number, size: number, noun: string): string {
  if (keyword.startsWith('max')) return `${name} must have at most ${bound} ${noun}, not ${size}.`;
  return bound === 1 ? `${name} must not be empty.` : `${name} must have at least ${bound} ${noun}, not ${size}.`;
}

const TYPE_NAMES: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  integer: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  null: 'null',
};

function nameTypes(types: readonly unknown[]): string {
  return [...new Set(types.map(String))].map((type) => TYPE_NAMES[type] ?? type).join(' or ');
}

/** What was found, short: a model recognises its own words. */
function describe(value: JsonValue): string {
  if (Array.isArray(value)) return 'a list';
  if (isJsonObject(value)) return 'an object';
  return clip(toJson(value), 60);
}

function toJson(value: unknown): string {
  return JSON.stringify(value);
}
