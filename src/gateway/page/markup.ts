// What stands on the page before anything has happened.

export const PAGE_MARKUP = `
<header class="bar">
  <h1 class="brand"><svg viewBox="0 0 16 16" width="18" height="18" aria-hidden="true"><path d="M2 14V7a6 6 0 0 1 12 0v7h-3V7.5a3 3 0 0 0-6 0V14z" fill="currentColor"></path></svg>Atrium</h1>
  <label class="pick"><span class="hidden">Conversation</span><select id="place" disabled></select></label>
  <button id="fresh" class="quiet" type="button" disabled>New session</button>
  <span class="grow"></span>
  <span id="link" class="link" role="status" data-state="off">Not connected</span>
  <button id="panel-toggle" class="quiet narrow-only" type="button" aria-expanded="false" aria-controls="panel">Context</button>
</header>
<main class="columns">
  <section class="chat" aria-label="Conversation">
    <div id="log" class="log" role="log" aria-live="polite" aria-relevant="additions" tabindex="0" aria-label="Messages"><div id="turns" class="turns"></div></div>
    <p id="problem" class="problem" role="alert" hidden></p>
    <form id="composer" class="composer">
      <label class="hidden" for="text">Message</label>
      <textarea id="text" rows="1" placeholder="Write a message" autocomplete="off" disabled></textarea>
      <button id="stop" type="button" class="stop" hidden>Stop</button>
      <button id="send" type="submit" disabled>Send</button>
    </form>
    <p class="hint">Enter sends, Shift+Enter makes a new line, Esc stops the agent. Commands: /new, /compact, /stop, /approve, /status, /context, /help.</p>
  </section>
  <aside id="panel" class="panel" aria-label="Context of a turn">
    <div id="report" class="report"><p class="empty">What the agent was given for a turn appears here after its answer: every layer with its size, what was cut, and the exact request.</p></div>
  </aside>
</main>
<dialog id="gate" class="gate" aria-labelledby="gate-title">
  <form id="gate-form" method="dialog">
    <h2 id="gate-title">This gateway asks for its token</h2>
    <p>Open the link that <code>atrium start</code> printed, or paste the token. It stands in <code>atrium/token</code> in the state directory.</p>
    <label for="gate-token">Token</label>
    <input id="gate-token" type="password" autocomplete="off" spellcheck="false" required>
    <p id="gate-problem" class="problem" role="alert" hidden></p>
    <button type="submit">Continue</button>
  </form>
</dialog>
<noscript>This page needs JavaScript. The terminal works without: atrium chat.</noscript>
`;
