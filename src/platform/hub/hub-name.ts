// Names of the Hugging Face Hub: hf:owner/name@revision for models, hf:owner/name:config@revision for data sets. Whatever is not such
// a name is refused here, so that no name can leave the cache folder or become another request.

import { isAbsolute, relative } from 'node:path';
import { ArgumentError } from '../../checks/index.js';

/** What a repository holds. */
export type HubKind = 'model' | 'dataset';

/** A name of the Hub in its parts. */
export interface HubName {
  readonly kind: HubKind;
  /** `owner/name`, or a name alone: some of the oldest models have no owner. */
  readonly repository: string;
  /** The configuration of a data set, such as `cola` of GLUE. */
  readonly config?: string;
  /** A branch, a tag or a commit. Default: the branch `main`. */
  readonly revision?: string;
}

/** Whether a source is named on the Hub. */
export const isHubSource = (source: string): boolean => source.startsWith('hf:');

const segment = /^[A-Za-z0-9_](?:[A-Za-z0-9._-]{0,94}[A-Za-z0-9_])?$/;
const path = /^[A-Za-z0-9_](?:[A-Za-z0-9._/+-]{0,250}[A-Za-z0-9_+-])?$/;
/** Git and the Hub refuse these too; the cache's folders separate owner and name by two dashes. */
const forbidden = /\.\.|\/\/|\/\.|\.\/|--|\.lock$|\.git$/;

/** Whether a text can be the name of a repository: owner/name, or a name alone. */
export const isHubRepository = (text: string): boolean => {
  const parts = text.split('/');
  return parts.length <= 2 && parts.every((part) => segment.test(part)) && !forbidden.test(text);
};
const isPath = (text: string): boolean => path.test(text) && !forbidden.test(text.replaceAll('--', '-'));

const expected = {
  model: 'hf:owner/name or hf:owner/name@revision',
  dataset: 'hf:owner/name, hf:owner/name:config or hf:owner/name:config@revision',
} as const;

/** Takes a source apart that begins with `hf:`. */
export function parseHubName(source: string, kind: HubKind): HubName {
  const [, repository = '', config, revision] = /^hf:([^:@]*)(?::([^@]*))?(?:@(.*))?$/s.exec(source) ?? [];
  const fits =
    isHubRepository(repository) &&
    (config === undefined || (kind === 'dataset' && isPath(config))) &&
    (revision === undefined || isPath(revision));
  if (!fits) {
    const what = kind === 'model' ? 'model' : 'data set';
    throw new ArgumentError(`expected a ${what} of the Hub as ${expected[kind]}, got ${JSON.stringify(source)}`);
  }
  return { kind, repository, ...(config !== undefined && { config }), ...(revision !== undefined && { revision }) };
}

/** The source that means one commit for ever. */
export const pinned = ({ repository, config }: HubName, commit: string): string =>
  `hf:${repository}${config === undefined ? '' : `:${config}`}@${commit}`;

/** Whether a revision is a commit, which never changes. */
export const isCommit = (revision: string): boolean => /^[0-9a-f]{40}$/.test(revision);

/** The end of an error about a path that is not there: what to write if a name of the Hub was meant. Nothing if it cannot be one. */
export function hubAdvice(missing: string, kind: HubKind): string {
  // Studies make paths absolute.
  const name = (isAbsolute(missing) ? relative(process.cwd(), missing) : missing).replaceAll('\\', '/');
  if (!isHubRepository(name) || /\.(?:tsv|csv|jsonl|ndjson|json|parquet|txt|gz|safetensors)$/i.test(name)) return '';
  return `; for the ${kind === 'model' ? 'model' : 'data set'} of this name on the Hugging Face Hub, write hf:${name}`;
}
