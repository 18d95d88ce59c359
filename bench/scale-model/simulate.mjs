// Simulates turns of many sessions over some seconds: messages arrive at random, each waits for its session, for a slot and
// the processor of a node, for the database, for notifications and for its account at the model and on the chat platform.
// Pure: everything comes in as numbers, and the same numbers and seed give the same answer.

/** Says how long turns waited, for each thing that can be waited for, in milliseconds (95th percentile). */
export function simulate(inputs, { turnsPerSecond, seconds, nodes, limits, seed = 1 }) {
  const random = randomOf(seed);
  const events = new Heap();
  const waits = Object.fromEntries(WAITS.map((name) => [name, []]));
  /** Only the second half counts: by then the first turns have ended, and what cannot be kept up with has piled up. */
  const note = (name, at, ms) => {
    if (at >= end / 2) waits[name].push(ms);
  };
  const isOn = (name) => limits.includes(name);
  const end = seconds * 1_000;
  const cpu = new Servers(isOn('nodes') ? nodes * inputs.coresPerNode : Number.POSITIVE_INFINITY);
  const slots = new Servers(isOn('nodes') ? nodes * inputs.runsPerNode : Number.POSITIVE_INFINITY);
  const databaseCpu = new Servers(isOn('database processor') ? inputs.databaseCores : Number.POSITIVE_INFINITY);
  const log = new Batches(inputs.syncMs, isOn('WAL sync') ? inputs.commitsPerSync : Number.POSITIVE_INFINITY);
  const notify = new Servers(isOn('NOTIFY') ? 1 : Number.POSITIVE_INFINITY);
  const busySessions = new Map();
  const modelAccounts = new Map();
  const chatAccounts = new Map();
  let finished = 0;

  const agents = popularityOf(inputs.agents, inputs.zipfExponent);
  for (let at = 0; at < end; at += -Math.log(1 - random()) * (1_000 / turnsPerSecond)) {
    // Popular agents have more sessions; the first agent has most.
    const session = Math.floor(random() * inputs.sessions);
    const agent = pick(agents, (session + 0.5) / inputs.sessions);
    events.push(at, () => arrive({ agent, session, at }));
  }
  while (events.size > 0) {
    const { at, work } = events.pop();
    if (at > end * 3) break;
    work(at);
  }
  const p95 = Object.fromEntries(Object.entries(waits).map(([name, list]) => [name, percentile(list, 0.95)]));
  return { p95, finished };

  function arrive(turn) {
    const waiting = busySessions.get(turn.session);
    if (waiting) waiting.push(turn);
    else {
      busySessions.set(turn.session, []);
      accept(turn, turn.at);
    }
  }

  function accept(turn, at) {
    commit(at, (then) => wait('nodes', slots, then, 0, (begun) => run(turn, begun), { isHeld: true }));
  }

  function run(turn, at) {
    compute(at, inputs.gatewayCpuMs / 2, (then) =>
      commit(then, (stored) =>
        account('one model account', modelAccounts, turn, inputs.modelAccount, stored, (asked) =>
          events.push(asked + inputs.modelMs, (answered) =>
            compute(answered, inputs.gatewayCpuMs / 2, (done) => commit(done, (kept) => tell(turn, kept))),
          ),
        ),
      ),
    );
  }

  function tell(turn, at) {
    notifications(at, inputs.notifications, (told) =>
      account('one chat account', chatAccounts, turn, inputs.chatAccount, told, (sent) => {
        finished += 1;
        slots.free(sent);
        const next = busySessions.get(turn.session)?.shift();
        if (next) accept(next, sent);
        else busySessions.delete(turn.session);
      }),
    );
  }

  /** A turn has `commits` transactions in all, and each is synced; a third of them is made at each of its three steps. */
  function commit(at, then) {
    wait('database processor', databaseCpu, at, inputs.postgresCpuMs / 3, (computed) => {
      if (random() > inputs.commits / 3) then(computed);
      else
        log.add(events, computed, (synced) => {
          note('WAL sync', computed, synced - computed);
          then(synced);
        });
    });
  }

  function notifications(at, left, then) {
    if (left <= 0 || random() > left) then(at);
    else wait('NOTIFY', notify, at, inputs.notifyMs, (told) => notifications(told, left - 1, then));
  }

  function compute(at, ms, then) {
    wait('nodes', cpu, at, ms, then);
  }

  function wait(name, servers, at, ms, then, { isHeld = false } = {}) {
    servers.take(events, at, (begun) => {
      note(name, at, begun - at);
      if (isHeld) then(begun);
      else
        events.push(begun + ms, (ended) => {
          servers.free(ended);
          then(ended);
        });
    });
  }

  function account(name, accounts, { agent }, { perSecond, agentsPerAccount }, at, then) {
    if (!isOn(name)) {
      then(at);
      return;
    }
    const key = Math.floor(agent / agentsPerAccount);
    // A second's worth may come at once.
    const free = Math.max(accounts.get(key) ?? 0, at - 1_000) + 1_000 / perSecond;
    accounts.set(key, free);
    const begun = Math.max(at, free);
    // The busiest account is the one that breaks; the mean of all would hide it.
    if (key === 0) note(name, at, begun - at);
    events.push(begun, then);
  }
}

