// The secrets that this installation holds, so that records and logs can hide them word for word wherever they turn up:
// in a message, in what a tool printed, in the error of a provider. They are found by the names of settings, headers and
// variables. What is too short or too ordinary to be a key is left out, because it would be hidden in every text.

import { configuredTokenOf } from '../config/configured-token.ts';
import type { EnvironmentVariables } from '../config/home-dir.ts';
import type { Config } from '../config/schema.ts';
import { hidesField, isSecretName } from '../recorder/redact.ts';
import { SECRET_SECTIONS } from './settings/show-config.ts';

export interface SecretHolders {
  /** The configuration with its variables and references replaced. */
  readonly config: Config;
  readonly variables: EnvironmentVariables;
  /** The token that clients of this gateway need, where it is not configured. */
  readonly token?: string | undefined;
}

export function listKnownSecrets({ config, variables, token }: SecretHolders): readonly string[] {
  const found = new Set<string>();
  const add = (text: string) => {
    for (const each of [text, ...passwordsIn(text), ...credentialsOf(text)]) {
      const secret = each.trim();
      if (isTelling(secret)) found.add(secret);
    }
  };
  const addNamed = (name: string) => add(variables[name] ?? '');
  const visit = (value: unknown, name: string, isMeant: boolean): void => {
    if (typeof value === 'string') {
      for (const password of passwordsIn(value)) add(password);
      if (!isMeant && !hidesField(name, value)) return;
      // A key may be given by the name of the variable that holds it.
      if (VARIABLE_NAME.test(value)) addNamed(value);
      else add(value);
    } else if (Array.isArray(value)) for (const item of value) visit(item, name, isMeant);
    else if (typeof value === 'object' && value !== null) {
      const isSecret = isMeant || isSecretName(name);
      for (const [key, inner] of Object.entries(value)) visit(inner, key, isSecret || isMeantIn(name, key));
    }
  };
  visit(config, '', false);
  for (const [name, value] of Object.entries(variables)) {
    if (isSecretName(name)) addNamed(name);
    else for (const password of passwordsIn(value ?? '')) add(password);
  }
  add(token ?? configuredTokenOf(config, variables) ?? '');
  return [...found];
}

/** Every header may hold a secret, except those whose values are known to be none. Variables are judged by their names. */
function isMeantIn(section: string, name: string): boolean {
  if (!SECRET_SECTIONS.has(section)) return false;
  return section === 'headers' ? !PLAIN_HEADERS.test(name) : isSecretName(name);
}

const PLAIN_HEADERS =
  /^(?:accept.*|anthropic-.*|cache-control|content-.*|http-referer|openai-.*|origin|referer|user-agent|x-title)$/i;
/** A variable that is not set stays as it is written, and must be named. */
const REFERENCE = /^\$\{[A-Z][A-Z0-9_]*\}$/;
const VARIABLE_NAME = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

/** The password of an address, as it stands there and as it is meant. */
function passwordsIn(text: string): readonly string[] {
  const password = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^\s/@:]*:([^\s/@]+)@/i.exec(text)?.[1];
  if (password === undefined) return [];
  try {
    return [password, decodeURIComponent(password)];
  } catch {
    return [password];
  }
}

/** What stands behind the word of a header such as `Bearer …`. */
function credentialsOf(text: string): readonly string[] {
  const credentials = /^(?:bearer|basic|token|apikey)\s+(\S+)$/i.exec(text.trim())?.[1];
  return credentials === undefined ? [] : [credentials];
}

const LEAST_CHARACTERS = 8;
/** People write `ollama` or `not-needed` where a program wants a key and a server does not. */
const LEAST_CHARACTERS_OF_WORDS = 20;

function isTelling(text: string): boolean {
  if (text.length < LEAST_CHARACTERS || REFERENCE.test(text)) return false;
  if (/^[a-z][a-z0-9+.-]{1,20}:\/\//i.test(text) || /^(?:~?\/|[A-Za-z]:\\)/.test(text)) return false;
  return text.length >= LEAST_CHARACTERS_OF_WORDS || /[^a-z\s_-]/.test(text);
}
