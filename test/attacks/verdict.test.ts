// What is said about figures of membership: never more than they show.

import { describe, expect, it } from 'vitest';
import {
  chanceAt,
  evaluateMembership,
  findAttack,
  isMeasurable,
  type KindTest,
  kindWarnings,
  type LossAttack,
  type MembershipResult,
  membershipVerdict,
} from '../../src/attacks/index.js';
import { permutation, seededSource } from '../../src/random/index.js';

const figure = (value: number, half = 0.02) => ({ value, lower: value - half, upper: value + half });
const result = (changes: Partial<MembershipResult> = {}): MembershipResult => ({
  auc: figure(0.503),
  advantage: figure(0.03),
  tprAt1: figure(0.01, 0.005),
  tprAt01: figure(0.001, 0.001),
  lossGap: figure(0),
  members: 5000,
  others: 1000,
  roc: [],
  floor: { auc: 0.5, advantage: 0.02, tprAt1: 0.01 },
  ...changes,
});
const kind: KindTest = { different: true, pValue: 1e-9, auc: 0.81, by: 'lengths', tokens: { members: 12, others: 29 } };
const judge = (changes: Partial<MembershipResult> = {}, context: Parameters<typeof membershipVerdict>[1] = heldOut) =>
  membershipVerdict(result(changes), context);
const heldOut = { othersFrom: 'held-out' } as const;

describe('the verdict', () => {
  it('compares the interval of the AUC with guessing', () => {
    expect(judge()).toBe(
      'Members cannot be told from others here by this attack: AUC 0.503 (95 % interval 0.483 to 0.523) includes guessing. A stronger attack may tell more.',
    );
    expect(judge({ auc: figure(0.61) })).toBe(
      'Members can be told from others: AUC 0.610 (95 % interval 0.590 to 0.630) is above guessing.',
    );
    expect(judge({ auc: figure(0.45) })).toMatch(
      /^Cannot be judged: members have larger losses than others, AUC 0\.450/,
    );
  });

  it('finds the few that stand out where the AUC does not', () => {
    expect(judge({ tprAt1: figure(0.05) })).toMatch(
      /^Some members can be told from others: at 1 % FPR the attack finds 5\.0 % of the members, where guessing finds 1\.1 %, although AUC 0\.503/,
    );
    expect(judge({ tprAt01: figure(0.02) })).toContain('at 0.1 % FPR the attack finds 2.0 % of the members');
    // Whether members of groups stand out is not known: their scores are not independent.
    expect(judge({ tprAt1: figure(0.05) }, { ...heldOut, grouped: true })).toMatch(/^Members cannot be told/);
    // 999 others cannot show it.
    expect(judge({ tprAt01: figure(0.02), others: 999 })).toMatch(/^Members cannot be told/);
  });

  it('is not given where the two are of different kinds', () => {
    for (const auc of [0.45, 0.5, 0.7]) {
      expect(judge({ auc: figure(auc) }, { othersFrom: 'validation', kind })).toMatch(
        /^Cannot be judged: members and others are of different kinds, and AUC .* may show the kind rather than membership\.$/,
      );
    }
    expect(judge({ auc: figure(0.7) }, { othersFrom: 'test' })).toContain(
      'is above guessing, if the two are of one kind, which could not be tested.',
    );
    expect(judge({}, { othersFrom: 'test', kind: { ...kind, different: false } })).toMatch(/^Members cannot be told/);
  });

  it('claims that members stand out once in a hundred times at most where they do not', () => {
    const attack = findAttack('membership') as LossAttack;
    const claims = Array.from({ length: 300 }, (_, round) => {
      const random = seededSource('chance').stream(round);
      const losses = permutation(random, 700);
      const truth = { members: losses.subarray(0, 500), others: losses.subarray(500) };
      const found = evaluateMembership({ attack, options: {}, truth, random, resamples: 1 });
      return membershipVerdict({ ...found, auc: figure(0.5) }, heldOut);
    }).filter((verdict) => verdict.startsWith('Some members'));
    // At a rate of 1 %, 10 or more of 300 happen once in 900 times.
    expect(claims.length).toBeLessThan(10);
  });
});

describe('rates of false positives', () => {
  it('can be measured with as many others as one false positive needs', () => {
    expect([99, 100, 101].map((others) => isMeasurable(0.01, others))).toEqual([false, true, true]);
    expect([872, 999, 1000].map((others) => isMeasurable(0.001, others))).toEqual([false, false, true]);
  });

  it('let guessing find a little more than the rate', () => {
    // With 100 others, a threshold just above the second highest is allowed: two of 101 places are above it.
    expect(chanceAt(0.01, 100)).toBeCloseTo(2 / 101, 12);
    expect(chanceAt(0.01, 1e6)).toBeCloseTo(0.01, 5);
  });
});

describe('warnings', () => {
  it('say what the others are, unless they were held out at random', () => {
    expect(kindWarnings(heldOut)).toEqual([]);
    const [different] = kindWarnings({ othersFrom: 'validation', kind });
    expect(different).toBe(
      'The others are the split validation, not examples held out at random before training, and the two are of different kinds: their lengths (12 and 29 tokens at the median) alone tell them apart with an AUC of 0.81, without the model. The AUC of the attack may show the kind rather than membership: hold examples out before training (epsilens train --hold-out, or holdOut in fineTune), so that the others are drawn like the members.',
    );
    const [words] = kindWarnings({ othersFrom: 'test', kind: { ...kind, by: 'words' } });
    expect(words).toContain('their words and labels alone tell them apart');
    const [same] = kindWarnings({ othersFrom: 'test', kind: { ...kind, different: false, pValue: 0.3 } });
    expect(same).toContain('no difference in kind (p = 0.30), which does not prove');
    expect(kindWarnings({ othersFrom: 'test' })[0]).toContain('too few to test');
  });
});
