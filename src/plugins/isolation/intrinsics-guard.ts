// Guards the built-in objects and functions, which all plugins in the worker share. A plugin that replaces or removes one of
// them changes what every other plugin does: with another `Array.prototype.map`, a guard may see an empty list and allow
// everything. So every such change is found before another plugin's code runs, and undone; who did it is for the caller
// to know. Additions such as a missing standard method are told and left alone, unless they change what the language
// does with every object.
//
// Rules: until a check is over, no function is called that a plugin might have replaced.

import { type BuiltIn, type Holder, LOADED_GLOBALS, listBuiltIns } from './built-ins.ts';

// These are taken before a plugin can replace them.
const { defineProperty, getOwnPropertyDescriptor, getPrototypeOf, setPrototypeOf, isExtensible, is, hasOwn } = Object;
const { ownKeys, deleteProperty, apply } = Reflect;
const { prototype: objectPrototype } = Object;

/** A member that is a value, or a global behind a getter whose value is known. */
interface KeptValue {
  readonly holder: Holder;
  readonly key: PropertyKey;
  readonly name: string;
  readonly value: unknown;
  readonly descriptor: PropertyDescriptor;
}

interface KeptAccessor {
  readonly holder: Holder;
  readonly key: PropertyKey;
  readonly name: string;
  readonly descriptor: PropertyDescriptor;
  /** Node loads some globals when they are first read, and then keeps the value in place of the getter. */
  readonly isGlobal: boolean;
}

interface KeptHolder extends BuiltIn {
  readonly prototype: object | null;
  readonly isExtensible: boolean;
  /** Its keys, with what was added and told. */
  readonly keys: Set<PropertyKey>;
}

/** With one of these on the prototype of every object, the language itself does something else. */
const NEVER_ON_OBJECTS: readonly PropertyKey[] = [
  ...['then', 'toJSON', 'get', 'set', 'value', 'writable', 'enumerable', 'configurable'],
  ...[Symbol.iterator, Symbol.asyncIterator, Symbol.toPrimitive, Symbol.isConcatSpreadable, Symbol.species],
  ...[Symbol.match, Symbol.replace, Symbol.search, Symbol.split, Symbol.unscopables, Symbol.hasInstance],
];
/** The same for single kinds. */
const NEVER_ON_OTHERS: Readonly<Record<string, readonly PropertyKey[]>> = {
  'Array.prototype': ['then', 'toJSON', Symbol.isConcatSpreadable, Symbol.toPrimitive],
  'String.prototype': ['then', 'toJSON', Symbol.toPrimitive],
  'Number.prototype': ['toJSON', Symbol.toPrimitive],
  'Boolean.prototype': ['toJSON', Symbol.toPrimitive],
  'Function.prototype': ['then', 'toJSON'],
  'Map.prototype': ['then'],
  'Set.prototype': ['then'],
  'Error.prototype': ['then'],
};

/** So few comparisons in one function are compiled to machine code; a loop over all of them takes six times as long. */
const COMPARISONS_A_CHECK = 24;

/** Looked at in a thorough check only: looking up a getter is slow, and hardly any code depends on these. */
const SELDOM_USED =
  /^(?:RegExp\.(?!prototype)|Event\.prototype|CustomEvent|Intl\.Locale|WebAssembly|TextDecoder|Performance)/;

/** What almost every object inherits from. Of the others, a thorough check sees that they were frozen or inherit from others. */
const INHERITED =
  /^(?:Object|Function|Array|String|Number|RegExp|Map|Set|WeakMap|Promise|Date|Error|URL|TypedArray|Buffer)\.prototype$/;

type Check = () => boolean;

/** One comparison of a check. `text` is its code, given the names of variables that hold the three values. */
interface Comparison {
  readonly holder: Holder;
  readonly key?: PropertyKey | undefined;
  readonly kept: unknown;
  readonly text: (holder: string, key: string, kept: string) => string;
}

export class IntrinsicsGuard {
  readonly #holders: KeptHolder[] = [];
  readonly #values: KeptValue[] = [];
  readonly #accessors: readonly KeptAccessor[];
  readonly #seldomUsed: KeptAccessor[];
  readonly #absent: { readonly holder: Holder; readonly key: PropertyKey; readonly name: string }[] = [];
  readonly #checks: Check[];
  readonly #mostUsed: Check;

