// A gradient from elsewhere: a safetensors file with gradients under the names of the parameters.

import { ArgumentError, FileError, type OptionValues, option, say } from '../../checks/index.js';
import { openSafetensors, readTensor, type SafetensorsFile } from '../../models/index.js';
import { seededSource } from '../../random/index.js';
import type { GradientAttack } from '../attack.js';
import { type AttackedModel, storedName } from '../model.js';
import { longestGuess } from '../unknown-lengths.js';
import type { GradientView } from '../view.js';
import { standsOut } from './stands-out.js';

/** A file of gradients, and what is known about it. */
export interface GradientFileOptions {
  readonly attack: GradientAttack;
  readonly options: OptionValues<GradientAttack['options']>;
  /** The model at which the gradients were computed. */
  readonly model: AttackedModel;
  /** Path of a safetensors file; names may carry the architecture's prefix, such as `bert.`. */
  readonly file: string;
  /** Tokens of the sentence, special ones included, if known. */
  readonly length?: number;
  /** Standard deviation of the noise on each number. Default: 0 (no noise). */
  readonly noiseDeviation?: number;
  /** Called with the number of gradients attacked so far: the file's own, then pure noise to compare with. */
  readonly onProgress?: (progress: { readonly done: number; readonly all: number }) => void;
}

/** What was recovered from a file of gradients. */
export interface GradientFileResult {
  readonly tokens: readonly string[];
  readonly text: string;
  /** How sure the attack is of each token, on a scale of its own. */
  readonly confidence: readonly number[];
  readonly figures: Readonly<Record<string, number>>;
  /** Limits that the attack reached, one sentence each. */
  readonly notes?: readonly string[];
  /** Whether the attack is surer of its tokens than on pure noise of the same size; absent if the size of the noise is unknown. */
  readonly recovered?: boolean;
}

/** Recovers one sentence from a file of gradients. The ground truth is unknown, so there are no scores. */
export async function attackGradientFile(given: GradientFileOptions): Promise<GradientFileResult> {
  const { attack, options, model, file, length, noiseDeviation = 0, onProgress } = given;
  if (attack.server === 'malicious') {
    throw new ArgumentError(
      `${attack.words.label} reads gradients at parameters that its server has set: a file of gradients is not enough`,
    );
  }
  if (length !== undefined && attack.hidesLengths?.(options)) {
    throw new ArgumentError(
      say`${option('length')} ${length}: expected none where the attacker does not know lengths: leave out this or ${option('unknownLengths')}`,
    );
  }
  const setting = { model, options, batchSize: 1 };
  attack.check(setting, undefined);
  const longest = length ?? Math.min(longestGuess, model.config.positions);
  const [loss = 'class'] = attack.losses(setting);
  const stored = await openSafetensors(file);
  const shared = [...model.parameters.keys()].filter((name) => nameIn(stored, model, name) !== undefined);
  const open = await attack.open({ ...setting, longest, loss, shared, random: seededSource('server') });
  try {
    const gradients = await readGradients(stored, file, model, open.reads);
    const view: GradientView = {
      model,
      parameters: {},
      gradients,
      noise: Object.fromEntries(open.reads.map((name) => [name, noiseDeviation])),
      batchSize: 1,
      ...(length !== undefined && { lengths: [length] }),
    };
    const recovery = await open.run(view);
    const { sentences, confidence, figures = {}, notes = [] } = recovery;
    const recovered = await standsOut(open, view, recovery, seededSource('pure noise'), onProgress);
    const [ids = []] = sentences;
    return {
      tokens: ids.map((id) => model.tokenizer.tokenOf(id) ?? `${id}`),
      text: model.tokenizer.decode(ids.filter((id) => model.tokenizer.tokenOf(id) !== undefined)),
      confidence: confidence[0] ?? [],
      figures,
      ...(notes.length > 0 && { notes }),
      ...(recovered !== undefined && { recovered }),
    };
  } finally {
    await open.close();
  }
}

/** The name of a gradient in the file, with or without the architecture's prefix; undefined if it is not there. */
const nameIn = ({ tensors }: SafetensorsFile, model: AttackedModel, name: string): string | undefined =>
  [name, storedName(model, name)].find((candidate) => tensors.has(candidate));

async function readGradients(file: SafetensorsFile, path: string, model: AttackedModel, names: readonly string[]) {
  const gradients: Record<string, Float32Array> = {};
  for (const name of names) {
    const stored = nameIn(file, model, name);
    if (stored === undefined) {
      const some = [...file.tensors.keys()].slice(0, 3).join(', ');
      throw new FileError(`${path}: expected the gradient of ${name}, got ${some} …`);
    }
    const wanted = model.parameters.get(name)?.shape ?? [];
    const shape = file.tensors.get(stored)?.shape ?? [];
    if (shape.join() !== wanted.join()) {
      throw new FileError(`${path}: gradient of ${name}: expected shape [${wanted}], got [${shape}]`);
    }
    gradients[name] = await readTensor(file, stored);
  }
  return gradients;
}
