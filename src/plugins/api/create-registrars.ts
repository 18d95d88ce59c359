// The registration functions of a plugin's API: each takes what a plugin hands over, in today's form or an older one,
// and brings it to the intake as plain data with functions.

import { KNOWN_EVENTS, PENDING_EVENTS } from '../../hooks/packs/unknown-events.ts';
import type { InternalHookEvent } from '../../protocol/bootstrap-event.ts';
import { docsCommand } from '../../protocol/documents.ts';
import type { JsonObject } from '../../protocol/json.ts';
import { nearMatch } from '../../protocol/near-match.ts';
import { PLUGIN_HOOK_NAMES } from '../admit-hook.ts';
import type { PluginHost } from '../plugin-host.ts';
import type { PluginSetup } from '../plugin-setup.ts';
import type {
  CliRegistration,
  CommandRegistration,
  HookHandlerRegistration,
  InternalHandlerAnswer,
  InternalHandlerRegistration,
  PluginCommandAnswer,
  RouteRegistration,
  ServiceRegistration,
  TrustedPolicyRegistration,
} from '../registration.ts';
import { UNUSED_REGISTRARS } from './api-registrars.ts';
import type { PluginLogger } from './plugin-logger.ts';
import { cronOf } from './plugin-runtime.ts';
import { memoryCorpus, memoryPrompt, memoryRuntime } from './registered-memory.ts';
import { registeredMethod } from './registered-method.ts';
import { registeredTool } from './registered-tool.ts';
import type { Problem, RegistrationIntake } from './registration-intake.ts';

export interface RegistrarParts {
  readonly setup: PluginSetup;
  readonly host: PluginHost;
  readonly logger: PluginLogger;
  readonly intake: RegistrationIntake;
  /** A copy of the whole configuration. */
  readonly config: () => JsonObject;
}

type Registrar = (...handed: unknown[]) => unknown;
export type Fields = Readonly<Record<string, unknown>>;
// biome-ignore lint/complexity/noBannedTypes: whatever a plugin handed over
type AnyFunction = Function;

export function createRegistrars(parts: RegistrarParts): Readonly<Record<string, Registrar>> {
  const { setup, intake } = parts;
  return {
    ...Object.fromEntries(
      [...UNUSED_REGISTRARS].map((name) => [name, (handed: unknown) => intake.putAside(name, handed)]),
    ),
    on: (hook, handler, options) => registerOn(parts, hook, handler, fieldsOf(options)),
    registerHook: (events, handler, options) => registerHook(parts, events, handler, fieldsOf(options)),
    registerTool: (tool, options) => registerTool(parts, tool, options),
    registerCommand: (command) => intake.take('registerCommand', registeredCommand(parts, fieldsOf(command))),
    registerService: (service) => intake.take('registerService', registeredService(parts, fieldsOf(service))),
    registerCli: (registrar, options) => intake.take('registerCli', registeredCli(registrar, fieldsOf(options))),
    registerNodeCliFeature: (registrar, options) =>
      intake.take('registerNodeCliFeature', registeredCli(registrar, { ...fieldsOf(options), parentPath: ['nodes'] })),
    registerGatewayMethod: (method, handler) =>
      intake.take('registerGatewayMethod', registeredMethod(method, handler, setup)),
    registerHttpRoute: (route) => intake.take('registerHttpRoute', registeredRoute(parts, fieldsOf(route))),
    registerHttpHandler: (handler) => {
      intake.legacy('registerHttpHandler', 'registerHttpRoute');
      // It is asked for every path that no route answers, and returns false when it does not answer either.
      const route = registeredRoute(parts, { path: '/', match: 'prefix', auth: 'gateway', handler });
      intake.take('registerHttpHandler', 'problem' in route ? route : { ...route, path: '' });
    },
    registerTrustedToolPolicy: (policy) =>
      intake.take('registerTrustedToolPolicy', registeredPolicy(parts, fieldsOf(policy))),
    registerMemoryCapability: (capability) => registerMemoryCapability(parts, fieldsOf(capability)),
    registerMemoryPromptSection: (builder) => {
      intake.legacy('registerMemoryPromptSection', 'registerMemoryCapability({ promptBuilder })');
      registerMemoryCapability(parts, { promptBuilder: builder });
    },
    registerMemoryRuntime: (runtime) => {
      intake.legacy('registerMemoryRuntime', 'registerMemoryCapability({ runtime })');
      registerMemoryCapability(parts, { runtime });
    },
    registerMemoryPromptSupplement: (builder) =>
      intake.take('registerMemoryPromptSupplement', registeredPrompt(parts, builder)),
    registerMemoryCorpusSupplement: (supplement) =>
      intake.take('registerMemoryCorpusSupplement', memoryCorpus(supplement)),
  };
}

