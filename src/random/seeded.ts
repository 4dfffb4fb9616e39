// The seeded generator: the same numbers on every platform, for experiments that must be repeatable. It is not for
// private releases, whose noise an adversary must be unable to predict.

import { check, nonNegativeInteger } from '../checks/index.js';
import { derive, type Identity, ORIGIN, type StreamName } from './identity.js';
import type { Two } from './philox.js';
import { fillBlocks } from './philox-wasm.js';
import type { RandomSource } from './source.js';

const GENERATOR = 'philox4x32-10';

/** The state of a seeded source as plain data, for a checkpoint: its sequence, and how many words were drawn from it. */
export type SourceState = {
  readonly generator: typeof GENERATOR;
  readonly identity: Identity;
  readonly position: number;
};

/** A repeatable source, which can be split into named streams and saved. */
export type SeededSource = RandomSource & {
  /** An independent source. It depends on the seed and the names only, not on what was drawn from this source. */
  stream(name: StreamName): SeededSource;
  /** Plain data from which `restoreSource` continues. */
  state(): SourceState;
};

// Small, because many streams give only a few numbers; larger requests bypass the buffer.
const BUFFER_WORDS = 16;

/** Words 4b … 4b+3 are the block of counter (b, upper half of the identity) under the key in its lower half. */
function sourceAt(identity: Identity, position: number): SeededSource {
  const key: Two = [identity[0], identity[1]];
  const buffer = new Uint32Array(BUFFER_WORDS);
  let used = BUFFER_WORDS;
  let nextBlock = Math.floor(position / 4);

  function generate(words: Uint32Array, start: number, blocks: number): void {
    const counter = [nextBlock % 2 ** 32, Math.floor(nextBlock / 2 ** 32), identity[2], identity[3]] as const;
    fillBlocks(counter, key, words, start, blocks);
    nextBlock += blocks;
  }

  function refill(): void {
    generate(buffer, 0, BUFFER_WORDS / 4);
    used = 0;
  }

  function next(): number {
    if (used === BUFFER_WORDS) refill();
    const word = buffer[used] as number;
    used += 1;
    return word;
  }

  function fill(words: Uint32Array): void {
    let done = 0;
    while (used < BUFFER_WORDS && done < words.length) words[done++] = next();
    const blocks = Math.floor((words.length - done) / 4);
    if (blocks > 0) generate(words, done, blocks);
    done += 4 * blocks;
    while (done < words.length) words[done++] = next();
  }

  if (position % 4 > 0) {
    refill();
    used = position % 4;
  }

  return {
    next,
    fill,
    stream: (name) => sourceAt(derive(identity, { name }), 0),
    state: () => ({ generator: GENERATOR, identity, position: 4 * nextBlock - (BUFFER_WORDS - used) }),
  };
}

/**
 * A source that gives the same words for the same seed on every platform (Philox4x32-10). Not for private releases: whoever
 * knows the seed knows the noise.
 */
export const seededSource = (seed: StreamName): SeededSource => sourceAt(derive(ORIGIN, { seed }), 0);

const isWord = (value: unknown): boolean => Number.isInteger(value) && Number(value) >= 0 && Number(value) < 2 ** 32;

/** The source that `state()` described. It continues with the word that would have come next. */
export function restoreSource(state: SourceState): SeededSource {
  check({ state }, 'an object', (value) => typeof value === 'object' && value !== null);
  const { generator, identity, position, ...unknown } = state;
  check({ 'state.generator': generator }, GENERATOR, (value) => value === GENERATOR);
  check(
    { 'state.identity': identity },
    'four 32-bit words',
    (value) => Array.isArray(value) && value.length === 4 && value.every(isWord),
  );
  nonNegativeInteger({ 'state.position': position });
  check({ 'keys of state': Object.keys(unknown) }, 'no others', (keys) => keys.length === 0);
  return sourceAt([...identity], position);
}
