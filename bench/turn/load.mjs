// The client of a measurement: asks for turns over connections that are kept, and says how long they took. A session is
// a conversation of twenty turns and then a new one, unless a measurement says otherwise, so that what is measured is
// the gateway and not the growth of one conversation.

import { Agent, request } from 'node:http';

const TURNS_PER_CONVERSATION = 20;
const MESSAGE =
  'Please look at the list of open points from this morning, and tell me in one sentence which of them is next.';

const agent = new Agent({ keepAlive: true });

/** A POST of a chat completion; resolves with the whole answer. */
export function ask(url, body, token) {
  return post(url, Buffer.from(JSON.stringify(body)), token, false);
}

function post(url, bytes, token, isRetry) {
  return new Promise((resolve, reject) => {
    const asked = request(
      `${url}/v1/chat/completions`,
      {
        method: 'POST',
        agent,
        headers: {
          'content-type': 'application/json',
          'content-length': bytes.length,
          ...(token && { authorization: `Bearer ${token}` }),
        },
      },
      (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk) => {
          text += chunk;
        });
        response.on('end', () => {
          if (response.statusCode === 200) resolve(text);
          else reject(new Error(`${response.statusCode} ${text.slice(0, 500)}`));
        });
        response.on('error', reject);
      },
    );
    asked.on('error', (error) => {
      // While another side is measured, a server closes connections that it has not heard from, at times at the very moment
      // in which one is used again. The server has not read such a request.
      if (asked.reusedSocket && !isRetry && error.code === 'ECONNRESET') resolve(post(url, bytes, token, true));
      else reject(error);
    });
    asked.end(bytes);
  });
}

/** Somebody who talks to a gateway, one turn after the other. */
export class Talker {
  #name;
  #turnsPerConversation;
  #turns = 0;

  constructor(name, turnsPerConversation = TURNS_PER_CONVERSATION) {
    this.#name = `${name}-${Math.random().toString(36).slice(2, 8)}`;
    this.#turnsPerConversation = turnsPerConversation;
  }

  async turn({ url, token }) {
    const conversation = Math.floor(this.#turns++ / this.#turnsPerConversation);
    const user = `${this.#name}-${conversation}`;
    const answer = await ask(url, { model: 'openclaw', user, messages: [{ role: 'user', content: MESSAGE }] }, token);
    if (!answer.includes('noted down')) throw new Error(`That is not what the model says: ${answer.slice(0, 500)}`);
  }
}

/** The same call as a gateway makes to the model, without a gateway: on top of so many messages, with these tools. */
export function askModel(url, { earlier = 0, tools = [] } = {}) {
  const messages = Array.from({ length: earlier + 1 }, (_, index) => ({
    role: (earlier - index) % 2 === 0 ? 'user' : 'assistant',
    content: MESSAGE,
  }));
  const offered = tools.map(({ name, description, parameters }) => ({
    type: 'function',
    function: { name, description, parameters },
  }));
  return ask(url, {
    model: 'instant',
    messages,
    ...(offered.length > 0 && { tools: offered }),
    stream: true,
    stream_options: { include_usage: true },
  });
}

/** Milliseconds of each, called in turns so that a busy machine slows all of them alike. */
export async function inTurns(calls, rounds, warmUps) {
  const samples = calls.map(() => []);
  for (let round = -warmUps; round < rounds; round++) {
    for (const [index, call] of calls.entries()) {
      const ms = await timeOf(call);
      if (round >= 0) samples[index].push(ms);
    }
  }
  return samples;
}

/**
 * Milliseconds of each call of each group. The calls of a group come one after the other; the groups come in an order that changes with
 * every round, so that none always has to bear what the same other one leaves to be done.
 */
export async function inChangingTurns(groups, rounds) {
  const samples = groups.map((calls) => calls.map(() => []));
  for (let round = 0; round < rounds; round++) {
    const shift = Math.floor(round / 2);
    const order = [...groups.keys()].map((index) => (index + shift) % groups.length);
    for (const group of round % 2 === 0 ? order : order.toReversed())
      for (const [index, call] of groups[group].entries()) samples[group][index].push(await timeOf(call));
  }
  return samples;
}

async function timeOf(call) {
  const started = performance.now();
  await call();
  return performance.now() - started;
}

/** Calls a second, of `sessions` callers that do not wait for each other. Ends at the limit of time or of calls. */
export async function throughput(
  makeCall,
  sessions,
  { ms = Number.POSITIVE_INFINITY, calls = Number.POSITIVE_INFINITY },
) {
  const begun = performance.now();
  let left = calls;
  let done = 0;
  await Promise.all(
    Array.from({ length: sessions }, async (_, index) => {
      const call = makeCall(index);
      while (performance.now() - begun < ms && left-- > 0) {
        await call();
        done++;
      }
    }),
  );
  return (done * 1000) / (performance.now() - begun);
}

export function percentile(samples, part) {
  const sorted = [...samples].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}
