// The spans of the first two blocks' inputs, each from the gradient of its query map alone. Their rank, which is the number of
// tokens, is the largest numerical rank among the first blocks.

import { ArgumentError } from '../../checks/index.js';
import { jacobiEigen, leadingEigen } from '../../math/index.js';
import type { LinearLayout, Model } from '../../models/index.js';
import { fillNormal, seededSource } from '../../random/index.js';
import { gramOf } from '../span/subspace.js';
import type { GradientView } from '../view.js';

/** The rank is looked for in this many blocks. */
const blocksForRank = 10;

/** Query maps of the blocks whose gradients are read; a fused matrix of query, key and value is read as a whole. */
export function queryMaps({ layout }: Pick<Model, 'layout'>): readonly LinearLayout[] {
  const { blocks } = layout;
  if (blocks.length < 2) {
    throw new ArgumentError('DAGER checks sentences by the second block: expected a model with two, got one');
  }
  return blocks.slice(0, blocksForRank).map(({ query }) => query);
}

export interface RankOptions {
  /** Singular values below this share of the largest count as zero. Default: the rounding of float32 numbers times the larger side. */
  readonly rankTolerance?: number;
  /** The rank is at most the width of the model minus this. */
  readonly rankCutoff: number;
}

export interface QuerySpans {
  readonly rank: number;
  /** Orthonormal vectors of the first and second block, `rank` each, one after another. */
  readonly bases: readonly [Float64Array, Float64Array];
}

export async function findQuerySpans(view: GradientView, options: RankOptions): Promise<QuerySpans> {
  const { hidden } = view.model.config;
  const most = Math.max(1, hidden - options.rankCutoff);
  const vectors: Float64Array[] = [];
  let rank = 1;
  for (const [block, query] of queryMaps(view.model).entries()) {
    if (block >= 2 && (rank >= most || view.gradients[query.weight] === undefined)) continue;
    const { gram, count } = await gramOf(view, [query]);
    const least = options.rankTolerance ?? Math.max(count, hidden) * 2 ** -23;
    const eigen = eigenAbove(gram, hidden, least ** 2);
    vectors.push(eigen.vectors);
    rank = Math.max(rank, rankOf(eigen.values, least ** 2));
  }
  rank = Math.min(rank, most);
  const [first, second] = vectors.map((all) => all.subarray(0, rank * hidden)) as [Float64Array, Float64Array];
  return { rank, bases: [first, second] };
}

/** How many eigenvalues are above this share of the largest. */
const rankOf = (values: Float64Array, least: number): number =>
  values.filter((value) => value > least * (values[0] as number)).length;

/** Most gradients without noise have a small rank, for which fewer vectors than all are enough. */
const few = 80;

/** The eigenvalues above this share of the largest, and some more, with their vectors. */
function eigenAbove(gram: Float64Array, size: number, least: number): ReturnType<typeof jacobiEigen> {
  if (size > few) {
    const start = fillNormal(seededSource('query spans'), new Float64Array(few * size));
    const leading = leadingEigen(gram, { size, count: few, start });
    if (rankOf(leading.values, least) < few) return leading;
  }
  return jacobiEigen(gram, size);
}
