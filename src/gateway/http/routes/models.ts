// Models: which ones can answer, and which one answers in a session.

import type { Surface } from '../../../protocol/inbound.ts';
import { sessionModelOf } from '../../../sessions/session-model.ts';
import type { SessionRow } from '../../../store/tables.ts';
import type { Services } from '../../services/services.ts';
import { type Route, route, type Zod } from '../route.ts';
import { checkAgent } from './check-agent.ts';
import { agentId, sessionKey, wholeNumber } from './pieces.ts';

const LONGEST_NAME = 256;
/** A session that has ended and had no surface begins again on the page. */
const NO_SURFACE: Surface = { channel: 'web', accountId: 'default', peer: { kind: 'direct', id: 'page' } };

const listed = (z: Zod) =>
  z.object({
    name: z.string().describe('`provider/model`, as settings and /model take it.'),
    provider: z.string(),
    model: z.string(),
    contextWindow: wholeNumber(z).nullable(),
    takesImages: z.boolean(),
    cost: z
      .record(z.string(), z.unknown())
      .nullable()
      .describe('In dollars for a million tokens; null when they are not known.'),
    problem: z.string().nullable().describe('Why it cannot be used, with the next step.'),
    agents: z.array(z.string()).describe('The agents that use it.'),
  });

const choice = (z: Zod) =>
  z.object({
    sessionKey: sessionKey(z),
    model: z.string().describe('`provider/model` of the first choice.'),
    chosen: z.string().nullable().describe('The name that a person chose for the session; null for that of the agent.'),
    own: z.string().describe("The agent's own model."),
  });

export const MODEL_ROUTES: readonly Route[] = [
  route({
    method: 'get',
    path: '/api/models',
    summary: 'The models that agents use and the configuration names, or every model that can be used now.',
    detail: 'No provider is asked: the list comes from the configuration, the catalog and refreshed lists.',
    access: 'token',
    query: (z) =>
      z.strictObject({
        usable: z
          .enum(['true', 'false'])
          .default('false')
          .describe('Every model of the providers that have a key and that may be chosen.'),
        agentId: agentId(z)
          .optional()
          .describe('With `usable`: for whom it would be chosen. Default: the default agent.'),
      }),
    answer: (z) => z.object({ models: z.array(listed(z)) }),
    handle: async ({ services, agentIds, query }) => {
      const isAll = query.usable === 'true';
      checkAgent(query.agentId, agentIds());
      const all = await services.models.list({ isAll, agentId: query.agentId });
      const models = isAll ? all.filter(({ problem, key }) => problem === null && key !== 'missing') : all;
      return {
        models: models.map(({ provider, model, contextWindow, takesImages, cost, problem, agents }) => ({
          name: `${provider}/${model}`,
          provider,
          model,
          contextWindow,
          takesImages,
          cost,
          problem,
          agents,
        })),
      };
    },
  }),
  route({
    method: 'get',
    path: '/api/sessions/{session}/model',
    summary: 'The model that answers in a session.',
    access: 'token',
    answer: choice,
    handle: async ({ services, params }) => {
      const session = await services.sessions.find(params.session);
      return choiceOf(services, session);
    },
  }),
  route({
    method: 'post',
    path: '/api/sessions/{session}/model',
    summary: 'Chooses the model that answers in a session from the next message on, as /model does.',
    access: 'token',
    body: (z) =>
      z.strictObject({
        model: z
          .string()
          .min(1)
          .max(LONGEST_NAME)
          .nullable()
          .describe('`provider/model` or an alias; null goes back to the model of the agent.'),
      }),
    answer: choice,
    handle: async ({ services, params, body: { model } }) => {
      const { sessionKey: key, agentId: owner, surface } = await services.sessions.find(params.session);
      if (model !== null) await services.models.check(model, owner);
      const place = { sessionKey: key, agentId: owner, surface: surface ?? NO_SURFACE };
      await services.sessions.chooseModel(place, model ?? undefined);
      return choiceOf(services, await services.sessions.find(key));
    },
  }),
];

function choiceOf({ models }: Pick<Services, 'models'>, session: SessionRow) {
  const { sessionKey: key, agentId: owner } = session;
  return {
    sessionKey: key,
    model: models.of(session),
    chosen: sessionModelOf(session) ?? null,
    own: models.of({ agentId: owner, state: {} }),
  };
}
