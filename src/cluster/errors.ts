// The errors that cluster raises, one row each. docs/errors.md is made from these rows.

import { defineError } from '../protocol/errors.ts';

export class NodeNameTakenError extends defineError({
  code: 'ATRIUM_NODE_NAME_TAKEN',
  status: 503,
  message: ({ node }: { node: string }) =>
    `Another gateway is the node "${node}" of this store. Stop that one first, or give this one another name in store.node or ATRIUM_NODE.`,
  means: 'Two gateways on one database have the same name, and only one of them can be the member of that name.',
  remedy:
    'Stop the other one, or name this one with `store.node` or the variable `ATRIUM_NODE`. The default is the name of the host.',
}) {}

export class NodeUnknownError extends defineError({
  code: 'ATRIUM_NODE_UNKNOWN',
  status: 404,
  message: ({ node }: { node: string }) =>
    `There is no node "${node}". List the nodes with "atrium nodes list" and name one of them.`,
  means: 'No member of the cluster has this name.',
  remedy: 'List the nodes with `atrium nodes list` and name one of them.',
}) {}
