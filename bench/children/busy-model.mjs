// A model for a parent with many children, in a process of its own. What it says depends on what it was told last: it
// hands over as many tasks as it was asked to, answers a task word by word over a few seconds, has nothing to say about a
// result, and answers everybody else at once. Prints its address.

import { createServer } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

const [workMs = 6_000, wordsPerSecond = 10] = process.argv.slice(2).map(Number);
const WORDS = ['Yes.', ' What', ' you', ' ask', ' for', ' is', ' done', ' and', ' noted', ' down.'];
const HEAD = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'instant' };

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (bytes) => chunks.push(bytes));
  request.on('end', () => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    void answer(JSON.parse(Buffer.concat(chunks).toString()), response);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

async function answer({ messages }, response) {
  const told = String(messages.at(-1).content);
  const [, count] = /^Hand over (\d+) tasks/.exec(told) ?? [];
  if (count !== undefined) return end(response, [{ tool_calls: callsFor(Number(count)) }], 'tool_calls');
  if (told.startsWith('[Internal task completion event]')) return end(response, [{ content: 'NO_REPLY' }]);
  if (told.includes('[Subagent Task]')) {
    const words = Math.ceil((workMs / 1_000) * wordsPerSecond);
    for (let index = 0; index < words && !response.destroyed; index++) {
      response.write(chunk([{ index: 0, delta: { content: WORDS[index % WORDS.length] }, finish_reason: null }]));
      await sleep(1_000 / wordsPerSecond);
    }
  }
  return end(
    response,
    WORDS.map((content) => ({ content })),
  );
}

function callsFor(count) {
  return Array.from({ length: count }, (_, index) => ({
    index,
    id: `call_${Math.random().toString(36).slice(2)}_${index}`,
    type: 'function',
    function: { name: 'sessions_spawn', arguments: JSON.stringify({ task: `Look at part ${index}.` }) },
  }));
}

function end(response, deltas, reason = 'stop') {
  for (const delta of deltas) response.write(chunk([{ index: 0, delta, finish_reason: null }]));
  response.write(chunk([{ index: 0, delta: {}, finish_reason: reason }]));
  const usage = { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110 };
  response.end(`${chunk([], { usage })}data: [DONE]\n\n`);
}

function chunk(choices, more = {}) {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', choices, ...more })}\n\n`;
}
