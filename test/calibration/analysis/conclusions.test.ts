// What studies with known curves conclude, as data.

import { describe, expect, it } from 'vitest';
import {
  type Conclusions,
  conclude,
  type Level,
  type MechanismConclusions,
  outcomeOf,
  reconstructionOutcome,
  type StudyResults,
} from '../../../src/calibration/index.js';
import {
  amountOf,
  directional,
  estimate,
  fall,
  gaussian,
  makeResults,
  none,
  resultsOfThree,
  type Shape,
  staircase,
  withLevels,
} from '../../report/fixtures.js';

const noises = [1e-3, 1e-2, 0.1, 1, 10];
const levels = [none, ...noises.map(gaussian)];
const constant = (mean: number) => () => estimate(mean, 0.005);
const falling = (half: number, top: number, floor: number) => (level: Level) =>
  estimate(floor + (top - floor) * fall(amountOf(level), half), 0.005);
const atEach = (means: readonly number[], clean: number) => (level: Level) =>
  estimate(level.parameter ? (means[noises.indexOf(level.parameter)] as number) : clean, 0.005);

/** Results under Gaussian noise alone. */
const concluded = (shape: Shape): MechanismConclusions =>
  makeResults({ levels, ...shape }).conclusions.mechanisms[0] as MechanismConclusions;

