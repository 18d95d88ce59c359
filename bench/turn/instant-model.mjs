// A model that answers at once, in a process of its own: OpenAI's chat completions, streamed or whole. What it costs is
// measured by calling it bare, so whatever stands between a client and it can be told from it. Prints its address. With a number it
// takes so many milliseconds instead, as real models do.

import { createServer } from 'node:http';

const WORDS = ['Yes.', ' What', ' you', ' ask', ' for', ' is', ' done', ' and', ' noted', ' down.'];
const HEAD = { id: 'chatcmpl-bench', created: 1_700_000_000, model: 'instant' };
const USAGE = { prompt_tokens: 100, completion_tokens: WORDS.length, total_tokens: 100 + WORDS.length };

const deltas = WORDS.map((content, index) => ({
  index: 0,
  delta: index === 0 ? { role: 'assistant', content } : { content },
  finish_reason: null,
}));
const STREAM = [
  ...deltas.map((choice) => chunk({ choices: [choice] })),
  chunk({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }),
  chunk({ choices: [], usage: USAGE }),
  'data: [DONE]\n\n',
].join('');
const WHOLE = JSON.stringify({
  ...HEAD,
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: WORDS.join('') }, finish_reason: 'stop' }],
  usage: USAGE,
});

const PAUSE_MS = Number(process.argv[2] ?? 0);

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (bytes) => chunks.push(bytes));
  request.on('end', () => {
    const isStreamed = /"stream":\s*true/.test(Buffer.concat(chunks).toString());
    response.writeHead(200, { 'content-type': isStreamed ? 'text/event-stream' : 'application/json' });
    const answer = isStreamed ? STREAM : WHOLE;
    if (PAUSE_MS > 0) setTimeout(() => response.end(answer), PAUSE_MS);
    else response.end(answer);
  });
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => console.log(`http://127.0.0.1:${server.address().port}`));

function chunk(fields) {
  return `data: ${JSON.stringify({ ...HEAD, object: 'chat.completion.chunk', ...fields })}\n\n`;
}
