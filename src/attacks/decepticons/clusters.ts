// Groups tokens into sentences: k-means in which no cluster outgrows the longest sentence.

import { assign } from '../../metrics/index.js';

/** The cluster of each point. It starts from points far apart, so it needs no random numbers. */
export function clusterPoints(points: readonly Float64Array[], clusters: number, capacity: number): Int32Array {
  if (clusters === 1 || points.length <= 1) return new Int32Array(points.length);
  let centres = farPoints(points, clusters);
  let found = new Int32Array(points.length).fill(-1);
  for (let round = 0; round < mostRounds; round++) {
    const places = assign(points.map((point) => seatCosts(point, centres, capacity)));
    const next = places.map((seat) => Math.floor(seat / capacity));
    if (next.every((cluster, i) => cluster === found[i])) break;
    found = next as Int32Array<ArrayBuffer>;
    centres = centres.map((old, cluster) => mean(points.filter((_, i) => found[i] === cluster)) ?? old);
  }
  return found;
}

const mostRounds = 20;

/** Costs of putting a point into each cluster, which has `capacity` seats of equal cost. */
function seatCosts(point: Float64Array, centres: readonly Float64Array[], capacity: number): Float64Array {
  const costs = new Float64Array(centres.length * capacity);
  for (const [cluster, centre] of centres.entries())
    costs.fill(squaredDistance(point, centre), cluster * capacity, (cluster + 1) * capacity);
  return costs;
}

/** The first point is the farthest from the mean; each next one is the farthest from those chosen before. */
function farPoints(points: readonly Float64Array[], count: number): Float64Array[] {
  const middle = mean(points) as Float64Array;
  const first = farthest(points.map((point) => squaredDistance(point, middle)));
  const chosen = [points[first] as Float64Array];
  let distances = points.map((point) => squaredDistance(point, points[first] as Float64Array));
  while (chosen.length < count) {
    const next = points[farthest(distances)] as Float64Array;
    chosen.push(next);
    distances = distances.map((old, i) => Math.min(old, squaredDistance(points[i] as Float64Array, next)));
  }
  return chosen;
}

const farthest = (distances: readonly number[]): number => distances.indexOf(Math.max(...distances));

function mean(points: readonly Float64Array[]): Float64Array | undefined {
  const [first] = points;
  return first?.map((_, i) => points.reduce((sum, point) => sum + (point[i] as number), 0) / points.length);
}

function squaredDistance(a: Float64Array, b: Float64Array): number {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += ((a[i] as number) - (b[i] as number)) ** 2;
  return sum;
}
