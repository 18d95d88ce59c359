// The table of endpoints in docs/api.md, made from the list of routes. `npm run docs:api` writes it between its marks; a test
// keeps the two equal.

import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import type { Route } from '../src/gateway/http/route.ts';
import { ROUTES } from '../src/gateway/http/routes/all-routes.ts';
import type { GeneratedPart } from './hook-docs.ts';

export function generateApiDocs(): GeneratedPart {
  return {
    file: fileURLToPath(new URL('../docs/api.md', import.meta.url)),
    mark: 'routes',
    command: 'docs:api',
    text: ['| request | does |', '| --- | --- |', ...ROUTES.map(rowOf), ''].join('\n'),
  };
}

function rowOf({ method, path, query, body, summary, detail, status, access }: Route): string {
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
    ...(status === undefined ? [] : [`The status is ${status}.`]),
    ...(access === 'open' ? ['It needs no token.'] : []),
  ];
  return `| \`${method.toUpperCase()} ${path}${asked}\` | ${sentences.join(' ')} |`;
}

function fieldsOf(schema: z.ZodType): readonly { readonly name: string; readonly isRequired: boolean }[] {
  const { properties = {}, required = [] } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return Object.keys(properties).map((name) => ({ name, isRequired: required.includes(name) }));
}
