// Per-example gradients by plain loops over traces, written independently from the definitions of the layers.

import { gradients, sizeOf, type TypedArray, type Value } from '../../src/engine/index.js';
import type { LayerTrace } from '../../src/models/index.js';

/** The values of a graph that the loops read: every trace's input, and the gradient of the summed loss by its output. */
export function siteValues(traces: readonly LayerTrace[], loss: Value): Record<string, Value> {
  const slopes = gradients(
    loss,
    traces.map(({ output }) => output),
  );
  const named: Record<string, Value> = {};
  for (const [place, trace] of traces.entries()) {
    named[`slope ${place}`] = slopes[place] as Value;
    if ('input' in trace) named[`input ${place}`] = trace.input;
    if ('ids' in trace) named[`ids ${place}`] = trace.ids;
  }
  return named;
}

type Numbers = Readonly<Record<string, TypedArray | Float64Array>>;
type Rows = readonly (readonly number[])[];

/** The gradient of one example by each parameter's name, summed over the traces that use it. */
export function gradientsFromSites(
  traces: readonly LayerTrace[],
  numbers: Numbers,
  { batch, example }: { readonly batch: number; readonly example: number },
): Map<string, Float64Array> {
  const sums = new Map<string, Float64Array>();
  const sumFor = ({ name, value }: LayerTrace['weight']): Float64Array => {
    const sum = sums.get(name) ?? new Float64Array(sizeOf(value.shape));
    sums.set(name, sum);
    return sum;
  };
  /** The example's rows of an array whose first axis is the batch. */
  const rowsOf = (name: string, width: number): Rows => {
    const all = numbers[name] as TypedArray;
    const count = all.length / batch / width;
    const first = example * count;
    return Array.from({ length: count }, (_, row) =>
      Array.from({ length: width }, (_, i) => Number(all[(first + row) * width + i])),
    );
  };

  for (const [place, trace] of traces.entries()) {
    const slopes = rowsOf(`slope ${place}`, trace.output.shape.at(-1) as number);
    const weight = sumFor(trace.weight);
    switch (trace.kind) {
      case 'linear': {
        const inputs = rowsOf(`input ${place}`, trace.input.shape.at(-1) as number);
        addProducts(weight, trace.transposed ? [slopes, inputs] : [inputs, slopes]);
        if (trace.bias) addRows(sumFor(trace.bias), slopes, () => 0);
        break;
      }
      case 'norm': {
        const inputs = rowsOf(`input ${place}`, weight.length).map((row) => standardised(row, trace.epsilon));
        const scaled = slopes.map((slope, row) => slope.map((g, j) => g * (inputs[row]?.[j] as number)));
        addRows(weight, scaled, () => 0);
        addRows(sumFor(trace.bias), slopes, () => 0);
        break;
      }
      case 'embedding': {
        const ids = rowsOf(`ids ${place}`, 1);
        addRows(weight, slopes, (row) => ids[row]?.[0] as number);
        break;
      }
      case 'position':
        addRows(weight, slopes, (row) => trace.first + row);
        break;
      case 'row':
        addRows(weight, slopes, () => trace.row);
    }
  }
  return sums;
}

/** Adds leftᵀ·right. */
function addProducts(sum: Float64Array, [left, right]: readonly [Rows, Rows]): void {
  for (const [row, ls] of left.entries()) {
    const rs = right[row] as readonly number[];
    for (const [i, l] of ls.entries())
      for (const [j, r] of rs.entries()) sum[i * rs.length + j] = (sum[i * rs.length + j] as number) + l * r;
  }
}

/** Adds each row to the row of the parameter that `target` names. */
function addRows(sum: Float64Array, rows: Rows, target: (row: number) => number): void {
  for (const [row, numbers] of rows.entries()) {
    const first = target(row) * numbers.length;
    for (const [j, number] of numbers.entries()) sum[first + j] = (sum[first + j] as number) + number;
  }
}

/** Shifted and scaled to mean 0 and variance 1. */
function standardised(numbers: readonly number[], epsilon: number): number[] {
  const mean = numbers.reduce((sum, x) => sum + x, 0) / numbers.length;
  const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / numbers.length;
  return numbers.map((x) => (x - mean) / Math.sqrt(variance + epsilon));
}
