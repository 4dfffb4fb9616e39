// Reads token vectors from the feed-forwards' gradients. A unit with threshold c sums g·(u, 1) over the tokens with ⟨m, u⟩ > c, so two
// neighbouring units differ by the tokens between their thresholds.

import { ArgumentError } from '../../checks/index.js';
import type { LinearLayout, ModelCore } from '../../models/index.js';
import type { GradientView } from '../view.js';
import { findJumps } from './jumps.js';
import type { Malicious } from './parameters.js';

export interface TokenRow {
  /** In the direction of the input u of the feed-forwards; its length means nothing. */
  readonly vector: Float64Array;
  /** How far it stands out. */
  readonly size: number;
}

/** The gradients of one feed-forward: for each unit its weights, then its bias. */
export interface Units {
  readonly rows: Float64Array;
  readonly width: number;
}

/** Finds up to `count` rows that stand for tokens. */
export function readRows(
  view: Pick<GradientView, 'gradients'> & { readonly model: ModelCore },
  { settings, thresholds }: Malicious,
  count: number,
): TokenRow[] {
  const { blocks } = view.model.layout;
  const feedForwards = blocks.slice(0, thresholds.length).map(({ intermediate }) => unitsOf(view, intermediate));
  if (feedForwards.every(({ rows }) => rows.every((x) => x === 0)))
    throw new ArgumentError('the gradients of the feed-forwards are zero: there is nothing to attack');
  const steps = settings.rows === 'jumps' ? findJumps(feedForwards, count) : neighbourSteps(feedForwards);
  const found = steps.map((step) => toRow(step, settings.rows === 'jumps'));
  const most = found.reduce((largest, { size }) => Math.max(largest, size), 0);
  const sorted = found.filter(({ size }) => size > rounding * most).sort((a, b) => b.size - a.size);
  return settings.rows === 'smallest' ? sorted.slice(-count) : sorted.slice(0, count);
}

/** A step below this share of the largest is rounding: there is no token between the two thresholds. */
const rounding = 1e-4;

/** A step as the vector ΔW/Δb with size |Δb|; where the length of the step counts, as ΔW. */
function toRow(step: Float64Array, byLength: boolean): TokenRow {
  const vector = step.subarray(0, -1);
  if (byLength) return { vector, size: Math.hypot(...step) };
  const bias = step.at(-1) as number;
  return { vector: vector.map((x) => x / bias), size: Math.abs(bias) };
}

/** Differences of neighbouring units. Tokens above the very last threshold are in its unit alone. */
function neighbourSteps(feedForwards: readonly Units[]): Float64Array[] {
  return feedForwards.flatMap(({ rows, width }, layer) => {
    const units = rows.length / width;
    const row = (unit: number) => rows.subarray(unit * width, (unit + 1) * width);
    const steps = Array.from({ length: units - 1 }, (_, unit) => {
      const above = row(unit + 1);
      return row(unit).map((x, i) => x - (above[i] as number));
    });
    return layer === feedForwards.length - 1 ? [...steps, row(units - 1)] : steps;
  });
}

function unitsOf(
  { model, gradients }: Pick<GradientView, 'gradients'> & { readonly model: ModelCore },
  { weight, bias, transposed }: LinearLayout,
): Units {
  const { hidden, intermediateSize: inner } = model.config;
  const [weights, biases] = [
    checkedGradient(gradients, weight, hidden * inner),
    checkedGradient(gradients, bias, inner),
  ];
  const width = hidden + 1;
  const rows = new Float64Array(inner * width);
  for (let unit = 0; unit < inner; unit++) {
    for (let i = 0; i < hidden; i++)
      rows[unit * width + i] = weights[transposed ? unit * hidden + i : i * inner + unit] as number;
    rows[unit * width + hidden] = biases[unit] as number;
  }
  return { rows, width };
}

export function checkedGradient(gradients: GradientView['gradients'], name: string, length: number): Float32Array {
  const gradient = gradients[name];
  if (gradient === undefined)
    throw new ArgumentError(`Decepticons reads the gradient of ${name}, which was not shared`);
  if (gradient.length !== length)
    throw new ArgumentError(`gradient of ${name}: expected ${length} numbers, got ${gradient.length}`);
  const bad = gradient.findIndex((number) => !Number.isFinite(number));
  if (bad !== -1)
    throw new ArgumentError(`gradient of ${name}: expected finite numbers, got ${gradient[bad]} at ${bad}`);
  return gradient;
}
