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

/** Opens the client's own computation for the shared parameters. Hidden tokens are the client's secret, so `masked` is not possible. */
export async function openWhole(
  model: AttackedModel,
  shared: readonly string[],
  loss: Exclude<ClientLossName, 'masked'>,
): Promise<WholeLikelihood> {
  const gradients = await openSentenceGradients(model, {}, shared);
  const losses = (view: GradientView): ClientLoss[] => {
    if (loss !== 'class') return [{ loss }];
    const labels = view.labels?.slice(0, 1) ?? Array.from({ length: model.config.numLabels }, (_, label) => label);
    return labels.map((label) => ({ loss, labels: [label] }));
  };
  return {
    nats: async (view, tokens) => {
      let best = Number.NEGATIVE_INFINITY;
      for (const one of losses(view)) {
        const [own] = await gradients.of([tokens], one);
        best = Math.max(best, wholeNats(view, own as Arrays));
      }
      return best;
    },
    close: gradients.close,
  };
}

/** The nats of a gradient whose length is unknown. A gradient that points the other way says nothing. */
export function wholeNats({ gradients, noise }: Pick<GradientView, 'gradients' | 'noise'>, own: Arrays): number {
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
  return product > 0 ? product ** 2 / (2 * square) : 0;
}
