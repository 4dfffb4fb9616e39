// The server of `epsilens attack decepticons`: what it sends, and what is said about that.

import {
  type DecepticonsAttacker,
  decepticonsKnown,
  decepticonsParameters,
  type Malicious,
  type MaliciousChange,
  maliciousParameters,
} from '../attacks/index.js';
import { writeSafetensors } from '../models/index.js';
import { seededSource } from '../random/index.js';
import type { DecepticonsCase } from './attack-decepticons-target.js';

/** Saves them too, where a file is named. */
export async function setParameters(
  { model, tokenizer, stored, loss }: DecepticonsCase,
  attacker: DecepticonsAttacker,
  { seed, parameters }: { readonly seed: number; readonly parameters?: string },
): Promise<Malicious> {
  const malicious = await maliciousParameters(model, {
    attacker,
    // The first token that differs between sentences.
    keyPosition: decepticonsKnown(tokenizer).around.before.length,
    // Where few tokens have a loss, the last block must spread it.
    ...((loss === 'class' || loss === 'masked') && { equalise: true }),
    random: seededSource(seed).stream('server'),
  });
  if (parameters === undefined) return malicious;
  const tensors = Object.entries(malicious.parameters).map(([name, data]) => {
    const shape = model.parameters.get(name)?.shape ?? [];
    return [stored(name), { shape, data }] as const;
  });
  const metadata = { format: 'pt', changes: JSON.stringify(malicious.changes) };
  await writeSafetensors(parameters, Object.fromEntries(tensors), metadata);
  return malicious;
}

export interface Message {
  readonly shared: { readonly tensors: number; readonly numbers: number; readonly read: readonly string[] };
  readonly server: {
    readonly changed: number;
    readonly tensors: number;
    readonly settings: Malicious['settings'];
    readonly feedForwards: number;
    readonly thresholds: number;
    readonly changes: readonly MaliciousChange[];
  };
}

export function describeMessage({ model, shared }: DecepticonsCase, malicious: Malicious): Message {
  const { parameters, settings, thresholds, changes } = malicious;
  const sizeOf = (name: string) => (model.parameters.get(name)?.shape ?? []).reduce((all, size) => all * size, 1);
  return {
    shared: {
      tensors: shared.length,
      numbers: shared.reduce((sum, name) => sum + sizeOf(name), 0),
      read: decepticonsParameters(model, malicious),
    },
    server: {
      changed: Object.keys(parameters).length,
      tensors: model.parameters.size,
      settings,
      feedForwards: thresholds.length,
      // Two feed-forwards share the threshold between them.
      thresholds: thresholds.reduce((sum, { length }) => sum + length - 1, 1),
      changes,
    },
  };
}
