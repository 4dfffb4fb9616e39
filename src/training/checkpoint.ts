// A training checkpoint: parameters, the optimizer's state, the step reached and the configuration, in one safetensors file
// that is replaced as a whole.

import { existsSync } from 'node:fs';
import { FileError, option, say } from '../checks/index.js';
import { openSafetensors, readTensor, type SafetensorsFile, writeSafetensors } from '../models/index.js';
import { otherData } from './data-digest.js';
import { differing, writtenBefore } from './differing.js';
import type { Arrays, OptimizerState } from './optimizers.js';

/** Parameters and optimizer state; loading a checkpoint fills these arrays. */
export interface TrainingState {
  readonly parameters: Arrays;
  readonly optimizer: OptimizerState;
  /** Figures that are added up over all steps, those before resuming included. */
  readonly tally?: Record<string, number>;
}

/** Plain JSON that decides what a run computes; resuming with another one is refused. */
export type Configuration = Readonly<Record<string, unknown>>;

/** Writes a checkpoint in place of the previous one. Only its owner may read it: unlike a saved model, it is not made to be passed on. */
export async function saveTraining(path: string, state: TrainingState, configuration: Configuration): Promise<void> {
  const tensors = Object.fromEntries(
    namedArrays(state).map(([name, data]) => [name, { shape: [data.length], data }] as const),
  );
  const metadata = { step: `${state.optimizer.step}`, configuration: JSON.stringify(configuration) };
  const tally = state.tally && { tally: JSON.stringify(state.tally) };
  await writeSafetensors(path, tensors, { ...metadata, ...tally }, { ownerOnly: true });
}

/**
 * Reads a checkpoint into `state`; false if there is none, or none with the figures that `state` adds up: without those of the first
 * steps the totals would be wrong. A checkpoint with another configuration is an error.
 */
export async function loadTraining(path: string, state: TrainingState, configuration: Configuration): Promise<boolean> {
  if (!existsSync(path)) return false;
  const file = await openSafetensors(path);
  checkConfiguration(file, configuration);
  if (state.tally !== undefined && file.metadata.tally === undefined) return false;
  const step = Number(file.metadata.step || Number.NaN);
  if (!Number.isSafeInteger(step) || step < 0) {
    throw new FileError(`${path}: expected a step number, got ${file.metadata.step}`);
  }
  // Everything is read before anything changes.
  const wanted = namedArrays(state);
  const found: Float32Array[] = [];
  for (const [name, data] of wanted) {
    const numbers = await readTensor(file, name);
    if (numbers.length !== data.length) {
      throw new FileError(`${path}: tensor ${name}: expected ${data.length} numbers, got ${numbers.length}`);
    }
    found.push(numbers);
  }
  for (const [index, [, data]] of wanted.entries()) data.set(found[index] as Float32Array);
  state.optimizer.step = step;
  if (state.tally !== undefined) Object.assign(state.tally, JSON.parse(file.metadata.tally as string));
  return true;
}

function namedArrays({ parameters, optimizer }: TrainingState): [name: string, data: Float32Array][] {
  const remembered = Object.entries(optimizer.memory).flatMap(([kind, arrays]) =>
    Object.entries(arrays).map(([name, data]): [string, Float32Array] => [`optimizer.${kind}.${name}`, data]),
  );
  const own = Object.entries(parameters).map(([name, data]): [string, Float32Array] => [`parameter.${name}`, data]);
  return [...own, ...remembered];
}

function checkConfiguration({ path, metadata }: SafetensorsFile, configuration: Configuration): void {
  let saved: Configuration | null = null;
  try {
    saved = JSON.parse(metadata.configuration ?? '');
  } catch {}
  if (typeof saved !== 'object' || saved === null) {
    throw new FileError(`${path}: expected a training checkpoint, got a file without a configuration`);
  }
  if (isFrom01(saved)) throw new FileError(`${path}: the checkpoint ${writtenBefore}`);
  const changed = differing(saved, JSON.parse(JSON.stringify(configuration)));
  if (changed === undefined) return;
  const [key, before, after] = changed;
  if (key === 'trainingData') throw new FileError(say`${path}: ${otherData}`);
  throw new FileError(
    say`${path}: the checkpoint was made with ${option(key)} = ${before}, this run has ${after}: use the same value, or start a new run in another ${option('folder')}`,
  );
}

/** Version 0.1 called a batch a lot. */
const isFrom01 = ({ plan }: Configuration): boolean => typeof plan === 'object' && plan !== null && 'lotSize' in plan;
