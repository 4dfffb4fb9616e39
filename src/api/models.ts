// The models at hand: those of the package, and those of the Hub that were downloaded. What each can do follows from its architecture
// and from the tensors that it has.

import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { attacks, type GradientAttack } from '../attacks/index.js';
import { ArgumentError, readOptions } from '../checks/index.js';
import {
  bundledModel,
  bundledModels,
  type InspectedModel,
  inspectModel,
  type Model,
  placeModel,
} from '../models/index.js';
import { cachedSnapshots, type DownloadProgress, hubSettings, isHubSource } from '../platform/index.js';
import { expectKind, expectOptions } from './known-options.js';

/** A model at hand. */
export interface ListedModel {
  /** The source to give to other functions. */
  readonly name: string;
  /** The folder that it is in. */
  readonly folder: string;
  /** Bytes of its files. Those that two commits share count in both. */
  readonly bytes: number;
  /** The commit of a model of the Hub. */
  readonly commit?: string;
  /** Branches and tags that stood for this commit when it was downloaded. */
  readonly revisions?: readonly string[];
  /** The kind of model, such as `bert`. */
  readonly architecture?: string;
  /** Numbers in its files. */
  readonly parameters?: number;
  /** Most tokens of a text. */
  readonly positions?: number;
  /** Whether it predicts hidden tokens (`masked`) or the next one (`causal`). */
  readonly languageHead?: 'masked' | 'causal';
  /** Whether its classifier labels whole texts (`classification`) or each of their tokens (`tokens`). */
  readonly head?: Model['head'];
  /** The classes that it tells apart; absent if its classifier has to be trained first. */
  readonly classes?: readonly string[];
  /** The attacks on shared gradients that work on it with their default options. */
  readonly gradientAttacks?: readonly string[];
  /** Why it cannot be used. */
  readonly problem?: string;
}

/** Lists the models of the package, and those in the caches. */
export async function listModels(): Promise<ListedModel[]> {
  const listed: ListedModel[] = [];
  for (const name of bundledModels()) listed.push(await describe({ name, folder: bundledModel(name) }));
  for (const { repository, commit, revisions, folder } of await cachedSnapshots('model', hubSettings())) {
    const name = `hf:${repository}${revisions.includes('main') ? '' : `@${revisions[0] ?? commit}`}`;
    listed.push(await describe({ name, folder, commit, revisions }));
  }
  return listed;
}

/** How `pullModel` downloads. */
export interface PullOptions {
  readonly onProgress?: (progress: DownloadProgress) => void;
}

/** Downloads the newest commit of a model of the Hub (`hf:owner/name`, `hf:owner/name@revision`), which is used from then on. */
export async function pullModel(source: string, options: PullOptions = {}): Promise<ListedModel> {
  expectKind('model', source);
  expectOptions(options, ['onProgress'], 'pullModel');
  if (!isHubSource(source)) {
    throw new ArgumentError(`expected a model of the Hub, such as hf:${source.replace(/^.*:/, '')}, got ${source}`);
  }
  const { source: pinned, folder } = await placeModel(source, { newest: true, ...options });
  return describe({ name: source, folder, commit: pinned.slice(pinned.lastIndexOf('@') + 1) });
}

type Known = Pick<ListedModel, 'name' | 'folder' | 'commit' | 'revisions'>;

async function describe(known: Known): Promise<ListedModel> {
  const bytes = await sizeOf(known.folder);
  try {
    const inspected = await inspectModel(known.folder, known.name);
    const { model, parameters, languageHead, classes } = inspected;
    return {
      ...known,
      bytes,
      architecture: String(model.rawConfig.model_type),
      parameters,
      positions: model.config.positions,
      head: model.head,
      ...(languageHead && { languageHead }),
      ...(classes && { classes }),
      gradientAttacks: attacks.flatMap((one) => (one.sees === 'gradient' && works(one, inspected) ? [one.name] : [])),
    };
  } catch (error) {
    return { ...known, bytes, problem: error instanceof Error ? error.message : String(error) };
  }
}

/** Whether the attack itself accepts the model. */
function works(attack: GradientAttack, { model }: InspectedModel): boolean {
  const setting = { model, options: readOptions(attack.options, {}), batchSize: attack.batchSize };
  try {
    attack.check(setting, undefined);
    return attack.losses(setting).length > 0;
  } catch {
    return false;
  }
}

async function sizeOf(folder: string): Promise<number> {
  const sizes = (await readdir(folder, { recursive: true })).map(async (name) => {
    const found = await stat(join(folder, name)).catch(() => undefined);
    return found?.isFile() ? found.size : 0;
  });
  return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}
