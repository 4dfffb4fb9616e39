// What the environment says about the Hub, in the variables of Hugging Face's own tools.

import { existsSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { ArgumentError } from '../../checks/index.js';
import { cacheFolder } from '../cache-folder.js';

/** Where the Hub is, whether it may be asked, and where its files are kept. */
export interface HubSettings {
  readonly endpoint: string;
  /** No request is made. */
  readonly offline: boolean;
  /** Sent to the endpoint only. No error quotes it. */
  readonly token?: string;
  /** Hugging Face's cache, which other tools use too. */
  readonly shared: string;
  /** The folder in Epsilens's own cache. */
  readonly own: string;
  /** Which of the two new files go to. */
  readonly target: string;
}

/** Reads HF_ENDPOINT, HF_HUB_OFFLINE, HF_TOKEN, HF_HOME and HF_HUB_CACHE. */
export function hubSettings(env: NodeJS.ProcessEnv = process.env): HubSettings {
  const home = resolve(env.HF_HOME || join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'huggingface'));
  const given = env.HF_HUB_CACHE || env.HUGGINGFACE_HUB_CACHE;
  const shared = given ? resolve(given) : join(home, 'hub');
  const own = join(cacheFolder(env), 'hub');
  const token = tokenOf(env, home);
  return {
    endpoint: endpointOf(env),
    offline: /^(1|true|yes|on)$/i.test(env.HF_HUB_OFFLINE ?? ''),
    ...(token !== undefined && { token }),
    shared,
    own,
    target: given || env.HF_HOME || existsSync(shared) ? shared : own,
  };
}

function endpointOf({ HF_ENDPOINT: given }: NodeJS.ProcessEnv): string {
  if (!given) return 'https://huggingface.co';
  const url = URL.canParse(given) ? new URL(given) : undefined;
  const fits = url !== undefined && /^https?:$/.test(url.protocol) && url.username === '' && url.search === '';
  // What was given may hold a password.
  if (!fits)
    throw new ArgumentError('HF_ENDPOINT: expected an address such as https://huggingface.co, got another text');
  return url.href.replace(/\/+$/, '');
}

function tokenOf(
  { HF_TOKEN: given, HUGGING_FACE_HUB_TOKEN: older, HF_TOKEN_PATH: file }: NodeJS.ProcessEnv,
  home: string,
) {
  const text = (given || older || readQuietly(file || join(home, 'token')))?.trim();
  if (!text) return undefined;
  // A character that no header may hold would be quoted, with the token, in fetch's own error.
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new ArgumentError('HF_TOKEN: expected a token of the Hub, which has no spaces and no line breaks');
}

function readQuietly(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
