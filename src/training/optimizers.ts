// Optimizers as init/update pairs: `init` makes the state, `update` changes parameters and state in place. The state is plain
// data, so that a checkpoint can hold it.

import { ArgumentError, nonNegative, positive } from '../checks/index.js';

/** One array of numbers per parameter, by its name. */
export type Arrays = Readonly<Record<string, Float32Array>>;

/** The state of an optimizer, as plain data. */
export interface OptimizerState {
  /** Updates made so far. */
  step: number;
  /** Moments or velocities by kind and parameter, each as long as the parameter. */
  readonly memory: Readonly<Record<string, Arrays>>;
}

/** Learning-rate schedule: the rate at a step, counted from 0. */
export type Schedule = (step: number) => number;

/** Updates parameters from gradients. */
export interface Optimizer {
  /** The state before the first update. */
  readonly init: (parameters: Arrays) => OptimizerState;
  /** Changes parameters and state in place. */
  readonly update: (parameters: Arrays, gradients: Arrays, state: OptimizerState) => void;
}

interface Common {
  /** A positive number, or a schedule (see `scheduleOf`). */
  readonly learningRate: number | Schedule;
}

/** Updates one parameter `x` and its state in place. */
type Rule = (
  x: Float32Array,
  gradient: Float32Array,
  memory: readonly Float32Array[],
  rate: number,
  step: number,
) => void;

function makeOptimizer({ learningRate }: Common, remembered: readonly string[], rule: Rule): Optimizer {
  if (typeof learningRate === 'number') positive({ learningRate });
  const schedule = typeof learningRate === 'number' ? () => learningRate : learningRate;
  return {
    init: (parameters) => {
      const zeros = () =>
        Object.fromEntries(Object.entries(parameters).map(([name, x]) => [name, new Float32Array(x.length)]));
      return { step: 0, memory: Object.fromEntries(remembered.map((kind) => [kind, zeros()])) };
    },
    update: (parameters, gradients, state) => {
      const rate = schedule(state.step);
      nonNegative({ learningRate: rate });
      // Everything is checked before anything changes.
      const work = Object.entries(parameters).map(([name, x]) => {
        const arrays = [gradients[name], ...remembered.map((kind) => state.memory[kind]?.[name])];
        const wrong = arrays.find((array) => array?.length !== x.length);
        if (arrays.includes(undefined) || wrong !== undefined) {
          throw new ArgumentError(`update: parameter ${name}: expected a gradient and state of ${x.length} numbers`);
        }
        const [gradient, ...memory] = arrays as [Float32Array, ...Float32Array[]];
        return { x, gradient, memory };
      });
      state.step += 1;
      for (const { x, gradient, memory } of work) rule(x, gradient, memory, rate, state.step);
    },
  };
}

/** Settings of `sgd`. */
export interface SgdOptions extends Common {
  /** Share of the previous velocity that is kept. Default: 0. */
  readonly momentum?: number;
  /** L2 penalty: this times the parameter is added to the gradient. Default: 0. */
  readonly weightDecay?: number;
}

/** Stochastic gradient descent; with momentum, v ← momentum·v + g and x ← x − rate·v. */
export function sgd(options: SgdOptions): Optimizer {
  const { momentum = 0, weightDecay = 0 } = options;
  nonNegative({ momentum, weightDecay });
  return makeOptimizer(options, momentum === 0 ? [] : ['velocity'], (x, gradient, [velocity], rate) => {
    for (let i = 0; i < x.length; i++) {
      let slope = (gradient[i] as number) + weightDecay * (x[i] as number);
      if (velocity !== undefined) {
        slope += momentum * (velocity[i] as number);
        velocity[i] = slope;
      }
      x[i] = (x[i] as number) - rate * slope;
    }
  });
}

/** Settings of `adam` and `adamW`. */
export interface AdamOptions extends Common {
  /** Decay of the first moment, below 1. Default: .9. */
  readonly beta1?: number;
  /** Decay of the second moment, below 1. Default: .999. */
  readonly beta2?: number;
  /** Added to the denominator. Default: 1e-8. */
  readonly epsilon?: number;
  /** Default: 0 for `adam`, .01 for `adamW`. */
  readonly weightDecay?: number;
}

/** Adam (Kingma & Ba 2015); weight decay is added to the gradient. */
export const adam = (options: AdamOptions): Optimizer => makeAdam(options, false);

/** AdamW (Loshchilov & Hutter 2019); weight decay shrinks the parameters themselves. */
export const adamW = (options: AdamOptions): Optimizer => makeAdam({ weightDecay: 0.01, ...options }, true);

function makeAdam(options: AdamOptions, decoupled: boolean): Optimizer {
  const { beta1 = 0.9, beta2 = 0.999, epsilon = 1e-8, weightDecay = 0 } = options;
  nonNegative({ beta1, beta2, weightDecay });
  positive({ epsilon });
  if (beta1 >= 1 || beta2 >= 1) throw new ArgumentError(`invalid betas: expected below 1, got ${beta1} and ${beta2}`);
  return makeOptimizer(options, ['mean', 'square'], (x, gradient, memory, rate, step) => {
    const [mean, square] = memory as [Float32Array, Float32Array];
    const shrink = decoupled ? 1 - rate * weightDecay : 1;
    const added = decoupled ? 0 : weightDecay;
    // Both corrections for the first steps are drawn out of the loop: one division per number instead of two.
    const second = Math.sqrt(1 - beta2 ** step);
    const [size, least] = [(rate * second) / (1 - beta1 ** step), epsilon * second];
    const [fresh1, fresh2] = [1 - beta1, 1 - beta2];
    for (let i = 0; i < x.length; i++) {
      const slope = (gradient[i] as number) + added * (x[i] as number);
      const m = beta1 * (mean[i] as number) + fresh1 * slope;
      const v = beta2 * (square[i] as number) + fresh2 * slope * slope;
      mean[i] = m;
      square[i] = v;
      x[i] = shrink * (x[i] as number) - (size * m) / (Math.sqrt(v) + least);
    }
  });
}