/** Handlers of these hooks get `getCron` in their context. */
const HOOKS_WITH_CRON: readonly string[] = ['gateway_start', 'gateway_stop', 'cron_changed'];

function registerOn(parts: RegistrarParts, hook: unknown, handler: unknown, options: Fields): void {
  const { intake } = parts;
  if (typeof hook === 'string' && hook.includes(':')) {
    intake.legacy(`on("${hook.slice(0, 100)}")`, 'registerHook');
    registerHook(parts, hook, handler, options);
  } else intake.take('on', registeredHandler(parts, hook, handler, options));
}

function registeredHandler(
  { intake, host }: RegistrarParts,
  hook: unknown,
  handler: unknown,
  options: Fields,
): HookHandlerRegistration | Problem {
  if (typeof hook !== 'string' || hook === '') return { problem: 'its first argument names no hook' };
  if (!isFunction(handler)) return { problem: `its handler for "${hook.slice(0, 100)}" is no function` };
  const getCron = () => cronOf(host);
  // The context stays the same object with its signal; it only gets one more function.
  const withCron = (context: object) => Object.create(context, { getCron: { value: getCron, enumerable: true } });
  return {
    kind: 'hook',
    hook,
    id: intake.handlerId(hook),
    handler: HOOKS_WITH_CRON.includes(hook)
      ? (event, context) => handler(event, withCron(context))
      : (event, context) => handler(event, context),
    priority: numberOf(options.priority),
    timeoutMs: numberOf(options.timeoutMs),
    pure: options.pure === true,
    ephemeral: options.ephemeral === true,
    policy: options.policy === true,
  };
}

function registerHook(parts: RegistrarParts, events: unknown, handler: unknown, options: Fields): void {
  const { intake, setup } = parts;
  const named = listOf(Array.isArray(events) ? events : [events]).filter(isName);
  if (named.length === 0 || !isFunction(handler)) {
    intake.refuse(
      'registerHook',
      named.length === 0 ? 'it names no event' : `its handler for ${named.join(', ')} is no function`,
    );
    return;
  }
  const isHook = (event: string) => PLUGIN_HOOK_NAMES.some((name) => name === event);
  for (const hook of named.filter(isHook)) {
    intake.note('info', 'legacy', `It registers for ${hook} with registerHook; it is called as if it had used on.`);
    // Such handlers look for what they need under `event.context`.
    const asTyped = (event: object, context: object) =>
      handler({ ...event, context: { ...context, ...fieldsOf((event as Fields).context) } }, context);
    registerOn(parts, hook, asTyped, options);
  }
  const internal = named.filter((event) => !isHook(event) && admitEvent(intake, event));
  if (internal.length === 0) return;
  intake.take(
    'registerHook',
    registeredInternalHook({
      events: internal,
      name: textOf(options.name) ?? `${setup.id}:${internal[0]}`,
      description: textOf(options.description),
      handler: (event: InternalHookEvent) => handler(event),
      pluginConfig: setup.pluginConfig,
    }),
  );
}

