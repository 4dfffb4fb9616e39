// The progress line, its parts, and Ctrl-C.

import { setTimeout as wait } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { bar, duration, progressLine, stopOnInterrupt } from '../../src/cli/progress.js';
import { wrap } from '../../src/cli/wrap.js';

/** Everything written to a stream that is a terminal of this many columns, or no terminal. */
function fakeStream(settings: { isTTY?: boolean; columns?: number }) {
  const written: string[] = [];
  const stream = { ...settings, write: (text: string) => written.push(text) > 0 };
  return { written, stream: stream as unknown as NodeJS.WriteStream };
}

const clear = '\r\x1b[2K';

describe('the progress line', () => {
  it('is rewritten in place, at most ten times a second, and cleared', async () => {
    const { written, stream } = fakeStream({ isTTY: true, columns: 40 });
    const progress = progressLine(false, stream);
    progress.show('first');
    progress.show('too soon');
    expect(written).toEqual([`${clear}first`]);
    await wait(110);
    progress.show('second');
    progress.end();
    expect(written).toEqual([`${clear}first`, `${clear}second`, clear]);
  });

  it.each([
    [20, 19],
    [undefined, 79],
    [0, 79],
  ])('stays on one line of a terminal of %s columns', (columns, longest) => {
    const { written, stream } = fakeStream({ isTTY: true, ...(columns !== undefined && { columns }) });
    progressLine(false, stream).show('x'.repeat(200));
    expect(written).toEqual([`${clear}${'x'.repeat(longest)}`]);
  });

  it.each([
    ['quiet is asked for', true, { isTTY: true }],
    ['nobody watches', false, {}],
    ['the stream is a file', false, { isTTY: false }],
  ])('is silent where %s', (_, quiet, settings) => {
    const { written, stream } = fakeStream(settings);
    const progress = progressLine(quiet, stream);
    progress.show('something');
    progress.end();
    expect(written).toEqual([]);
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
    for (let done = 0; done <= 7; done++) expect(bar(done / 7)).toHaveLength(26);
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
