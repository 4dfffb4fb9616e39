// The layers with parameters that models are made of. Each records its *trace*: its input, its output and its parameters.
// Per-example gradients, their norms and weighted sums follow from the traces alone.

import { ArgumentError } from '../checks/index.js';
import {
  add,
  affine,
  gather,
  labelled,
  layerNorm,
  matMul,
  type Shape,
  sliceAxis,
  type Value,
} from '../engine/index.js';
import { type Drop, dropNothing } from './dropout.js';

/** Gives the value of a named parameter: an input if it is trainable, a constant if it is frozen. */
export type ParameterOf = (name: string, shape: Shape) => Value;

/** A parameter in a trace, with its value in the graph. */
export interface TraceParameter {
  readonly name: string;
  readonly value: Value;
}

interface TraceBase {
  /** [batch, …]: its gradient, with the layer's input, gives every example's gradient of the parameters. */
  readonly output: Value;
  readonly weight: TraceParameter;
}

/** What one layer of a built model read and wrote, from which per-example gradients follow. */
export type LayerTrace =
  | (TraceBase & {
      /** output = input · weight + bias; weights are [outputs, inputs] when `transposed`. */
      readonly kind: 'linear';
      readonly input: Value;
      readonly transposed: boolean;
      readonly bias?: TraceParameter;
    })
  | (TraceBase & {
      /** output = normalised input ∘ weight + bias. */
      readonly kind: 'norm';
      readonly input: Value;
      readonly bias: TraceParameter;
      readonly epsilon: number;
    })
  /** output = the rows of weight at these ids. */
  | (TraceBase & { readonly kind: 'embedding'; readonly ids: Value })
  /** output = another value + the rows of weight from `first` on, one per token. */
  | (TraceBase & { readonly kind: 'position'; readonly first: number })
  /** output = another value + one row of weight, the same for every token. */
  | (TraceBase & { readonly kind: 'row'; readonly row: number });

interface LinearOptions {
  readonly outputs: number;
  /** Name of the weight, for a tied head. Default: `${name}.weight`. */
  readonly weight?: string;
  /** Name of the bias; `false` for none. Default: `${name}.bias`. */
  readonly bias?: string | false;
  /** Whether the weight is stored as [outputs, inputs]. Default: false. */
  readonly transposed?: boolean;
}

/** Builds layers and records their traces. A parameter used twice is one value. */
export interface Layers {
  /** In the order in which the layers were built. */
  readonly traces: readonly LayerTrace[];
  readonly linear: (name: string, x: Value, options: LinearOptions) => Value;
  readonly norm: (name: string, x: Value, epsilon: number) => Value;
  readonly embedding: (name: string, ids: Value, shape: Shape) => Value;
  /** The first token of a text gets the row `first` of the table. Default: 0. */
  readonly addPositions: (name: string, x: Value, shape: Shape, first?: number) => Value;
  readonly addRow: (name: string, x: Value, shape: Shape, row: number) => Value;
  /** Dropout at a place of this name; the value itself in evaluation mode. */
  readonly drop: Drop;
}

/** Makes layers whose parameters come from `parameterOf`, without dropout unless it is given. */
export function makeLayers(parameterOf: ParameterOf, drop: Drop = dropNothing): Layers {
  const traces: LayerTrace[] = [];
  const known = new Map<string, Value>();
  const parameter = (name: string, shape: Shape): TraceParameter => {
    const value = known.get(name) ?? parameterOf(name, shape);
    if (value.shape.join() !== shape.join()) {
      throw new ArgumentError(`parameter ${name}: expected shape [${shape}], got [${value.shape}]`);
    }
    known.set(name, value);
    return { name, value };
  };
  const record = (trace: LayerTrace): Value => {
    traces.push(trace);
    return trace.output;
  };

  return {
    traces,
    drop,
    linear: (name, x, { outputs, weight: own, bias: biasName, transposed = false }) =>
      labelled(name, () => {
        const inputs = x.shape.at(-1) as number;
        const weight = parameter(own ?? `${name}.weight`, transposed ? [outputs, inputs] : [inputs, outputs]);
        const options = { transposeB: transposed };
        if (biasName === false) {
          const output = matMul(x, weight.value, options);
          return record({ kind: 'linear', input: x, output, weight, transposed });
        }
        const bias = parameter(biasName ?? `${name}.bias`, [outputs]);
        const output = affine(x, weight.value, bias.value, options);
        return record({ kind: 'linear', input: x, output, weight, bias, transposed });
      }),
    norm: (name, x, epsilon) =>
      labelled(name, () => {
        const shape = [x.shape.at(-1) as number];
        const [weight, bias] = [parameter(`${name}.weight`, shape), parameter(`${name}.bias`, shape)];
        const output = layerNorm(x, weight.value, bias.value, epsilon);
        return record({ kind: 'norm', input: x, output, weight, bias, epsilon });
      }),
    embedding: (name, ids, shape) =>
      labelled(name, () => {
        const weight = parameter(`${name}.weight`, shape);
        return record({ kind: 'embedding', ids, output: gather(weight.value, ids), weight });
      }),
    addPositions: (name, x, shape, first = 0) =>
      labelled(name, () => {
        const tokens = x.shape[1] as number;
        const weight = parameter(`${name}.weight`, shape);
        const most = (shape[0] as number) - first;
        if (tokens > most) {
          throw new ArgumentError(`invalid tokens: expected at most the model's ${most} positions, got ${tokens}`);
        }
        const output = add(x, sliceAxis(weight.value, 0, first, first + tokens));
        return record({ kind: 'position', output, weight, first });
      }),
    addRow: (name, x, shape, row) =>
      labelled(name, () => {
        const weight = parameter(`${name}.weight`, shape);
        return record({ kind: 'row', row, output: add(x, sliceAxis(weight.value, 0, row, row + 1)), weight });
      }),
  };
}
