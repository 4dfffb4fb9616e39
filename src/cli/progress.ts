// A progress line that rewrites itself on stderr, and only on a terminal.

export interface Progress {
  readonly show: (line: string) => void;
  /** Clears the line. */
  readonly end: () => void;
}

const longestPause = 100; // milliseconds between two drawings

export function progressLine(quiet: boolean, stream: NodeJS.WriteStream = process.stderr): Progress {
  if (quiet || !stream.isTTY) return { show: () => {}, end: () => {} };
  let last = Number.NEGATIVE_INFINITY;
  return {
    show: (line) => {
      const now = performance.now();
      if (now - last < longestPause) return;
      last = now;
      stream.write(`\r\x1b[2K${line.slice(0, (stream.columns || 80) - 1)}`);
    },
    end: () => stream.write('\r\x1b[2K'),
  };
}

/** ▕██████    ▏ */
export function bar(share: number, width = 24): string {
  const full = Math.round(share * width);
  return `▕${'█'.repeat(full)}${' '.repeat(width - full)}▏`;
}

/** 3 h 5 min, 4 min 10 s, 12 s. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return whole >= 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole} s`;
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
