// The Rényi accountant: at every order the divergences add up, and the best order gives ε.

import { check } from '../checks/index.js';
import { type Accountant, type AccountantOptions, makeAccountant, type Rules } from './accountant.js';
import { bestOrder } from './best-order.js';
import { defaultOrders, publishedOrders } from './orders.js';
import { deltaAtOrder, epsilonAtOrder, failure, totalRdp } from './rdp.js';
import { refuseReplaceOneSampling, refuseUnknownSampling } from './refusals.js';
import type { Release } from './releases.js';

/** Options of the Rényi accountant. */
export interface RdpOptions extends AccountantOptions {
  /**
   * Orders above 1 to choose from. `default` is 1.1 … 10.9 in tenths, 11 … 63, 128, 256, 512 and 1024; `published` is the grid of
   * most papers, 1.1 … 10.9 and 12 … 63.
   */
  readonly orders?: 'default' | 'published' | readonly number[];
}

/** Rényi differential privacy: fast, and close to pld unless ε is small. The guarantee carries the best order. */
export function rdpAccountant(options: RdpOptions = {}): Accountant {
  const { orders = 'default' } = options;
  const grid = orders === 'default' ? defaultOrders : orders === 'published' ? publishedOrders : orders;
  check(
    { orders: grid },
    'finite numbers above 1',
    (list) => list.length > 0 && list.every((a) => a > 1 && a < Infinity),
  );
  return makeAccountant(rdpRules(grid), options);
}

function rdpRules(orders: readonly number[]): Rules {
  return {
    name: 'rdp',
    refuse: (event, relation) => refuseReplaceOneSampling(event, relation) ?? refuseUnknownSampling(event),
    epsilon(events, delta) {
      const failed = failure(events);
      const rest = (delta - failed) / (1 - failed);
      if (failed > 0 && rest <= 0) return { value: Number.POSITIVE_INFINITY, bound: 'upper' };
      return best(events, orders, (bound, order) => epsilonAtOrder(bound, order, Math.max(0, rest)));
    },
    delta(events, epsilon) {
      const failed = failure(events);
      const { value, ...figures } = best(events, orders, (bound, order) => deltaAtOrder(bound, order, epsilon));
      return { value: Math.min(1, failed + (1 - failed) * value), ...figures };
    },
  };
}

/** The order with the smallest value, with a warning when a grid with more orders might do better. */
function best(events: readonly Release[], orders: readonly number[], value: (bound: number, order: number) => number) {
  const found = bestOrder(orders, (order) => totalRdp(events, order), value);
  const ends = [Math.min(...orders), Math.max(...orders)];
  const isEnd = ends.includes(found.order) && orders.length > 1 && found.value > 0 && Number.isFinite(found.value);
  const warnings = isEnd
    ? [`the best order, ${found.order}, is an end of the grid: more orders may give a smaller bound`]
    : [];
  return { value: found.value, order: found.order, bound: 'upper' as const, warnings };
}
