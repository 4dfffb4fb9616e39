// Requests to the Hub: the token goes to the Hub's own origin and nowhere else, busy servers are asked again a few times, and every
// refusal is one sentence.

import { FileError } from '../../checks/index.js';
import type { HubName } from './hub-name.js';
import type { HubSettings } from './hub-settings.js';

/** Why the Hub did not give what was asked for. */
export class HubError extends FileError {
  constructor(
    message: string,
    /** The status of its answer; undefined if there was none, or only a part of one. */
    readonly status?: number,
  ) {
    super(message);
  }
}

const mostRedirects = 5;
const mostTries = 4;
const longestPause = 60; // seconds
const longestSilence = 60_000; // milliseconds until a server counts as gone

/** Rejects if the promise takes too long, because a connection can fall silent without an end; `stop` then ends what it waits for. */
export async function withinReason<Result>(promise: Promise<Result>, stop: () => void = () => {}): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const silence = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      reject(new Error(`no answer for ${longestSilence / 1000} seconds`));
      stop();
    }, longestSilence);
  });
  try {
    return await Promise.race([promise, silence]);
  } finally {
    clearTimeout(timer);
  }
}

export const pause = (seconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1000 * seconds));

/** A `fetch` for one repository, for @huggingface/hub and for downloads. It resolves to good answers only. */
export function hubFetch(name: HubName, settings: HubSettings): typeof fetch {
  return async (input, init) => {
    if (settings.offline) {
      throw new HubError(`hf:${name.repository}: HF_HUB_OFFLINE is set, so the Hub is not asked: unset it to download`);
    }
    for (let tries = 1; ; tries++) {
      const answer = await attempt(String(input), init, settings).catch((error: unknown) => asError(error));
      const status = answer instanceof Error ? undefined : answer.status;
      if (!(answer instanceof Error)) {
        if (answer.ok) return answer;
        await answer.body?.cancel();
      }
      const isBusy = status === undefined ? !isAway(answer as Error) : status === 429 || status >= 500;
      const wait = answer instanceof Error ? 0.5 * tries : waitFor(answer, tries);
      if (!isBusy || tries === mostTries || wait > longestPause) throw refusal(name, settings, answer, wait);
      await pause(wait);
    }
  };
}

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));

/** Follows redirects itself: `fetch` would do so too, but only this way is it certain what is sent to whom. */
async function attempt(
  input: string,
  init: RequestInit | undefined,
  { endpoint, token }: HubSettings,
): Promise<Response> {
  const { origin } = new URL(endpoint);
  let url = new URL(input);
  for (let redirects = 0; ; redirects++) {
    const headers = new Headers(init?.headers);
    headers.set('user-agent', 'epsilens');
    // Bytes as they are: ranges and checksums are those of the file.
    headers.set('accept-encoding', 'identity');
    headers.delete('authorization');
    if (token !== undefined && url.origin === origin) headers.set('authorization', `Bearer ${token}`);
    const stop = new AbortController();
    const request = fetch(url, { ...init, headers, redirect: 'manual', signal: stop.signal });
    const response = await withinReason(request, () => stop.abort());
    const target = response.headers.get('location');
    if (response.status < 300 || response.status >= 400 || target === null) return response;
    await response.body?.cancel();
    if (redirects === mostRedirects) throw new Error('it redirects again and again');
    url = new URL(target, url);
    if (!/^https?:$/.test(url.protocol)) throw new Error('it redirects to an address that is not of the web');
  }
}

/** Nothing is gained by asking again at once. */
const isAway = (error: Error): boolean => /ECONNREFUSED|ENOTFOUND|redirects/.test(`${codeOf(error)} ${error.message}`);

/** The code of a failed connection, such as ENOTFOUND. */
const codeOf = ({ cause }: Error): string => String((cause as { code?: unknown } | undefined)?.code ?? '');

/** Seconds until the next try: what the server says, or a little more each time. */
function waitFor({ headers }: Response, tries: number): number {
  const said = headers.get('retry-after');
  if (said === null) return 0.5 * 2 ** tries;
  const seconds = /^\d+$/.test(said) ? Number(said) : (Date.parse(said) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? Math.max(0, seconds) : 1;
}

function refusal(name: HubName, { endpoint, token }: HubSettings, answer: Response | Error, wait: number): HubError {
  const { kind, repository, revision = 'main' } = name;
  const what = kind === 'model' ? 'model' : 'data set';
  const page = `${endpoint}/${kind === 'model' ? '' : 'datasets/'}${repository}`;
  const say = (text: string) =>
    new HubError(`hf:${repository}: ${text}`, answer instanceof Error ? undefined : answer.status);
  if (answer instanceof Error) {
    const reason = codeOf(answer) || answer.message;
    return say(`${endpoint} cannot be reached (${reason}): check the connection and HF_ENDPOINT, then try again`);
  }
  const code = answer.headers.get('x-error-code');
  switch (answer.status) {
    case 401:
      return say(
        token === undefined
          ? `there is no such ${what}, or it is private or gated: check the name, or set HF_TOKEN to a token that may read it`
          : `the token in HF_TOKEN is not accepted for this ${what}: check the name and the token`,
      );
    case 403:
      return say(`access is restricted: ask for it at ${page}, and set HF_TOKEN to a token of that account`);
    case 404:
      return code === 'RevisionNotFound'
        ? say(`there is no revision ${revision} of this ${what}: see ${page}`)
        : say(`there is no such ${what} at ${endpoint}: check the name`);
    case 429:
      return say(
        `the Hub receives too many requests${wait > 0 ? ` and asks to wait ${Math.ceil(wait)} seconds` : ''}: try again later, or set HF_TOKEN, which allows more`,
      );
    default:
      return say(`${endpoint} answered with status ${answer.status}: try again later`);
  }
}
