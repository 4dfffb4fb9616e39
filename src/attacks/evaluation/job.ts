// A reconstruction as plain data, so that it can be resumed, compared with an earlier one and sent to another process.

import { createHash } from 'node:crypto';
import { readOptions } from '../../checks/index.js';
import { seededSource } from '../../random/index.js';
import type { GradientAttack } from '../attack.js';
import { type AttackedModel, openAttackedModel } from '../model.js';
import { findAttack } from '../registry.js';
import { openReconstruction, type Reconstruction, type ReconstructionOptions } from './reconstruction.js';

type Task = Pick<ReconstructionOptions, 'examples' | 'batchSize' | 'loss' | 'shared' | 'protection' | 'genie' | 'seed'>;

/** Everything that decides the result of a reconstruction. `examples` are private text. */
export interface ReconstructionJob extends Task {
  /** The name of the attack. */
  readonly attack: string;
  /** Options of the attack; its defaults fill in the rest. */
  readonly options: Readonly<Record<string, unknown>>;
  /** As for `openAttackedModel`. */
  readonly model: string;
  readonly numLabels?: number;
  /** Tokens to which sentences were cut; the ReLU transformer gets at least as many positions. */
  readonly maxTokens?: number;
}

/** A job whose model and attack are open. */
export interface OpenJob {
  readonly attack: GradientAttack;
  readonly model: AttackedModel;
  readonly reconstruction: Reconstruction;
}

/** Opens the model, unless it is given, the client and the attack of a job. */
export async function openJob(job: ReconstructionJob, model?: AttackedModel): Promise<OpenJob> {
  const { attack: name, options, numLabels, maxTokens, seed, model: source, ...task } = job;
  const attack = findAttack(name) as GradientAttack;
  const wanted = {
    seed,
    ...(numLabels !== undefined && { numLabels }),
    ...(maxTokens !== undefined && { maxTokens }),
  };
  const opened = model ?? (await openAttackedModel(source, wanted));
  const reconstruction = await openReconstruction({
    ...task,
    attack,
    options: readOptions(attack.options, options),
    model: opened,
    seed,
    noise: (batch) => seededSource(seed).stream(`noise ${batch}`),
  });
  return { attack, model: opened, reconstruction };
}

/** The settings that decide the result, with a digest in place of the private text. */
export function jobSettings({ examples, ...settings }: ReconstructionJob) {
  const digest = createHash('sha256').update(JSON.stringify(examples)).digest('hex');
  return { layout: 3, ...settings, sentences: examples.inputIds.length, digest };
}
