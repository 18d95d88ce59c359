// The tables in docs/api.md: the endpoints, made from the list of routes, and the fields of chat completions and of
// responses, made from theirs. `npm run docs:api` writes them between their marks; a test keeps both equal.

import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { CHAT_FIELDS } from '../src/gateway/http/chat-fields.ts';
import type { ClientField, ClientFields } from '../src/gateway/http/client-fields.ts';
import { RESPONSE_FIELDS } from '../src/gateway/http/response-fields.ts';
import type { Route } from '../src/gateway/http/route.ts';
import { ROUTES } from '../src/gateway/http/routes/all-routes.ts';
import { formatBytes } from '../src/protocol/attachment.ts';
import type { GeneratedPart } from './hook-docs.ts';

export function generateApiDocs(): readonly GeneratedPart[] {
  const file = fileURLToPath(new URL('../docs/api.md', import.meta.url));
  const command = 'docs:api';
  const tableOf = (fields: ClientFields) => [...FIELD_HEAD, ...fieldRowsOf(fields), ''].join('\n');
  return [
    { file, command, mark: 'chat fields', text: tableOf(CHAT_FIELDS) },
    { file, command, mark: 'response fields', text: tableOf(RESPONSE_FIELDS) },
    {
      file,
      command,
      mark: 'routes',
      text: ['| request | does |', '| --- | --- |', ...ROUTES.map(rowOf), ''].join('\n'),
    },
  ];
}

const FIELD_HEAD = ['| field | used | not needed | refused |', '| --- | --- | --- | --- |'];

/** The fields inside of an object follow it, each with its whole name. */
function fieldRowsOf(fields: ClientFields, prefix = ''): readonly string[] {
  return Object.entries(fields).flatMap(([name, field]) => [
    ...(field.inside ? [] : [fieldRowOf(prefix + name, field)]),
    ...fieldRowsOf(field.inside ?? {}, `${prefix}${name}.`),
  ]);
}

function fieldRowOf(name: string, { state, says, refuses }: ClientField): string {
  const cells = FIELD_STATES.map((each) => (each === state ? says : ''));
  return `| \`${name}\` | ${[...cells, refuses ? `${refuses.what}: ${refuses.why}` : ''].join(' | ')} |`;
}

const FIELD_STATES: readonly ClientField['state'][] = ['used', 'not needed'];

function rowOf({ method, path, query, body, bodyLimit, summary, detail, status, access }: Route): string {
  const asked = query
    ? `?${fieldsOf(query(z))
        .map(({ name }) => `${name}=`)
        .join('&')}`
    : '';
  const taken = body ? fieldsOf(body(z)).map(({ name, isRequired }) => (isRequired ? name : `${name}?`)) : [];
  const sentences = [
    summary,
    ...(taken.length > 0 ? [`It takes \`{ ${taken.join(', ')} }\`.`] : []),
    ...(detail === undefined ? [] : [detail]),
    ...(bodyLimit === undefined ? [] : [`Its body may have ${formatBytes(bodyLimit)}.`]),
    ...(status === undefined ? [] : [`The status is ${status}.`]),
    ...(access === 'open' ? ['It needs no token.'] : []),
    ...(access === 'webhook' ? ["It needs the token of webhooks instead of the gateway's."] : []),
  ];
  return `| \`${method.toUpperCase()} ${path}${asked}\` | ${sentences.join(' ')} |`;
}

function fieldsOf(schema: z.ZodType): readonly { readonly name: string; readonly isRequired: boolean }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties).map((name) => ({ name, isRequired: required.includes(name) }));
}
