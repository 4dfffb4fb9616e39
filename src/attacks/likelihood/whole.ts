// The whole gradient of a finished sentence, against the one that was shared: what a client computes is known up to its label and the
// factor that clipping or scaling left. With both profiled out, the nats against pure noise are ⟨G, g⟩²/(2 |g|²), over numbers divided
// by the deviation of their noise. No other evidence may be added to them, because they contain it all.

import { normOf } from '../../mechanisms/index.js';
import type { Arrays } from '../../training/index.js';
import type { ClientLoss, ClientLossName } from '../client-loss.js';
import { openSentenceGradients } from '../decepticons/client.js';
import type { AttackedModel } from '../model.js';
import type { GradientView } from '../view.js';
import { rounding } from './table-products.js';

export interface WholeLikelihood {
  /** Nats of a sentence, with the label that explains the gradient best. */
  readonly nats: (view: GradientView, tokens: readonly number[]) => Promise<number>;
  readonly close: () => Promise<void>;
}

/**
 * Opens the client's own computation for these shared parameters: all of them, or some whose noise no other piece reads. Which tokens a
 * client hides is its secret, so `masked` is not possible.
 */
export async function openWhole(
  model: AttackedModel,
  shared: readonly string[],
  loss: Exclude<ClientLossName, 'masked'>,
): Promise<WholeLikelihood> {
  const gradients = await openSentenceGradients(model, {}, shared);
  const { numLabels } = model.config;
  return {
    nats: async (view, tokens) => {
      const known = view.labels?.slice(0, 1);
      const labels = known ?? Array.from({ length: numLabels }, (_, label) => label);
      // The gradients of two classes point in opposite directions, so that one of them is enough.
      const opposite = loss === 'class' && known === undefined && numLabels === 2;
      const losses: ClientLoss[] =
        loss === 'class'
          ? labels.slice(0, opposite ? 1 : numLabels).map((label) => ({ loss, labels: [label] }))
          : [{ loss }];
      let best = Number.NEGATIVE_INFINITY;
      for (const one of losses) {
        const [own] = await gradients.of([tokens], one);
        best = Math.max(best, wholeNats(view, own as Arrays, opposite));
      }
      return best;
    },
    close: gradients.close,
  };
}

/** The nats of a gradient whose length is unknown. One that points the other way says nothing, unless its sign is unknown too. */
export function wholeNats(
  { gradients, noise }: Pick<GradientView, 'gradients' | 'noise'>,
  own: Arrays,
  eitherSign = false,
): number {
  const names = Object.keys(own);
  const exact = names.some((name) => !((noise[name] ?? 0) > 0));
  const floor = exact ? rounding * Math.hypot(...names.map((name) => normOf(gradients[name] as Float32Array))) : 0;
  let [product, square] = [0, 0];
  for (const name of names) {
    const variance = (noise[name] ?? 0) ** 2 + floor ** 2;
    const [shared, mine] = [gradients[name] as Float32Array, own[name] as Float32Array];
    let [crossed, alone] = [0, 0];
    for (let i = 0; i < mine.length; i++) {
      const x = mine[i] as number;
      crossed += x * (shared[i] as number);
      alone += x * x;
    }
    product += crossed / variance;
    square += alone / variance;
  }
  return square > 0 && (product > 0 || eitherSign) ? product ** 2 / (2 * square) : 0;
}
