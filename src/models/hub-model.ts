// Models of the Hugging Face Hub: which files of a repository are downloaded, and what is said where they cannot be used.

import { join } from 'node:path';
import { FileError } from '../checks/index.js';
import {
  type DownloadProgress,
  type HubRepository,
  isHubSource,
  openHubRepository,
  readJsonObject,
} from '../platform/index.js';
import { bundledModel } from './bundled.js';

/** How a model is downloaded. */
export interface DownloadOptions {
  /** Called while files are downloaded. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Asks the Hub for the newest commit of the revision. Default: the one in the cache, if there is one. */
  readonly newest?: boolean;
}

/** Where a model is. */
export interface ModelPlace {
  /** A source that means the same weights for ever, if it is of the Hub: its revision is a commit. */
  readonly source: string;
  readonly folder: string;
}

/** The folder of a model, downloaded first if it is one of the Hub and not in the cache. */
export async function placeModel(source: string, options: DownloadOptions = {}): Promise<ModelPlace> {
  if (source.startsWith('bundled:')) return { source, folder: bundledModel(source) };
  if (!isHubSource(source)) return { source, folder: source };
  const repository = await openHubRepository(source, 'model', options);
  return { source: repository.source, folder: await download(repository) };
}

const weights = 'model.safetensors';
const index = 'model.safetensors.index.json';
const adapter = ['adapter_config.json', 'adapter_model.safetensors'];
/** The tokenizers that can be read, the first of which is used. */
const tokenizers = [['tokenizer.json'], ['vocab.txt'], ['encoder.json', 'vocab.bpe'], ['vocab.json', 'merges.txt']];
/** Used where they are there. */
const extras = ['config.json', 'tokenizer_config.json', 'special_tokens_map.json'];
/** The record of a model that Epsilens trained, and the page that repeats its sentences. */
const record = ['privacy.json', 'README.md'];

async function download(repository: HubRepository): Promise<string> {
  const names = repository.files.map(({ path }) => path);
  const hasAll = (some: readonly string[]) => some.every((name) => names.includes(name));
  if (!hasAll(['config.json']) && !hasAll(adapter)) {
    throw unusable(repository, 'expected config.json, which the repository lacks: it is no model of Transformers');
  }
  const stored = hasAll([weights]) ? [weights] : hasAll([index]) ? [index] : undefined;
  if (stored === undefined && !hasAll(adapter)) throw await withoutSafetensors(repository, names);
  const tokenizer = tokenizers.find(hasAll);
  if (tokenizer === undefined && !hasAll(adapter)) throw withoutTokenizer(repository);
  const whole = [
    ...extras,
    ...(names.includes('privacy.json') ? record : []),
    ...(tokenizer ?? []),
    ...(stored ?? []),
    ...adapter,
  ];
  const folder = await repository.get(whole);
  if (stored?.[0] !== index) return folder;
  const { weight_map: map } = await readJsonObject(join(folder, index));
  const shards = [...new Set(Object.values(map ?? {}))].filter((shard): shard is string => typeof shard === 'string');
  const lost = shards.find((shard) => !names.includes(shard));
  if (lost !== undefined) throw unusable(repository, `${index} names ${lost}, which the repository lacks`);
  return repository.get(shards);
}

const unusable = ({ source }: HubRepository, text: string): FileError => new FileError(`${source}: ${text}`);

/** Pickles can run code when they are loaded. */
async function withoutSafetensors(repository: HubRepository, names: readonly string[]): Promise<FileError> {
  const pickle = names.find((name) => /^[^/]+\.(bin|pt|pth|ckpt|pkl)$/.test(name));
  const missing = `expected ${weights} or ${index}, got ${pickle ?? 'neither'}`;
  if (pickle === undefined) return unusable(repository, missing);
  const { architectures } = await readJsonObject(join(await repository.get(['config.json']), 'config.json'));
  const named = Array.isArray(architectures) ? architectures[0] : undefined;
  const model = typeof named === 'string' && /^\w+$/.test(named) ? named : 'AutoModel';
  return unusable(
    repository,
    `${missing}, which is a pickle file that can run code when loaded: if you trust it, convert it in Python with ${inPython(repository, [model, 'AutoTokenizer'])} and give that folder`,
  );
}

const withoutTokenizer = (repository: HubRepository): FileError =>
  unusable(
    repository,
    `expected tokenizer.json, which the repository lacks: make it in Python with ${inPython(repository, ['AutoTokenizer'])}, then put the model's config.json and ${weights} beside it and give that folder`,
  );

/** A command that saves a repository in files that can be read. */
function inPython({ name, commit }: HubRepository, classes: readonly string[]): string {
  const folder = name.repository.split('/').at(-1);
  const from = `from_pretrained('${name.repository}', revision='${commit}')`;
  const save = (one: string) =>
    `${one}.${from}.save_pretrained('${folder}'${one === 'AutoTokenizer' ? '' : ', safe_serialization=True'})`;
  return `python -c "from transformers import ${classes.join(', ')}; ${classes.map(save).join('; ')}"`;
}