  constructor() {
    const builtIns = listBuiltIns();
    const accessors = [...builtIns.flatMap((builtIn) => this.#keep(builtIn)), ...this.#keepGlobals()];
    const isSeldom = ({ name, isGlobal }: KeptAccessor) => isGlobal || SELDOM_USED.test(name);
    this.#accessors = accessors.filter((each) => !isSeldom(each));
    this.#seldomUsed = accessors.filter(isSeldom);
    for (const { name, holder } of builtIns) {
      const never = holder === objectPrototype ? NEVER_ON_OBJECTS : (NEVER_ON_OTHERS[name] ?? []);
      for (const key of never) this.#absent.push({ holder, key, name: nameOf(name, key) });
    }
    this.#checks = checksOf([
      ...this.#values.map(comparisonOfValue),
      ...this.#absent.map((each) => comparisonOfValue({ ...each, value: undefined })),
      ...this.#accessors.map(comparisonOfAccessor),
      ...this.#holders.filter(({ name }) => INHERITED.test(name)).flatMap(comparisonsOfHolder),
    ]);
    this.#mostUsed = allOf(checksOf(this.#values.filter(({ name }) => MOST_USED.has(name)).map(comparisonOfValue)));
  }

  /** Called after every call: looks at what almost all code uses, and at everything when some of that was changed. */
  restoreMostUsed(): readonly string[] | undefined {
    return this.#mostUsed() ? undefined : this.#restoreAll();
  }

  /** Gives the names of what had been changed; undefined when nothing had. */
  restore(): readonly string[] | undefined {
    return this.#isIntact() ? undefined : this.#restoreAll();
  }

