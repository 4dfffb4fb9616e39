// What the refinement climbs: the nats of whole sentences by the gradient and by the prior. Every sentence costs a pass through the model
// and back, so each is judged once, and no more than the budget allows.

import type { Judgement } from './whole.js';

/** A sentence that was judged. */
export interface Tried extends Judgement {
  readonly tokens: readonly number[];
  /** Log-probability before the gradient was seen. */
  readonly prior: number;
  /** The sum of both, which is to be as large as possible. */
  readonly height: number;
}

export interface Heights {
  /** Judges sentences of equal length; those beyond the budget are left out. */
  readonly of: (sentences: readonly (readonly number[])[]) => Promise<Tried[]>;
  readonly has: (tokens: readonly number[]) => boolean;
  /** How many more sentences may be judged. */
  readonly left: () => number;
  /** All that were judged. */
  readonly all: () => readonly Tried[];
}

type Judge = (sentences: readonly (readonly number[])[]) => Promise<readonly Judgement[]>;
type Prior = (sentences: readonly (readonly number[])[]) => Promise<ArrayLike<number>>;

export function heightsOf(judge: Judge, prior: Prior, budget: number): Heights {
  const known = new Map<string, Tried>();
  return {
    of: async (sentences) => {
      const missing = new Map<string, readonly number[]>();
      for (const tokens of sentences) if (!known.has(tokens.join())) missing.set(tokens.join(), tokens);
      const wanted = [...missing.values()].slice(0, Math.max(0, budget - known.size));
      if (wanted.length > 0) {
        const [judged, before] = [await judge(wanted), await prior(wanted)];
        for (const [k, tokens] of wanted.entries()) {
          const judgement = judged[k] as Judgement;
          const own = before[k] as number;
          known.set(tokens.join(), { ...judgement, tokens, prior: own, height: judgement.nats + own });
        }
      }
      return sentences.flatMap((tokens) => known.get(tokens.join()) ?? []);
    },
    has: (tokens) => known.has(tokens.join()),
    left: () => budget - known.size,
    all: () => [...known.values()],
  };
}

/** The one with the largest height. */
export const highest = (tried: readonly Tried[]): Tried =>
  tried.reduce((best, one) => (one.height > best.height ? one : best));