export const WAITS = ['nodes', 'database processor', 'WAL sync', 'NOTIFY', 'one model account', 'one chat account'];

/** So many at a time, the others in their order. */
class Servers {
  #free;
  #waiting = [];
  #next = 0;
  #events;

  constructor(count) {
    this.#free = count;
  }

  take(events, at, begin) {
    this.#events = events;
    if (this.#free > 0) {
      this.#free -= 1;
      begin(at);
    } else this.#waiting.push(begin);
  }

  free(at) {
    const next = this.#waiting[this.#next];
    if (!next) {
      this.#free += 1;
      return;
    }
    this.#waiting[this.#next++] = undefined;
    if (this.#next === this.#waiting.length) {
      this.#waiting = [];
      this.#next = 0;
    }
    this.#events.push(at, next);
  }
}

/** One at a time, each for everything that waits when it begins, up to a number: the syncs of a log. */
class Batches {
  #ms;
  #most;
  #waiting = [];
  #isBusy = false;

  constructor(ms, most) {
    this.#ms = ms;
    this.#most = most;
  }

  add(events, at, then) {
    this.#waiting.push(then);
    if (!this.#isBusy) this.#begin(events, at);
  }

  #begin(events, at) {
    this.#isBusy = true;
    events.push(at, (begun) => {
      const batch = this.#waiting.splice(0, this.#most);
      events.push(begun + this.#ms, (ended) => {
        this.#isBusy = false;
        if (this.#waiting.length > 0) this.#begin(events, ended);
        for (const then of batch) then(ended);
      });
    });
  }
}

class Heap {
  #items = [];
  #count = 0;

  get size() {
    return this.#items.length;
  }

  push(at, work) {
    const items = this.#items;
    // What was pushed first at the same time comes first.
    const item = { at, work, order: this.#count++ };
    let index = items.length;
    items.push(item);
    while (index > 0) {
      const above = (index - 1) >> 1;
      if (!isBefore(item, items[above])) break;
      items[index] = items[above];
      index = above;
    }
    items[index] = item;
  }

  pop() {
    const items = this.#items;
    const first = items[0];
    const last = items.pop();
    if (items.length > 0) {
      let index = 0;
      for (;;) {
        let below = 2 * index + 1;
        if (below >= items.length) break;
        if (below + 1 < items.length && isBefore(items[below + 1], items[below])) below += 1;
        if (!isBefore(items[below], last)) break;
        items[index] = items[below];
        index = below;
      }
      items[index] = last;
    }
    return first;
  }
}

function isBefore(one, other) {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

/** The sums of the shares of all agents, the most popular first. */
function popularityOf(count, exponent) {
  const sums = new Float64Array(count);
  let sum = 0;
  for (let index = 0; index < count; index += 1) {
    sum += (index + 1) ** -exponent;
    sums[index] = sum;
  }
  return sums.map((each) => each / sum);
}

function pick(sums, share) {
  let [low, high] = [0, sums.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (sums[middle] < share) low = middle + 1;
    else high = middle;
  }
  return low;
}

function percentile(list, share) {
  if (list.length === 0) return 0;
  const sorted = Float64Array.from(list).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let value = Math.imul(state ^ (state >>> 15), 1 | state);
    value = (value + Math.imul(value ^ (value >>> 7), 61 | value)) ^ value;
    return ((value ^ (value >>> 14)) >>> 0) / 4_294_967_296;
  };
}
