// A gradient from outside: a safetensors file with the gradients of the parameters, under their names.

import { type GradientView, spanAttack, spanParameters } from '../attacks/index.js';
import { FileError } from '../checks/index.js';
import { loadModel, openSafetensors, readTensor } from '../models/index.js';

export interface OutsideFlags {
  readonly model: string;
  readonly gradients: string;
  readonly length?: number;
  readonly noiseDeviation?: number;
}

export interface OutsideReport {
  readonly model: string;
  readonly gradients: string;
  readonly tokens: readonly string[];
  readonly text: string;
  /** Of each token, how far it was ahead of the next best. */
  readonly confidence: readonly number[];
  readonly rank: number;
}

export async function attackOutside(flags: OutsideFlags): Promise<OutsideReport> {
  const model = await loadModel(flags.model);
  const file = await openSafetensors(flags.gradients);
  const gradients: Record<string, Float32Array> = {};
  const noise: Record<string, number> = {};
  for (const name of spanParameters({ model })) {
    const stored = [name, `${model.architecture.prefix}${name}`].find((candidate) => file.tensors.has(candidate));
    if (stored === undefined) {
      throw new FileError(
        `${flags.gradients}: expected the gradient of ${name}, got ${[...file.tensors.keys()].slice(0, 3).join(', ')} …`,
      );
    }
    const wanted = model.parameters.get(name)?.shape ?? [];
    const shape = file.tensors.get(stored)?.shape ?? [];
    if (shape.join() !== wanted.join()) {
      throw new FileError(`${flags.gradients}: gradient of ${name}: expected shape [${wanted}], got [${shape}]`);
    }
    gradients[name] = await readTensor(file, stored);
    noise[name] = flags.noiseDeviation ?? 0;
  }
  const view: GradientView = {
    model,
    parameters: {},
    gradients,
    noise,
    batchSize: 1,
    ...(flags.length !== undefined && { lengths: [flags.length] }),
  };
  const { sentences, confidence, subspace } = await spanAttack(view);
  const [ids = []] = sentences;
  return {
    model: flags.model,
    gradients: flags.gradients,
    tokens: ids.map((id) => model.tokenizer.tokenOf(id) ?? `${id}`),
    text: model.tokenizer.decode(ids),
    confidence: confidence[0] ?? [],
    rank: subspace.rank,
  };
}

export function describeOutside({ model, gradients, tokens, text, rank }: OutsideReport): string {
  return `${[
    `Span attack on ${model} with the gradients of ${gradients}: ${tokens.length} tokens, ${rank} singular values stand out`,
    '',
    `  ${text}`,
    '',
    `  ${tokens.join(' ')}`,
  ].join('\n')}\n`;
}
