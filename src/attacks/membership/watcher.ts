// Who took part in training, from the releases of its steps (what a curious server sees, and what the guarantee of DP-SGD is about). A release is
// Σ bᵢ gᵢ + noise over the candidates i, where bᵢ is 1 if i is in the batch; the gᵢ are known to whoever knows texts and parameters. Given one
// release, bᵢ ~ N(πᵢ, vᵢ) with πᵢ = q·P(member) and vᵢ = πᵢ(1 − πᵢ) makes this a linear regression: all that the other candidates may explain is
// taken into account, and no product of gradients but Γ = ⟨gᵢ, gⱼ⟩ and h = ⟨gᵢ, release⟩ is needed. What a release says about bᵢ = 1 against
// bᵢ = 0 is ℓᵢ nats; a member is in the batch with probability q and others never are, so for membership that is log(1 − q + q·e^ℓᵢ). The nats
// of all steps add up, and each step begins with what is known by then. Where batches are shuffled, a member is in exactly one batch of an epoch,
// and an epoch says log(1 − Σq + Σ q·e^ℓᵢ) over the batches that were read.

import { solvePositiveDefinite } from '../../math/index.js';

/** One step as the attacker sees it, in units in which the noise on each number has the standard deviation 1. */
export interface WatchedStep {
  /** The probability that a member is in the batch. */
  readonly sampleRate: number;
  /** Steps of one round have different batches, and a member is in exactly one batch of a round. Absent: batches are independent. */
  readonly round?: number;
  /** ‖gᵢ‖² of each candidate's bounded gradient. */
  readonly squares: Float64Array;
  /** ⟨gᵢ, released sum⟩. */
  readonly products: Float64Array;
  /** ⟨gᵢ, gⱼ⟩, row by row; absent if there are too many candidates. */
  readonly gram?: Float64Array;
}

/** Adds up what the steps of a training run say. */
export interface Watcher {
  readonly see: (step: WatchedStep) => void;
  /** Nats for membership of each candidate, against not being a member. */
  readonly nats: () => Float64Array;
}

/** The least variance of whether a candidate is in a batch: nobody is ever entirely sure. */
const leastVariance = 1e-6;

/** The share by which products of gradients are in doubt. */
const rounding = 1e-13;

/** One release never says more than this many nats: beyond, rounding speaks. */
const mostNats = 1e6;

/** Watches this many candidates, half of which are members as far as the attacker knows. */
export function watchReleases(candidates: number): Watcher {
  const before = new Float64Array(candidates);
  // Of this round: log Σ q·e^ℓ over the batches that were read, and the share 1 − Σq of those that were not.
  const read = new Float64Array(candidates).fill(Number.NEGATIVE_INFINITY);
  let [round, unread]: [number | undefined, number] = [undefined, 1];
  const ofRound = () => read.map((nats) => addLogs(nats, Math.log(unread)));
  const total = () => ofRound().map((nats, i) => nats + (before[i] as number));
  return {
    see: (step) => {
      if (step.round === undefined || step.round !== round) {
        before.set(total());
        read.fill(Number.NEGATIVE_INFINITY);
        [round, unread] = [step.round, 1];
      }
      const known = ofRound();
      // The probability of being in this batch, given all that was read.
      const expected = total().map(
        (nats, i) => (step.sampleRate * Math.exp(-(known[i] as number))) / (1 + Math.exp(-nats)),
      );
      const said = step.gram === undefined ? matched(step) : regressed({ ...step, gram: step.gram }, expected);
      for (let i = 0; i < candidates; i++) {
        const limited = Math.max(-mostNats, Math.min(mostNats, said[i] as number));
        read[i] = addLogs(read[i] as number, Math.log(step.sampleRate) + limited);
      }
      const left = unread - step.sampleRate;
      // Rates of a whole round add up to 1 but for rounding.
      unread = left > 1e-9 ? left : 0;
    },
    nats: total,
  };
}

/** log(eᵃ + eᵇ). */
const addLogs = (a: number, b: number): number =>
  a === b ? a + Math.LN2 : Math.max(a, b) + Math.log1p(Math.exp(-Math.abs(a - b)));

/**
 * ℓ of each candidate by the regression on all of them. With S = diag(√v), M = S Γ S + I and w = M⁻¹ S (h − Γπ), the posterior of bᵢ is normal
 * with mean πᵢ + √vᵢ·wᵢ and variance vᵢ·(M⁻¹)ᵢᵢ; dividing its prior out leaves what the release says.
 */
function regressed({ gram, products }: WatchedStep & { gram: Float64Array }, expected: Float64Array): Float64Array {
  const size = products.length;
  const variances = expected.map((share) => Math.max(leastVariance, share * (1 - share)));
  const roots = variances.map(Math.sqrt);
  const matrix = new Float64Array(size * size);
  const right = new Float64Array(size);
  for (let i = 0; i < size; i++) {
    const [row, root] = [i * size, roots[i] as number];
    let explained = 0;
    for (let j = 0; j < size; j++) {
      const product = gram[row + j] as number;
      explained += product * (expected[j] as number);
      matrix[row + j] = root * product * (roots[j] as number);
    }
    // Copies of a text have the same gradient. Without noise the 1 would be lost beside it, and the matrix have no inverse.
    matrix[row + i] = (matrix[row + i] as number) * (1 + rounding * size) + 1;
    right[i] = root * ((products[i] as number) - explained);
  }
  const { solution, inverseDiagonal } = solvePositiveDefinite(matrix, right);
  return expected.map((share, i) => {
    const [left, variance] = [inverseDiagonal[i] as number, variances[i] as number];
    const slope = (share * (1 - left) + (roots[i] as number) * (solution[i] as number)) / (left * variance);
    return slope - (1 - left) / (2 * left * variance);
  });
}

/**
 * ℓ of each candidate by itself, where products of all pairs are out of reach: ⟨gᵢ, release⟩/‖gᵢ‖ is normal, with mean ‖gᵢ‖ more if i is in the
 * batch. Mean and deviation of those who are not are read off all candidates (median and median deviation), most of whom are not.
 */
function matched({ products, squares }: WatchedStep): Float64Array {
  const lengths = squares.map(Math.sqrt);
  const along = products.map((product, i) => (squares[i] === 0 ? 0 : product / (lengths[i] as number)));
  const middle = median(along);
  // The median deviation of a normal distribution is .6745 of its standard deviation.
  const variance = Math.max(1, (median(along.map((x) => Math.abs(x - middle))) / 0.6745) ** 2);
  return along.map((x, i) => ((lengths[i] as number) * (x - middle) - (squares[i] as number) / 2) / variance);
}

function median(numbers: Float64Array): number {
  const sorted = numbers.slice().sort();
  const half = sorted.length >> 1;
  return sorted.length % 2 === 1
    ? (sorted[half] as number)
    : ((sorted[half - 1] as number) + (sorted[half] as number)) / 2;
}