  /** The same, with what hardly any code uses. */
  restoreThoroughly(): readonly string[] | undefined {
    if (!this.#isIntact()) return this.#restoreAll();
    const changed = this.#changedInRest();
    return changed === undefined ? undefined : this.#restoreAll(changed);
  }

  /** What was added since this was last called. */
  additions(): readonly string[] {
    const added: string[] = [];
    for (const { name, holder, keys, isKept } of this.#holders) {
      for (const key of ownKeys(holder)) {
        if (keys.has(key) || !isKept(key)) continue;
        keys.add(key);
        added.push(nameOf(name, key));
      }
    }
    return added;
  }

  /** Gives its getters and setters. */
  #keep({ name, holder, isKept }: BuiltIn): readonly KeptAccessor[] {
    const keys = ownKeys(holder);
    this.#holders.push({
      name,
      holder,
      isKept,
      prototype: getPrototypeOf(holder),
      isExtensible: isExtensible(holder),
      keys: new Set(keys),
    });
    const accessors: KeptAccessor[] = [];
    for (const key of keys) {
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (!descriptor || !isKept(key) || (typeof holder === 'function' && (key === 'name' || key === 'length')))
        continue;
      // What cannot be changed needs no guard.
      if (!descriptor.configurable && !descriptor.writable) continue;
      const kept = { holder, key, name: nameOf(name, key), descriptor };
      if ('value' in descriptor) this.#values.push({ ...kept, value: descriptor.value });
      else accessors.push({ ...kept, isGlobal: false });
    }
    return accessors;
  }

  #keepGlobals(): readonly KeptAccessor[] {
    const holder = globalThis as unknown as Holder;
    const accessors: KeptAccessor[] = [];
    for (const key of ownKeys(holder)) {
      const descriptor = getOwnPropertyDescriptor(holder, key);
      if (!descriptor?.configurable || key === 'console') continue;
      const kept = { holder, key, name: nameOf('', key) };
      if ('value' in descriptor) this.#values.push({ ...kept, value: descriptor.value, descriptor });
      else if (typeof key === 'string' && LOADED_GLOBALS.includes(key)) {
        const value = holder[key];
        const put = { value, configurable: true, writable: true, enumerable: descriptor.enumerable === true };
        this.#values.push({ ...kept, value, descriptor: put });
      } else accessors.push({ ...kept, descriptor, isGlobal: true });
    }
    return accessors;
  }

  #isIntact(): boolean {
    // Something enumerable on the prototype of all objects appears in every loop over the keys of an object.
    for (const _ in {}) return false;
    const checks = this.#checks;
    for (let index = 0; index < checks.length; index += 1) if (!(checks[index] as Check)()) return false;
    return true;
  }

  #changedInRest(): string | undefined {
    const holders = this.#holders;
    for (let index = 0; index < holders.length; index += 1) {
      const { name, holder, prototype, isExtensible: wasExtensible } = holders[index] as KeptHolder;
      if (getPrototypeOf(holder) !== prototype || isExtensible(holder) !== wasExtensible) return name;
    }
    const seldomUsed = this.#seldomUsed;
    for (let index = 0; index < seldomUsed.length; index += 1) {
      const each = seldomUsed[index] as KeptAccessor;
      if (isSame(each)) continue;
      // This may put it back already.
      if (!isLoadedByNode(each)) return each.name;
      this.#keepLoaded(each, index);
      index -= 1;
    }
    return undefined;
  }

  /** Node has put the value in place of its getter. Everything was found in order, so that built-in functions can be used. */
  #keepLoaded({ holder, key, name }: KeptAccessor, index: number): void {
    this.#seldomUsed.splice(index, 1);
    const before = this.#values.length;
    const value = holder[key];
    const descriptor = { value, configurable: true, writable: true, enumerable: false };
    this.#values.push({ holder, key, name, value, descriptor });
    const parts = [
      [name, value],
      [`${name}.prototype`, (value as { readonly prototype?: unknown } | undefined)?.prototype],
    ] as const;
    for (const [label, part] of parts) {
      if ((typeof part !== 'function' && typeof part !== 'object') || part === null) continue;
      this.#seldomUsed.push(...this.#keep({ name: label, holder: part as Holder, isKept: () => true }));
    }
    this.#checks.push(...checksOf(this.#values.slice(before).map(comparisonOfValue)));
  }

  /** `found` is what is known to have been changed. */
  #restoreAll(found?: string): readonly string[] {
    const changed: string[] = [];
    const say = (name: string) => {
      changed[changed.length] = name;
    };
    const attempt = (undo: () => unknown) => {
      try {
        undo();
      } catch {
        // The plugin made it unchangeable as well, so it stays until the worker is ended.
      }
    };
    for (let index = 0; index < this.#holders.length; index += 1) {
      const { holder, name, prototype, isExtensible: wasExtensible } = this.#holders[index] as KeptHolder;
      if (wasExtensible && !isExtensible(holder)) say(`${name} (it was frozen)`);
      if (getPrototypeOf(holder) === prototype) continue;
      say(`the prototype of ${name}`);
      attempt(() => setPrototypeOf(holder, prototype));
    }
    for (let index = 0; index < this.#values.length; index += 1) {
      const { holder, key, name, value, descriptor } = this.#values[index] as KeptValue;
      if (hasOwn(holder, key) && is(holder[key], value)) continue;
      say(name);
      attempt(() => defineProperty(holder, key, descriptor));
    }
    for (let list = 0; list < 2; list += 1) {
      const accessors = list === 0 ? this.#accessors : this.#seldomUsed;
      for (let index = 0; index < accessors.length; index += 1) {
        const each = accessors[index] as KeptAccessor;
        if (isSame(each) || isLoadedByNode(each)) continue;
        say(each.name);
        attempt(() => defineProperty(each.holder, each.key, each.descriptor));
      }
    }
    for (let index = 0; index < this.#absent.length; index += 1) {
      const { holder, key, name } = this.#absent[index] as { holder: Holder; key: PropertyKey; name: string };
      if (!hasOwn(holder, key)) continue;
      say(name);
      attempt(() => deleteProperty(holder, key));
    }
    const onObjects = ownKeys(objectPrototype);
    for (let index = 0; index < onObjects.length; index += 1) {
      const key = onObjects[index] as PropertyKey;
      if (!getOwnPropertyDescriptor(objectPrototype, key)?.enumerable) continue;
      say(nameOf('Object.prototype', key));
      attempt(() => deleteProperty(objectPrototype, key));
    }
    if (changed.length === 0 && found !== undefined) say(found);
    return changed;
  }
}

