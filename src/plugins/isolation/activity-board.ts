// A few numbers that the gateway and the worker share, so that the gateway can see what the worker is doing when it no
// longer answers: that it is alive, which thread it is, which plugin's code runs and in which call, which plugin ran
// last, how much memory it takes, and how far each plugin has got with its calls. The worker writes and the gateway reads;
// neither waits for the other.

/** The numbers of the places begin with 1. A place is used again only when all have been, see WorkerThread. */
export const MAX_SLOTS = 16_383;

const BEATS = 0;
/** Place and call in one number, so that a reader never sees half of it. Of the call only the last bits fit. */
const WHO = 1;
const LAST_SLOT = 2;
const MEMORY_MB = 3;
const THREAD = 4;
const BEGUN = 5;

const CALL_BITS = 17;
const CALL_MASK = (1 << CALL_BITS) - 1;

export class ActivityBoard {
  readonly memory: SharedArrayBuffer;
  readonly #numbers: Int32Array;

  constructor(memory = new SharedArrayBuffer((BEGUN + MAX_SLOTS + 1) * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#numbers = new Int32Array(memory);
  }

  beat(memoryMb: number): void {
    this.#numbers[MEMORY_MB] = memoryMb;
    Atomics.add(this.#numbers, BEATS, 1);
  }

  get beats(): number {
    return Atomics.load(this.#numbers, BEATS);
  }

  get memoryMb(): number {
    return Atomics.load(this.#numbers, MEMORY_MB);
  }

  /** The system's number of the worker's thread; 0 until it is written, and where there is none. */
  get thread(): number {
    return Atomics.load(this.#numbers, THREAD);
  }

  set thread(id: number) {
    Atomics.store(this.#numbers, THREAD, id);
  }

  /** Called before every callback and every continuation in the worker, so it does nothing but store. 0 means no plugin. */
  running(slot: number, call: number): void {
    this.#numbers[WHO] = (slot << CALL_BITS) | (call & CALL_MASK);
    if (slot !== 0) this.#numbers[LAST_SLOT] = slot;
  }

  /** Prepares the place for its next plugin. */
  clear(slot: number): void {
    Atomics.store(this.#numbers, BEGUN + slot, 0);
  }

  /**
   * The calls of one plugin begin in the order of their numbers, except that calls over different ports may overtake each
   * other. Then a call that has not begun may count as begun, and is not made again; the opposite never happens.
   */
  begin(slot: number, call: number): void {
    if (!this.hasBegun(slot, call)) Atomics.store(this.#numbers, BEGUN + slot, call);
    this.running(slot, call);
  }

  /**
   * The plugin whose code runs, and the last bits of the number of the call that started the code. A call that ended long
   * ago may have left a timer behind.
   */
  get now(): { readonly slot: number; readonly call: number } {
    const who = Atomics.load(this.#numbers, WHO);
    return { slot: who >>> CALL_BITS, call: who & CALL_MASK };
  }

  get lastSlot(): number {
    return Atomics.load(this.#numbers, LAST_SLOT);
  }

  hasBegun(slot: number, call: number): boolean {
    return call <= Atomics.load(this.#numbers, BEGUN + slot);
  }
}

/** Whether `now.call` of the board means this one. */
export function isCall(seen: number, call: number): boolean {
  return seen === (call & CALL_MASK);
}