describe('conclusions', () => {
  it('cover each mechanism that has levels, with an outcome per attack', () => {
    const { conclusions } = makeResults();
    expect(conclusions.mechanisms.map(({ mechanism }) => mechanism)).toEqual(['gaussian', 'directional']);
    for (const one of conclusions.mechanisms) {
      expect(one.leakage.map(({ attack }) => attack)).toEqual(['span', 'decepticons', 'membership']);
    }
    expect(makeResults({ levels }).conclusions.mechanisms).toHaveLength(1);
    expect(makeResults({ levels: [none] }).conclusions).toEqual({ mechanisms: [], comparisons: [] });
    expect(makeResults({ levels: [] }).conclusions).toEqual({ mechanisms: [], comparisons: [] });
  });

  it('name the level that stops reconstruction, what is left of utility, and the gap', () => {
    const [first, second] = makeResults().conclusions.mechanisms;
    expect(first?.reconstruction).toEqual({ decidedBy: 'span', stopsAt: gaussian(1e-3) });
    expect(first?.utility).toMatchObject({
      kind: 'falls',
      before: { level: gaussian(1) },
      at: { level: gaussian(10) },
    });
    expect(first?.gap).toMatchObject({ from: gaussian(1e-3), to: gaussian(1), open: false });
    expect(first?.gap?.factor).toBeCloseTo(1000, 9);
    expect(second?.reconstruction?.stopsAt).toEqual(directional(1e6));
    expect(second?.gap).toMatchObject({ from: directional(1e6), to: directional(1e3) });
  });

  it('wait for the attack that holds out longest', () => {
    const leakage = { span: falling(-6, 1, 0), decepticons: falling(-1.5, 1, 0) };
    const one = concluded({ leakage });
    expect(one.reconstruction).toEqual({ decidedBy: 'decepticons', stopsAt: gaussian(0.1) });
    expect(outcomeOf(one, 'span')).toMatchObject({ kind: 'falls', at: { level: gaussian(1e-3) } });
    expect(reconstructionOutcome(one)).toBe(outcomeOf(one, 'decepticons'));
    // As much noise for both: the first of the study decides.
    const tie = concluded({ leakage: { span: falling(-1.5, 1, 0), decepticons: falling(-1.5, 0.9, 0) } });
    expect(tie.reconstruction?.decidedBy).toBe('span');
  });

  it('have no stop while one attack gets text back', () => {
    const one = concluded({ leakage: { span: falling(-6, 1, 0), decepticons: constant(0.8) } });
    expect(one.reconstruction).toEqual({ decidedBy: 'decepticons' });
    expect(one).not.toHaveProperty('gap');
  });

  it('do not wait for inconclusive attacks, nor for those on trained models', () => {
    const floors = { decepticons: 0.02 };
    const leakage = { span: falling(-1.5, 1, 0), decepticons: constant(0.03), membership: constant(0.9) };
    const one = concluded({ leakage, floors });
    expect(one.reconstruction).toEqual({ decidedBy: 'span', stopsAt: gaussian(0.1) });
    expect(outcomeOf(one, 'decepticons')?.kind).toBe('nothing to lose');
    expect(outcomeOf(one, 'membership')?.kind).toBe('never falls');
    expect(concluded({ leakage: { membership: constant(0.9) } })).not.toHaveProperty('reconstruction');
    const doubtful = (level: Level) =>
      level.parameter ? estimate(0) : { mean: 0.57, lower: 0, upper: 0.9, values: [0.9, 0.8, 0] };
    const unsure = concluded({ leakage: { span: doubtful } });
    expect(outcomeOf(unsure, 'span')?.kind).toBe('too few to tell');
    expect(reconstructionOutcome(unsure)).toBeUndefined();
  });

  it('say what was not measured, and where', () => {
    const [one] = makeResults({ levels: noises.map(gaussian) }).conclusions.mechanisms;
    expect(outcomeOf(one as MechanismConclusions, 'span')).toEqual({ kind: 'not measured', where: 'without noise' });
    expect(one?.utility).toEqual({ kind: 'not measured', where: 'without noise' });
    const whole = makeResults({ levels });
    const rest = whole.levels.map((at, place) => (place === 0 ? at : { level: at.level, leakage: {} }));
    const [left] = withLevels(whole, rest).conclusions.mechanisms;
    expect(left?.leakage.map(({ outcome }) => outcome)).toEqual(
      Array(3).fill({ kind: 'not measured', where: 'under noise' }),
    );
    expect(left?.utility).toEqual({ kind: 'not measured', where: 'under noise' });
  });

  it('know which curves are partial', () => {
    const whole = makeResults({ levels, leakage: { span: constant(0.8) } });
    const rest = whole.levels.map((at) => ((at.level.parameter ?? 0) > 0.01 ? { level: at.level, leakage: {} } : at));
    const [one] = withLevels(whole, rest).conclusions.mechanisms;
    expect(outcomeOf(one as MechanismConclusions, 'span')).toMatchObject({
      kind: 'never falls',
      last: { level: gaussian(0.01) },
      partial: true,
    });
    expect(one?.utility).toMatchObject({ kind: 'never falls', partial: true });
  });

  it('mark utility without noise that few seeds cannot tell from the most frequent class', () => {
    const seeds = { mean: 0.9, lower: 0.4, upper: 1, values: [0.88, 0.92] };
    const { utility } = concluded({ utility: (level) => (level.parameter ? estimate(0.57) : seeds) });
    expect(utility).toMatchObject({ kind: 'falls', doubtful: true, at: { level: gaussian(1e-3) } });
  });
});

