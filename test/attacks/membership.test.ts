// The loss-threshold attack, by the evaluation of membership, against losses whose figures are known.

import { describe, expect, it } from 'vitest';
import { evaluateMembership, findAttack, type LossAttack } from '../../src/attacks/index.js';
import { fillNormal, seededSource } from '../../src/random/index.js';

const losses = (name: string, count: number, mean: number) =>
  fillNormal(seededSource('losses').stream(name), new Float64Array(count)).map((x) => Math.abs(x) / 5 + mean);
const attack = (members: ArrayLike<number>, others: ArrayLike<number>) =>
  evaluateMembership({
    attack: findAttack('membership') as LossAttack,
    options: {},
    truth: { members, others },
    random: seededSource(1),
  });

describe('the loss-threshold attack', () => {
  it('separates members with smaller losses completely, and equal losses not at all', () => {
    const all = attack([0.1, 0.2, 0.3], [0.4, 0.5, 0.6]);
    expect([all.auc.value, all.advantage.value, all.tprAt1.value]).toEqual([1, 1, 1]);
    expect(all.lossGap.value).toBeCloseTo(0.3, 12);
    expect(attack([0.4, 0.5, 0.6], [0.1, 0.2, 0.3]).auc.value).toBe(0); // the sign: members score low
    expect(attack([1, 1, 1], [1, 1]).auc.value).toBe(0.5);
  });

  it('is at chance, within its own interval, when there is no difference', () => {
    const { auc, floor, members, others } = attack(losses('in', 800, 0.3), losses('out', 600, 0.3));
    expect(auc.lower).toBeLessThan(0.5);
    expect(auc.upper).toBeGreaterThan(0.5);
    expect(auc.value).toBeGreaterThan(auc.lower);
    expect(auc.value).toBeLessThan(auc.upper);
    expect(Math.abs(floor.auc - 0.5)).toBeLessThan(0.1);
    expect([members, others]).toEqual([800, 600]);
  });

  it('has narrower intervals with more examples', () => {
    const [few, many] = [40, 2000].map((count) => {
      const { auc } = attack(losses('in', count, 0.2), losses('out', count, 0.3));
      return auc.upper - auc.lower;
    }) as [number, number];
    expect(many).toBeLessThan(few / 3);
  });

  it('refuses empty groups', () => {
    expect(() => attack([], [1])).toThrow('expected');
  });
});
