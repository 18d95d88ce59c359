// Tools: which of them an agent is offered and why, and the servers that provide some.

import { type Route, route } from '../route.ts';
import { agentId, at, id, sessionKey, wholeNumber } from './pieces.ts';

export const TOOL_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/tools/explain',
    summary: 'For each tool whether it is offered, and which rule decides.',
    detail: 'See [tools.md](tools.md).',
    access: 'token',
    query: (z) =>
      z.strictObject({
        session: sessionKey(z).optional().describe("Default: the agent's main session."),
        agent: agentId(z).optional(),
        provider: id(z).optional().describe("Default: the agent's first choice."),
        model: id(z).optional(),
      }),
    answer: (z) =>
      z.object({
        agentId: agentId(z),
        sessionKey: sessionKey(z),
        provider: z.string(),
        model: z.string(),
        isOwner: z.boolean().describe('Whether the tools that only the operator has are offered there.'),
        steps: z.array(
          z.object({
            source: z.string(),
            allow: z.array(z.string()).nullable().describe('Null when it forbids nothing.'),
            deny: z.array(z.string()).nullable(),
          }),
        ),
        tools: z.array(
          z.object({
            name: z.string(),
            owner: z.string().nullable().describe("Who brought it; null for the product's own."),
            groups: z.array(z.string()),
            description: z.string(),
            isOffered: z.boolean(),
            rule: z.string().describe('What decided, in the words of the configuration.'),
            source: z.string().nullable().describe('The step that it belongs to.'),
          }),
        ),
        warnings: z.array(z.string()),
      }),
    handle: ({ services, query: { session, agent, ...model } }) =>
      services.tools.explain({ sessionKey: session, agentId: agent, ...model }),
  }),
  route({
    method: 'get',
    path: '/api/mcp',
    summary: 'The servers of tools: state, number of tools, last error.',
    detail: 'See [mcp.md](mcp.md).',
    access: 'token',
    answer: (z) =>
      z.object({
        servers: z.array(
          z.object({
            name: z.string(),
            transport: z.enum(['stdio', 'http']),
            target: z.string().describe('The program, or the address without what may be secret in it.'),
            state: z
              .enum(['stopped', 'starting', 'running', 'failed'])
              .describe('A stopped one is started when it is needed.'),
            tools: wholeNumber(z).nullable().describe('Null while it has never been asked.'),
            listedAt: at(z).nullable(),
            error: z.string().nullable(),
          }),
        ),
      }),
    handle: async ({ services }) => ({ servers: await services.tools.mcpServers() }),
  }),
];