function isSame({ holder, key, descriptor }: KeptAccessor): boolean {
  const now = getOwnPropertyDescriptor(holder, key);
  return now !== undefined && now.get === descriptor.get && now.set === descriptor.set;
}

function isLoadedByNode({ holder, key, descriptor, isGlobal }: KeptAccessor): boolean {
  const now = getOwnPropertyDescriptor(holder, key);
  if (!isGlobal || !descriptor.get || now === undefined || !hasOwn(now, 'value')) return false;
  return now.value === apply(descriptor.get, holder, []);
}

/** What the worker itself uses between two calls, and almost all plugins. */
const MOST_USED = new Set([
  ...['setTimeout', 'setImmediate', 'clearTimeout', 'queueMicrotask', 'performance', 'process', 'AbortController'],
  ...['Object', 'Array', 'Map', 'Promise', 'Error', 'JSON.parse', 'JSON.stringify', 'Promise.prototype.then'],
  ...['Object.keys', 'Object.entries', 'Object.fromEntries', 'Object.defineProperty', 'Function.prototype.call'],
  ...['push', 'slice', 'map', 'filter', 'flatMap', 'find', 'some', 'join'].map((name) => `Array.prototype.${name}`),
  ...['get', 'set', 'delete'].map((name) => `Map.prototype.${name}`),
]);

function comparisonOfValue({ holder, key, value }: Pick<KeptValue, 'holder' | 'key' | 'value'>): Comparison {
  const text: Comparison['text'] = is(value, Number.NaN)
    ? (h, k) => `${h}[${k}] !== ${h}[${k}]`
    : (h, k, v) => `${h}[${k}] === ${v}`;
  return { holder, key, kept: value, text };
}

function comparisonOfAccessor({ holder, key, descriptor }: KeptAccessor): Comparison {
  const text: Comparison['text'] = (h, k, v) =>
    `(now = getOwnPropertyDescriptor(${h}, ${k})) !== undefined && now.get === ${v}.get && now.set === ${v}.set`;
  return { holder, key, kept: descriptor, text };
}

function comparisonsOfHolder({ holder, prototype, isExtensible: wasExtensible }: KeptHolder): readonly Comparison[] {
  return [
    { holder, kept: prototype, text: (h, _, v) => `getPrototypeOf(${h}) === ${v}` },
    { holder, kept: wasExtensible, text: (h, _, v) => `isExtensible(${h}) === ${v}` },
  ];
}

function checksOf(comparisons: readonly Comparison[]): Check[] {
  const checks: Check[] = [];
  for (let from = 0; from < comparisons.length; from += COMPARISONS_A_CHECK) {
    checks.push(checkOf(comparisons.slice(from, from + COMPARISONS_A_CHECK)));
  }
  return checks;
}

/** A function that makes these comparisons. It is written as text, because only a fixed key is looked up fast. */
function checkOf(comparisons: readonly Comparison[]): Check {
  const names = comparisons.map(
    (_, index) => `h${index} = h[${index}], k${index} = k[${index}], v${index} = v[${index}]`,
  );
  const texts = comparisons.map(({ key, text }, index) =>
    text(`h${index}`, typeof key === 'string' ? JSON.stringify(key) : `k${index}`, `v${index}`),
  );
  const text = `const ${names.join(', ')}; return () => { let now; return ${texts.join(' && ')}; };`;
  return new Function('h', 'k', 'v', 'getOwnPropertyDescriptor', 'getPrototypeOf', 'isExtensible', text)(
    comparisons.map(({ holder }) => holder),
    comparisons.map(({ key }) => key),
    comparisons.map(({ kept }) => kept),
    getOwnPropertyDescriptor,
    getPrototypeOf,
    isExtensible,
  ) as Check;
}

function allOf(checks: readonly Check[]): Check {
  return () => {
    for (let index = 0; index < checks.length; index += 1) if (!(checks[index] as Check)()) return false;
    return true;
  };
}

function nameOf(holder: string, key: PropertyKey): string {
  if (typeof key === 'symbol') return `${holder}[${key.description}]`;
  return holder === '' ? String(key) : `${holder}.${String(key)}`;
}
