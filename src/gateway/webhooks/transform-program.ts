// What the worker imports to call the transform of a mapping: a function of the operator that is given a request, and says
// what becomes of it.

import { findProgram } from '../../plugins/isolation/find-program.ts';

export const moduleNames: readonly string[] = [];

export async function loadModules(): Promise<Readonly<Record<string, unknown>>> {
  return {};
}

/** A request as it crosses into the worker. */
export interface CrossingRequest {
  readonly payload: Readonly<Record<string, unknown>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly path: string;
  readonly url: string;
}

export interface TransformAnswer {
  readonly returned?: unknown;
  /** Present when it failed. */
  readonly thrown?: string | undefined;
}

/** Never rejects. What a transform gives is taken as JSON, because nothing else can be merged into an action. */
export async function answerEvent(
  transform: (request: object) => unknown,
  { payload, headers, path, url }: CrossingRequest,
): Promise<TransformAnswer> {
  try {
    const returned = await transform({ payload, headers, path, url: new URL(url) });
    return returned === undefined ? {} : { returned: JSON.parse(JSON.stringify(returned) ?? 'null') };
  } catch (error) {
    return { thrown: error instanceof Error ? error.message : String(error) };
  }
}

export const TRANSFORM_PROGRAM = findProgram(import.meta.url, 'gateway/webhooks/transform-program').href;
