// The wire forms in which a provider's models can be asked, by the names that OpenClaw's configuration has for them.

export const MODEL_PROTOCOLS = [
  'anthropic-messages',
  'openai-completions',
  'openai-responses',
  'google-generative-ai',
] as const;

export type ModelProtocol = (typeof MODEL_PROTOCOLS)[number];

export function isModelProtocol(name: unknown): name is ModelProtocol {
  return MODEL_PROTOCOLS.some((protocol) => protocol === name);
}
