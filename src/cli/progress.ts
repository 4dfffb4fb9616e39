// Progress on stderr, with the time so far and the time left: a line that rewrites itself on a terminal, and a plain line per minute
// elsewhere, so that a log of long work shows that it goes on.

import { duration, makeEstimate, type Step } from './time-left.js';

export interface Progress {
  /** What is under way and, where it is known, how far it has come. */
  readonly show: (text: string, step?: Step) => void;
  /** Clears the line; `show` begins another one. */
  readonly end: () => void;
}

/** Time in milliseconds, and a timer that does not keep the process alive. */
export interface Clock {
  readonly now: () => number;
  /** Calls again and again; returns how to stop. */
  readonly every: (milliseconds: number, tick: () => void) => () => void;
}

const systemClock: Clock = {
  now: () => performance.now(),
  every: (milliseconds, tick) => {
    const timer = setInterval(tick, milliseconds).unref();
    return () => clearInterval(timer);
  },
};

const shortestPause = 100; // milliseconds between two drawings
const second = 1000;
const minute = 60 * second;

interface Shown {
  readonly text: string;
  readonly share?: number;
  /** Seconds left when it was shown. */
  readonly left?: number;
  readonly at: number;
}

/** Shows what is under way on this stream, unless `quiet`. The time goes on by itself while a long step says nothing. */
export function progressLine(
  quiet: boolean,
  stream: NodeJS.WriteStream = process.stderr,
  clock = systemClock,
): Progress {
  if (quiet) return { show: () => {}, end: () => {} };
  const isTerminal = stream.isTTY === true;
  const begun = clock.now();
  const estimate = makeEstimate();
  let last = isTerminal ? Number.NEGATIVE_INFINITY : begun;
  let shown: Shown | undefined;
  let stop: (() => void) | undefined;
  const draw = (pause: number) => {
    const now = clock.now();
    if (shown === undefined || now - last < pause) return;
    last = now;
    const [elapsed, left] = [(now - begun) / 1000, leftOf(shown, now)];
    if (isTerminal) {
      stream.write(`\r\x1b[2K${lineOf(shown, elapsed, left).slice(0, (stream.columns || 80) - 1)}`);
    } else {
      stream.write(`${plainLineOf(shown, elapsed, left)}\n`);
    }
  };
  return {
    show: (text, step) => {
      const at = clock.now();
      const left = step && estimate(at, step);
      shown = { text, at, ...(step && { share: step.share }), ...(left !== undefined && { left }) };
      stop ??= clock.every(second, () => draw(isTerminal ? second : minute));
      draw(isTerminal ? shortestPause : minute);
    },
    end: () => {
      stop?.();
      stop = undefined;
      shown = undefined;
      if (isTerminal) stream.write('\r\x1b[2K');
    },
  };
}

const leftOf = ({ left, at }: Shown, now: number): number | undefined =>
  left === undefined ? undefined : Math.max(0, left - (now - at) / 1000);

/** The time comes first, so that no narrow terminal cuts it off. */
function lineOf({ text, share }: Shown, elapsed: number, left: number | undefined): string {
  if (share === undefined) return elapsed < 1 ? text : `${text}  ${duration(elapsed)}`;
  return `${bar(share)} ${timeOf(elapsed, left)}  ${text}`;
}

const plainLineOf = ({ text, share }: Shown, elapsed: number, left: number | undefined): string =>
  `epsilens: ${share === undefined ? '' : `${Math.floor(100 * share)} %, `}${timeOf(elapsed, left)}: ${text}`;

const timeOf = (elapsed: number, left: number | undefined): string =>
  left === undefined ? duration(elapsed) : `${duration(elapsed)}, about ${duration(left)} left`;

/** ▕██████    ▏ */
export function bar(share: number, width = 16): string {
  const full = Math.round(share * width);
  return `▕${'█'.repeat(full)}${' '.repeat(width - full)}▏`;
}

/** Ctrl-C asks to stop after the step under way; a second Ctrl-C stops at once. */
export function stopOnInterrupt(): { readonly signal: AbortSignal; readonly end: () => void } {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop);
  process.once('SIGTERM', stop);
  return {
    signal: controller.signal,
    end: () => {
      process.off('SIGINT', stop);
      process.off('SIGTERM', stop);
    },
  };
}
