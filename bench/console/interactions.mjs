// The interactions of a page and its frames, as the browser measures them. An interaction is a key or a press with all of
// its events; its time is that of its slowest event, up to the next paint. Events below 16 ms are not told by the browser
// and count as that.

export class Interactions {
  #page;

  static async watch(page) {
    await page.addInitScript(() => {
      const events = new Map();
      const frames = [];
      new PerformanceObserver((list) => {
        for (const { interactionId, duration } of list.getEntries())
          if (interactionId) events.set(interactionId, Math.max(duration, events.get(interactionId) ?? 0));
      }).observe({ type: 'event', durationThreshold: 16, buffered: true });
      let last = performance.now();
      const tick = (now) => {
        frames.push(now - last);
        last = now;
        requestAnimationFrame(tick);
      };
      requestAnimationFrame(tick);
      globalThis.takeInteractions = () => {
        const taken = { events: [...events.values()], frames: frames.slice() };
        events.clear();
        frames.length = 0;
        return taken;
      };
    });
    return new Interactions(page);
  }

  constructor(page) {
    this.#page = page;
  }

  /** What was measured since the last time. */
  async take() {
    // The browser tells an event some frames after its paint.
    await this.#page.waitForTimeout(500);
    return this.#page.evaluate(() => globalThis.takeInteractions());
  }
}
