// The progress line, its parts, and Ctrl-C.

import { describe, expect, it } from 'vitest';
import { bar, type Clock, progressLine, stopOnInterrupt } from '../../src/cli/progress.js';
import { duration, makeEstimate } from '../../src/cli/time-left.js';
import { wrap } from '../../src/cli/wrap.js';

/** Everything written to a stream that is a terminal of this many columns, or no terminal. */
function fakeStream(settings: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const stream = { ...settings, write: (text: string) => written.push(text) > 0 };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

const clear = '\r\x1b[2K';

/** A clock that stands still until it is told to go on; then its timers tick. */
function fakeClock() {
  let time = 5000;
  const timers: { readonly pause: number; readonly tick: () => void; next: number }[] = [];
  const clock: Clock = {
    now: () => time,
    every: (pause, tick) => {
      const timer = { pause, tick, next: time + pause };
      timers.push(timer);
      return () => void timers.splice(timers.indexOf(timer), 1);
    },
  };
  const pass = (seconds: number) => {
    const end = time + 1000 * seconds;
    for (;;) {
      const [first] = timers.filter(({ next }) => next <= end).sort((x, y) => x.next - y.next);
      if (first === undefined) break;
      time = first.next;
      first.next += first.pause;
      first.tick();
    }
    time = end;
  };
  return { clock, pass, timers };
}

/** A progress line on a fake stream, with a fake clock. */
function fakeProgress(settings: { isTTY?: boolean; columns?: number }, quiet = false) {
  const { written, stream } = fakeStream(settings);
  const { clock, pass, timers } = fakeClock();
  return { written, pass, timers, progress: progressLine(quiet, stream, clock) };
}

describe('the progress line', () => {
  it('is rewritten in place, at most ten times a second, and cleared', () => {
    const { written, pass, progress } = fakeProgress({ isTTY: true, columns: 40 });
    progress.show('first');
    progress.show('too soon');
    expect(written).toEqual([`${clear}first`]);
    pass(0.11);
    progress.show('second');
    progress.end();
    expect(written).toEqual([`${clear}first`, `${clear}second`, clear]);
  });

  it('has the time so far and the time left before the text, where no narrow terminal cuts it off', () => {
    const { written, pass, progress } = fakeProgress({ isTTY: true, columns: 50 });
    progress.show('step 0', { share: 0 });
    pass(30.15);
    progress.show('step 25 and much more', { share: 0.25 });
    expect(written.at(-1)).toBe(`${clear}▕████            ▏ 30 s, about 1 min 30 s left  s`);
  });

  it('goes on with the time while nothing is said, and stops when ended', () => {
    const { written, pass, timers, progress } = fakeProgress({ isTTY: true });
    progress.show('working', { share: 0 });
    pass(10);
    progress.show('working', { share: 0.5 });
    pass(4);
    expect(written.at(-1)).toBe(`${clear}${bar(0.5)} 14 s, about 6 s left  working`);
    pass(20);
    expect(written.at(-1)).toBe(`${clear}${bar(0.5)} 34 s, about 0 s left  working`);
    progress.show('loading …');
    pass(2);
    expect(written.at(-1)).toBe(`${clear}loading …  36 s`);
    progress.end();
    expect(timers).toEqual([]);
    const { length } = written;
    pass(100);
    expect(written).toHaveLength(length);
  });

  it.each([
    [20, 19],
    [undefined, 79],
    [0, 79],
  ])('stays on one line of a terminal of %s columns', (columns, longest) => {
    const { written, progress } = fakeProgress({ isTTY: true, ...(columns !== undefined && { columns }) });
    progress.show('x'.repeat(200));
    expect(written).toEqual([`${clear}${'x'.repeat(longest)}`]);
  });

  it('is silent where quiet is asked for, on a terminal or not', () => {
    for (const isTTY of [true, false]) {
      const { written, pass, timers, progress } = fakeProgress({ isTTY }, true);
      progress.show('something', { share: 0.5 });
      pass(300);
      progress.end();
      expect([written, timers]).toEqual([[], []]);
    }
  });
});

describe('without a terminal', () => {
  it('short work says nothing', () => {
    const { written, pass, progress } = fakeProgress({});
    progress.show('loading …');
    pass(59);
    progress.show('working', { share: 0.5 });
    progress.end();
    expect(written).toEqual([]);
  });

  it('long work writes a plain line per minute, whether or not anything is said', () => {
    const { written, pass, progress } = fakeProgress({ isTTY: false });
    progress.show('step 0', { share: 0 });
    for (let step = 1; step <= 90; step++) {
      pass(1);
      progress.show(`step ${step}`, { share: step / 360 });
    }
    expect(written).toEqual(['epsilens: 16 %, 1 min 0 s, about 5 min 0 s left: step 59\n']);
    pass(60);
    expect(written.slice(1)).toEqual(['epsilens: 25 %, 2 min 0 s, about 4 min 0 s left: step 90\n']);
    progress.show('writing …');
    pass(45);
    expect(written.slice(2)).toEqual(['epsilens: 3 min 0 s: writing …\n']);
    // Nothing that only a terminal understands.
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what must not be there
    expect(written.join('')).not.toMatch(/[\r\x1b█]/);
    progress.end();
    pass(600);
    expect(written).toHaveLength(3);
  });
});

describe('the time left', () => {
  it('follows the pace of the stage, not of what an earlier run had done', () => {
    const estimate = makeEstimate();
    expect(estimate(0, { share: 0.5 })).toBeUndefined();
    // A tenth in ten seconds: four tenths are left.
    expect(estimate(10_000, { share: 0.6 })).toBeCloseTo(40, 9);
    expect(estimate(11_000, { share: 0, stage: 'next' })).toBeUndefined();
    expect(estimate(12_000, { share: 0.5, stage: 'next' })).toBeCloseTo(1, 9);
    // The same stage again, for another part.
    expect(estimate(13_000, { share: 0, stage: 'next' })).toBeUndefined();
    expect(estimate(14_000, { share: 0.25, stage: 'next' })).toBeCloseTo(3, 9);
    expect(estimate(14_000, { share: 1, stage: 'next' })).toBe(0);
  });

  it('is what the work says, where it knows better', () => {
    expect(makeEstimate()(0, { share: 0, left: 77 })).toBe(77);
  });
});

describe('a bar', () => {
  it.each([
    [0, '▕    ▏'],
    [0.5, '▕██  ▏'],
    [0.99, '▕████▏'],
    [1, '▕████▏'],
  ])('of %d is %s', (share, text) => {
    expect(bar(share, 4)).toBe(text);
  });

  it('always has the same length, even if there is nothing to do', () => {
    for (let done = 0; done <= 7; done++) expect(bar(done / 7)).toHaveLength(18);
    expect(bar(0 / 0)).toBe('▕▏');
  });
});

describe('a duration', () => {
  it.each([
    [0, '0 s'],
    [0.4, '0 s'],
    [59.4, '59 s'],
    [59.5, '1 min 0 s'],
    [250, '4 min 10 s'],
    [3599.4, '59 min 59 s'],
    [3599.5, '1 h 0 min'],
    [11_159, '3 h 5 min'],
  ])('of %d seconds is %s', (seconds, text) => {
    expect(duration(seconds)).toBe(text);
  });
});

describe('stopping on Ctrl-C', () => {
  it.each(['SIGINT', 'SIGTERM'] as const)('%s asks once, and the next one is for the process itself', (name) => {
    const before = process.listenerCount(name);
    const stop = stopOnInterrupt();
    expect([stop.signal.aborted, process.listenerCount(name)]).toEqual([false, before + 1]);
    process.emit(name);
    expect([stop.signal.aborted, process.listenerCount(name)]).toEqual([true, before]);
    stop.end();
  });

  it('removes its listeners at the end', () => {
    const count = () => ['SIGINT', 'SIGTERM'].map((name) => process.listenerCount(name));
    const before = count();
    const stop = stopOnInterrupt();
    stop.end();
    expect(count()).toEqual(before);
    expect(stop.signal.aborted).toBe(false);
  });
});

describe('wrapping', () => {
  it.each([
    ['one two three', 7, ['one two', 'three']],
    ['one two three', 8, ['one two', 'three']],
    ['one two three', 13, ['one two three']],
    ['a /very/long/path b', 5, ['a', '/very/long/path', 'b']],
    ['', 5, ['']],
  ])('%j to %i columns', (text, width, lines) => {
    expect(wrap(text, width)).toEqual(lines);
  });

  it('keeps every word, on lines of eighty characters by default', () => {
    const text = Array.from({ length: 300 }, (_, i) => 'x'.repeat((i % 9) + 1)).join(' ');
    const lines = wrap(text);
    expect(lines.join(' ')).toBe(text);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(80);
    expect(Math.min(...lines.slice(0, -1).map(({ length }) => length))).toBeGreaterThan(70);
  });
});