/** An event that nothing fires is refused: otherwise its handler would wait for ever, and no one would notice. */
function admitEvent(intake: RegistrationIntake, event: string): boolean {
  if (KNOWN_EVENTS.includes(event)) return true;
  if (PENDING_EVENTS.includes(event)) {
    intake.note('info', 'pending-hook', `Its handler for ${event} waits: nothing fires this event yet.`);
    return true;
  }
  const meant = nearMatch(event, [...KNOWN_EVENTS, ...PLUGIN_HOOK_NAMES]);
  const next =
    meant === undefined ? `"${docsCommand('hooks')}" lists those that there are.` : `Did it mean "${meant}"?`;
  const message = `Its handler for "${event.slice(0, 100)}" is not registered: nothing fires such an event. ${next}`;
  intake.note('warn', 'refused-hook', message);
  return false;
}

function registerTool({ intake, setup, host }: RegistrarParts, tool: unknown, options: unknown): void {
  const registration = registeredTool(tool, options, setup, host);
  if (!intake.take('registerTool', registration) || 'problem' in registration || registration.isDeclared) return;
  const { names } = registration;
  const which = names.length === 0 ? 'Tools that it makes' : names.join(', ');
  intake.note('info', 'undeclared-tool', `${which}: not named under contracts.tools in its manifest; accepted.`);
}

function registeredCommand({ config }: RegistrarParts, command: Fields): CommandRegistration | Problem {
  const { name, description, acceptsArgs, requireAuth, handler } = command;
  const written = typeof name === 'string' ? name.trim().replace(/^\//, '').toLowerCase() : '';
  if (!/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,63}$/u.test(written)) return { problem: 'its name is no name of a command' };
  if (!isFunction(handler)) return { problem: `the command /${written} has no handler function` };
  return {
    kind: 'command',
    name: written,
    description: textOf(description) ?? '',
    acceptsArgs: acceptsArgs === true,
    requireAuth: requireAuth !== false,
    handler: async (context) =>
      commandAnswer(await handler.call(command, { ...context, ...bindingsOf(), config: config() })),
  };
}

/** Conversations cannot be bound to plugins here; those that ask are told so in the contract's own way. */
function bindingsOf() {
  return {
    requestConversationBinding: async () => ({ status: 'error', message: 'Conversations cannot be bound to plugins.' }),
    detachConversationBinding: async () => ({ removed: false }),
    getCurrentConversationBinding: async () => null,
  };
}

function commandAnswer(answer: unknown): PluginCommandAnswer | undefined {
  if (typeof answer === 'string') return { text: answer };
  if (typeof answer !== 'object' || answer === null) return undefined;
  const { text, continueAgent } = answer as Fields;
  return {
    ...(typeof text === 'string' && { text }),
    ...(typeof continueAgent === 'boolean' && { continueAgent }),
  };
}

function registeredService({ setup, logger, config }: RegistrarParts, service: Fields): ServiceRegistration | Problem {
  const { id, start, stop } = service;
  if (!isName(id)) return { problem: 'it has no id' };
  if (!isFunction(start)) return { problem: `"${id}" has no start function` };
  const context = () => ({
    config: config(),
    workspaceDir: setup.workspaceDir,
    stateDir: setup.stateDir,
    logger,
    startupTrace: { detail: () => undefined, measure: async (_name: string, run: () => unknown) => run() },
  });
  return {
    kind: 'service',
    id: id.slice(0, 100),
    start: async () => void (await start.call(service, context())),
    ...(isFunction(stop) && { stop: async () => void (await stop.call(service, context())) }),
  };
}

function registeredCli(registrar: unknown, options: Fields): CliRegistration | Problem {
  if (!isFunction(registrar)) return { problem: 'it is no function' };
  const described = listOf(options.descriptors).map((descriptor) => fieldsOf(descriptor).name);
  const commands = [...listOf(options.commands), ...described].filter(isName);
  const parentPath = listOf(options.parentPath).filter(isName);
  return { kind: 'cli', commands: [...new Set(commands)], parentPath, registrar: (context) => registrar(context) };
}

