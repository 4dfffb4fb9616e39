// Holding out: the right share, groups and texts on one side, and one more example changes nothing for the others.

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Example, holdOut, pick } from '../../src/data/index.js';

/** Few texts and groups, so that both repeat; a text may be in several groups. */
const examples = fc.array(
  fc.record({ text: fc.nat(60), group: fc.option(fc.nat(20)) }).map(
    ({ text, group }): Example => ({
      text: `text ${text}${text % 3 === 0 ? ' ' : ''}`,
      label: text % 2,
      ...(group !== null && { group: `${group}` }),
    }),
  ),
  { maxLength: 120 },
);
const settings = fc.record({ share: fc.integer({ min: 0, max: 50 }).map((percent) => percent / 100), seed: fc.nat() });
const textsOf = (rows: readonly Example[]) => new Set(rows.map(({ text }) => text.trim()));
const groupsOf = (rows: readonly Example[]) => new Set(rows.flatMap(({ group }) => group ?? []));

describe('holding out', () => {
  it('holds out about the share, by the seed', () => {
    const rows = Array.from({ length: 10_000 }, (_, index) => ({ text: `text ${index}` }));
    for (const share of [0.01, 0.1, 0.5]) {
      // Five standard deviations are passed once in two million times.
      const deviation = Math.sqrt(rows.length * share * (1 - share));
      const { heldOut, trained } = holdOut(rows, { share, seed: 7 });
      expect(Math.abs(heldOut.length - rows.length * share)).toBeLessThan(5 * deviation);
      expect(heldOut.length + trained.length).toBe(rows.length);
    }
    const [one, again, other] = [1, 1, 2].map((seed) => holdOut(rows, { share: 0.1, seed }).heldOut);
    expect(again).toEqual(one);
    // Independent choices share a hundredth of all rows.
    expect(other?.filter((index) => one?.includes(index)).length).toBeLessThan(200);
    expect(holdOut(rows, { share: 0, seed: 1 }).heldOut.length).toBe(0);
  });

  it('puts every example on one side, and neither a group nor a text on both', () => {
    fc.assert(
      fc.property(examples, settings, (rows, options) => {
        const { trained, heldOut, omitted } = holdOut(rows, options);
        const all = [...trained, ...heldOut, ...omitted].sort((a, b) => a - b);
        expect(all).toEqual([...rows.keys()]);
        const [inside, outside] = [pick(rows, trained), pick(rows, heldOut)];
        for (const { text, group } of outside) {
          expect(textsOf(inside).has(text.trim())).toBe(false);
          if (group !== undefined) expect(groupsOf(inside).has(group)).toBe(false);
        }
        if (rows.every(({ group }) => group === undefined)) expect(omitted.length).toBe(0);
      }),
    );
  });

  it('trains on the same other examples if one is added, so that neighbouring data sets stay neighbours', () => {
    fc.assert(
      fc.property(examples, examples, settings, (rows, [added], options) => {
        if (added === undefined) return;
        const before = pick(rows, holdOut(rows, options).trained);
        const after = pick([added, ...rows], holdOut([added, ...rows], options).trained);
        expect(after[0] === added ? after.slice(1) : after).toEqual(before);
      }),
    );
  });

  it('refuses shares above a half', () => {
    for (const share of [-0.1, 0.51, Number.NaN]) {
      expect(() => holdOut([], { share, seed: 1 })).toThrow('invalid holdOut: expected a share from 0 to 0.5');
    }
  });
});
