// Keeps clients and servers open from one noise level to the next: all that they prepare, compile and compute before the protection
// is the same at every level. How much is kept is bounded, so that large models and many attacks do not fill the memory.

import type { AttackedModel } from '../model.js';
import { openParties, type Parties, type Reconstruction, type ReconstructionOptions } from './reconstruction.js';

/** Opens reconstructions and keeps what they have in common; close it when done. */
export interface ReconstructionPool {
  /** As `openReconstruction`. Closing the result gives its client and server back. */
  readonly open: (options: ReconstructionOptions) => Promise<Reconstruction>;
  /** Closes what was given back. */
  readonly close: () => Promise<void>;
}

/** Bytes kept by default: some twenty gradients of a small model, and nothing of a large one. */
const usualBound = 512 * 2 ** 20;

/** Client and server hold about as many arrays of the size of the shared gradient: weights, their gradients, tables. */
const arraysHeld = 4;

interface Entry {
  readonly model: AttackedModel;
  readonly parties: Parties;
  readonly bytes: () => number;
}

/** Keeps at most `bound` bytes in clients and servers that are not in use. */
export function openReconstructionPool(bound = usualBound): ReconstructionPool {
  /** What is not in use; what was used longest ago comes first. */
  const kept = new Map<string, Entry>();
  const held = () => [...kept.values()].reduce((sum, { bytes }) => sum + bytes(), 0);

  async function enter(options: ReconstructionOptions): Promise<Entry> {
    let bytes = 0;
    const parties = await openParties(options, (more) => {
      const fits = held() + bytes + more <= bound;
      if (fits) bytes += more;
      return fits;
    });
    bytes += arraysHeld * Float32Array.BYTES_PER_ELEMENT * parties.shared.numbers;
    return { model: options.model, parties, bytes: () => bytes };
  }

  /** Removes what is in use, so that nobody else uses or closes it. */
  async function take(key: string, options: ReconstructionOptions): Promise<Entry> {
    const known = kept.get(key);
    kept.delete(key);
    if (known?.model === options.model) return known;
    await known?.parties.close();
    return enter(options);
  }

  async function giveBack(key: string, entry: Entry): Promise<void> {
    const other = kept.get(key);
    kept.delete(key);
    kept.set(key, entry);
    await other?.parties.close();
    for (const [oldest, { parties }] of kept) {
      if (held() <= bound) break;
      kept.delete(oldest);
      await parties.close();
    }
  }

  return {
    open: async (options) => {
      const key = keyOf(options);
      const entry = await take(key, options);
      const { under, ...about } = entry.parties;
      return { ...about, ...under(options), close: () => giveBack(key, entry) };
    },
    close: async () => {
      const entries = [...kept.values()];
      kept.clear();
      for (const { parties } of entries) await parties.close();
    },
  };
}

/** Everything that decides what client and server compute before the protection, apart from the model. */
const keyOf = ({ attack, options, examples, batchSize, shared, loss, seed }: ReconstructionOptions): string =>
  JSON.stringify({ attack: attack.name, options, examples, batchSize, shared, loss, seed });