function registeredRoute({ intake }: RegistrarParts, route: Fields): RouteRegistration | Problem {
  const { path, handler, auth, match, handleUpgrade } = route;
  const written = typeof path === 'string' ? path.trim() : '';
  if (written === '') return { problem: 'it has no path' };
  if (!isFunction(handler)) return { problem: `"${written}" has no handler function` };
  if (isFunction(handleUpgrade)) {
    intake.note(
      'warn',
      'unused',
      `Its route ${written} also wants WebSocket upgrades, which routes of plugins do not get.`,
    );
  }
  if (auth !== 'plugin' && auth !== 'gateway') {
    intake.note(
      'info',
      'legacy',
      `Its route ${written} does not say who may call it, so it is behind the gateway's token.`,
    );
  }
  return {
    kind: 'route',
    path: written.startsWith('/') ? written : `/${written}`,
    match: match === 'prefix' ? 'prefix' : 'exact',
    auth: auth === 'plugin' ? 'plugin' : 'gateway',
    handler: (request, response) => handler.call(route, request, response),
  };
}

function registeredPolicy({ setup }: RegistrarParts, policy: Fields): TrustedPolicyRegistration | Problem {
  const { id, description, evaluate } = policy;
  if (setup.origin !== 'bundled') {
    return { problem: 'only plugins that come with the product can; before_tool_call is for the others' };
  }
  if (!isName(id)) return { problem: 'it has no id' };
  if (!isFunction(evaluate)) return { problem: `"${id}" has no evaluate function` };
  return {
    kind: 'trusted-policy',
    id,
    description: textOf(description) ?? '',
    evaluate: (event, context) => evaluate.call(policy, event, context),
  };
}

function registerMemoryCapability(parts: RegistrarParts, capability: Fields): void {
  const { intake, setup, config } = parts;
  const { promptBuilder, runtime, flushPlanResolver, publicArtifacts } = capability;
  if (!setup.holdsMemorySlot) {
    intake.putAside('registerMemoryCapability', undefined, `plugins.slots.memory does not name "${setup.id}"`);
    return;
  }
  if (promptBuilder) intake.take('registerMemoryCapability', registeredPrompt(parts, promptBuilder));
  if (runtime) intake.take('registerMemoryCapability', memoryRuntime(runtime, config));
  const left = Object.entries({ flushPlanResolver, publicArtifacts }).filter(([, value]) => value);
  if (left.length > 0) intake.putAside('registerMemoryCapability', left.map(([name]) => name).join(', '));
}

function registeredPrompt({ intake }: RegistrarParts, builder: unknown): HookHandlerRegistration | Problem {
  if (!isFunction(builder)) return { problem: 'it is no function' };
  const id = intake.handlerId('before_prompt_build');
  return memoryPrompt(
    id,
    (request) => builder(request),
    () => intake.toolNames,
  );
}

function isFunction(value: unknown): value is AnyFunction {
  return typeof value === 'function';
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

export function fieldsOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? (value as Fields) : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value.slice(0, 500) : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}

function registeredInternalHook(registered: {
  readonly events: readonly string[];
  readonly name: string;
  readonly description?: string | undefined;
  readonly handler: (event: InternalHookEvent) => unknown;
  readonly pluginConfig: JsonObject;
}): InternalHandlerRegistration {
  const { events, name, description, handler, pluginConfig } = registered;
  return {
    kind: 'internal-hook',
    name,
    events,
    description,
    handler: async (event): Promise<InternalHandlerAnswer> => {
      const own = ownEvent(event, pluginConfig);
      await handler(own);
      const messages = own.messages.slice(event.messages.length).filter((line) => typeof line === 'string');
      const { bootstrapFiles } = own.context;
      const isBootstrap = event.type === 'agent' && event.action === 'bootstrap';
      return isBootstrap && Array.isArray(bootstrapFiles) ? { messages, bootstrapFiles } : { messages };
    },
  };
}

function ownEvent(event: InternalHookEvent, pluginConfig: JsonObject): InternalHookEvent {
  const { bootstrapFiles } = event.context;
  const context = { ...event.context, pluginConfig: structuredClone(pluginConfig) };
  return {
    ...event,
    messages: [...event.messages],
    context: Array.isArray(bootstrapFiles) ? { ...context, bootstrapFiles: structuredClone(bootstrapFiles) } : context,
  };
}
