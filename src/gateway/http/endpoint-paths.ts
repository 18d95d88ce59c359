// The paths of the endpoints that an operator can switch on and off. What is below such a path belongs to it.

export const CHAT_PATH = '/v1/chat/completions';
export const RESPONSES_PATH = '/v1/responses';
export const METRICS_PATH = '/metrics';

export function isClosedPath(path: string, closedPaths: readonly string[] = []): boolean {
  return closedPaths.some((closed) => path === closed || path.startsWith(`${closed}/`));
}