describe('the gap', () => {
  const span = falling(-1.5, 1, 0);

  it('is open where utility is kept to the end', () => {
    const { gap } = concluded({ utility: constant(0.9), leakage: { span } });
    expect(gap).toEqual({ from: gaussian(0.1), to: gaussian(10), factor: expect.closeTo(100, 9), open: true });
  });

  it('may be one level', () => {
    const { gap } = concluded({ utility: falling(-0.5, 0.9, 0.56), leakage: { span } });
    expect(gap).toEqual({ from: gaussian(0.1), to: gaussian(0.1), factor: 1, open: false });
  });

  it('is absent where utility falls first, never rises above its floor, or was not measured', () => {
    expect(concluded({ utility: falling(-2.5, 0.9, 0.56), leakage: { span } })).not.toHaveProperty('gap');
    expect(concluded({ utility: falling(-9, 0.9, 0.56), leakage: { span } })).not.toHaveProperty('gap');
    expect(concluded({ utility: constant(0.56), leakage: { span } })).not.toHaveProperty('gap');
    expect(concluded({ utility: undefined, leakage: { span } })).not.toHaveProperty('gap');
  });

  it('begins after a dip of utility', () => {
    const early = { span: falling(-4, 1, 0) };
    const dip = concluded({ utility: atEach([0.89, 0.6, 0.88, 0.87, 0.57], 0.9), leakage: early });
    expect(dip.utility).toMatchObject({ kind: 'falls', dip: { level: gaussian(0.01) } });
    expect(dip.gap).toMatchObject({ from: gaussian(0.1), to: gaussian(1), open: false });
    // A dip before reconstruction stops changes nothing.
    const before = concluded({ utility: atEach([0.6, 0.88, 0.88, 0.87, 0.57], 0.9), leakage: { span } });
    expect(before.gap).toMatchObject({ from: gaussian(0.1), to: gaussian(1) });
  });

  it('is a factor in the parameter of the mechanism, whichever way that goes', () => {
    const [, , one] = resultsOfThree({ utility: constant(0.9) }).conclusions.mechanisms;
    expect(one?.reconstruction?.stopsAt).toEqual(staircase(1e3));
    expect(one?.gap).toEqual({ from: staircase(1e3), to: staircase(0.1), factor: expect.closeTo(1e4, 6), open: true });
  });
});

describe('conclusive comparisons', () => {
  it('leave out attacks that find nothing without noise', () => {
    const leakage = { span: falling(-3.5, 1, 0), membership: falling(-3.5, 0.515, 0.5) };
    const results = makeResults({ leakage });
    expect(results.equalLeakage.map(({ attack }) => attack)).toEqual(['span', 'membership']);
    expect(results.conclusions.comparisons).toEqual([{ attack: 'span', mechanisms: ['gaussian', 'directional'] }]);
  });

  it('are of pairs', () => {
    const { comparisons } = resultsOfThree({ leakage: { span: falling(-3.5, 1, 0) } }).conclusions;
    expect(comparisons.map(({ mechanisms }) => mechanisms)).toEqual([
      ['gaussian', 'directional'],
      ['gaussian', 'staircase'],
      ['directional', 'staircase'],
    ]);
  });
});

describe('as JSON', () => {
  const throughJson = <T>(value: T): T => JSON.parse(JSON.stringify(value)) as T;
  const shapes: readonly Shape[] = [
    {},
    { utility: constant(0.9), leakage: { span: falling(-1.5, 1, 0) } },
    { leakage: { span: atEach([0.9, 0.02, 0.5, 0.02, 0.02], 1) }, levels },
    { levels: noises.map(gaussian) },
    { leakage: {}, utility: undefined },
  ];

  it('conclusions lose nothing', () => {
    for (const shape of shapes) {
      const { conclusions } = makeResults(shape);
      expect(throughJson(conclusions)).toEqual(conclusions);
    }
  });

  it('hold all conclusions, under readable names', () => {
    const restored = throughJson<Conclusions>(makeResults().conclusions);
    const [first] = restored.mechanisms;
    expect(Object.keys(restored)).toEqual(['mechanisms', 'comparisons']);
    expect(Object.keys(first as object)).toEqual(['mechanism', 'leakage', 'reconstruction', 'utility', 'gap']);
    expect(first?.leakage[0]).toMatchObject({
      attack: 'span',
      outcome: {
        kind: 'falls',
        start: { level: { mechanism: 'none' }, mean: 0.99, count: 20, floor: 0.02 },
        at: { level: { mechanism: 'gaussian', parameter: 1e-3 } },
      },
    });
  });

  it('results give the same conclusions again, since levels are compared by value', () => {
    const results = resultsOfThree();
    const again = throughJson<StudyResults>({
      ...results,
      levels: results.levels.map(({ guarantee: _, ...at }) => at),
    });
    expect(conclude(again)).toEqual(results.conclusions);
  });
});
