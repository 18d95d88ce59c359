// Chat platforms: opening the channel of one again. How their accounts are is part of the status.

import { type Route, route } from '../route.ts';
import { account, nothing } from './pieces.ts';

export const CHANNEL_ROUTES: readonly Route[] = [
  route({
    method: 'post',
    path: '/api/channels/{id}/reopen',
    summary: 'Closes the channel of a chat platform and opens it again, such as after an account failed.',
    detail: 'It concerns all accounts of the platform. 404 when the configuration has none that could be opened.',
    access: 'token',
    body: nothing,
    answer: (z) => z.object({ accounts: z.array(account(z)).describe('How they are right after it.') }),
    handle: async ({ services, params }) => ({ accounts: await services.channels.reopen(params.id) }),
  }),
];
