// What the page shows of a request is the request: the text that a browser reads off the page is the captured body, byte
// for byte, for every form in which providers are asked, with images and tools; and every word in it has its author.

import { createHash } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TEST_TOKEN } from '../src/gateway/http/fixtures/test-api.ts';
import { browserPath, launchBrowser, serve } from '../src/gateway/page/fixtures/browser-page.ts';
import { readRequestSpans } from '../src/gateway/services/read-request-spans.ts';
import { MODEL_PROTOCOLS } from '../src/protocol/model-protocol.ts';
import { readCapture } from '../src/recorder/capture.ts';
import { reply, toolCall } from '../src/testkit/model-server.ts';
import { on } from '../src/testkit/on.ts';
import { ScratchGateway } from '../src/testkit/scratch-gateway.ts';
import { pixel } from '../src/testkit/test-images.ts';

const WORDS = {
  'a file': 'Be kind. "Quoted", a \\ backslash, a tab\tand 😀 ünï',
  'a plugin': 'From the "plugin".\nIn two lines.',
  'a tool result': 'In the "file"\nand its second line 😀',
  'the model': 'Let me "look" first.',
  'the message': 'What is on the "picture"?',
};

describe.skipIf(!browserPath)('the page shows the request itself (skipped where there is no Chromium)', () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchBrowser();
  }, 60_000);
  afterAll(() => browser?.close());

  it.each(MODEL_PROTOCOLS)('in the form %s, with images and tools', async (protocol) => {
    const scratch = await ScratchGateway.open({
      protocol,
      provider: { models: [{ id: 'small', input: ['text', 'image'] }] },
      files: { 'workspace/AGENTS.md': `${WORDS['a file']}\n`, 'workspace/notes.txt': WORDS['a tool result'] },
      register: (hooks) => on(hooks, 'before_prompt_build', 'decorator', () => ({ prependContext: WORDS['a plugin'] })),
    });
    const server = await serve(scratch);
    const context = await browser.newContext({ viewport: { width: 1440, height: 900 } });
    try {
      scratch.model.script([toolCall('read', { path: 'notes.txt' }, WORDS['the model']), reply('A dot.')]);
      const files = [{ name: 'dot.png', bytes: pixel() }];
      const { runId } = await scratch.channel.says({}, WORDS['the message'], { files });
      const { sessionKey } = await scratch.services.runs.wait(runId);
      const page = await context.newPage();
      const address = `${server.url}/sessions/${encodeURIComponent(sessionKey)}/runs/${runId}/context`;
      await page.goto(`${address}#token=${TEST_TOKEN}`);
      await page.getByRole('button', { name: 'As it is sent' }).click();
      const shown = (await page.locator('#sent-body').textContent()) ?? '';

      const capture = await readCapture(scratch.store, runId);
      expect(shown === capture?.body, firstDifference(shown, capture?.body ?? '')).toBe(true);
      expect(await page.locator('#request-bytes').innerText()).toBe(
        `${Buffer.byteLength(shown).toLocaleString('en-US')} bytes`,
      );
      // The image is named by its hash; with its bytes in that place, it is what the provider received.
      const hash = `sha256:${createHash('sha256').update(pixel()).digest('hex')}`;
      const sent = scratch.model.requests.at(-1)?.body ?? '';
      const whole = shown.replaceAll(hash, pixel().toString('base64'));
      expect(whole === sent, firstDifference(whole, sent)).toBe(true);

      // What has no author is the form of the provider: not a word of anybody is in it.
      const form = (await page.locator('#sent-body .form').allTextContents()).join('\n');
      for (const [author, words] of Object.entries(WORDS)) {
        expect(shown, author).toContain(JSON.stringify(words).slice(1, -1));
        for (const line of words.split('\n')) expect(form, author).not.toContain(JSON.stringify(line).slice(1, -1));
      }
      expect(form).not.toContain(hash);
      expect(form).not.toContain('Read a file');
      await page.locator('#sent-body .piece', { hasText: hash }).hover();
      await page.locator('#piece-card').getByText('attachment dot.png').waitFor();

      // The document has the same words, piece by piece.
      await page.getByRole('button', { name: 'As it is read' }).click();
      await page.evaluate("for (const each of document.querySelectorAll('details.unit')) each.open = true");
      const told = (await readRequestSpans(scratch.store, runId))?.spans ?? [];
      const pieces = await readPieces(page);
      expect(pieces).toHaveLength(told.length);
      for (const [index, { text = '', chars }] of told.entries())
        if (chars > 0) expect(pieces[index], `piece ${index}`).toBe(text);
    } finally {
      await context.close();
      await server.close(50);
      await scratch.close();
    }
  }, 60_000);
});

/** The text of every piece of the document; a long one is drawn in several elements. */
function readPieces(page: Page): Promise<readonly string[]> {
  return page.locator('#request [data-piece]').evaluateAll((elements) => {
    const pieces: string[] = [];
    for (const element of elements) {
      const index = Number(element.getAttribute('data-piece'));
      pieces[index] = (pieces[index] ?? '') + element.textContent;
    }
    return pieces;
  });
}

function firstDifference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  return `at ${at}: ${JSON.stringify(one.slice(at, at + 60))} is not ${JSON.stringify(other.slice(at, at + 60))}`;
}
