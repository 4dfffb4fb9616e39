// How long work has taken, and about how long the rest will take at the pace of its stage so far.

/** How far a stage of the work has come. */
export interface Step {
  /** From 0 to 1. */
  readonly share: number;
  /** A new name starts a new estimate: what comes next has a pace of its own. */
  readonly stage?: string;
  /** Seconds left, where the work itself knows better. */
  readonly left?: number;
}

/** Estimates the seconds left, from times in milliseconds. What an earlier run had done already tells nothing about the pace. */
export function makeEstimate(): (now: number, step: Step) => number | undefined {
  let begun: { readonly time: number; readonly share: number; readonly stage: string | undefined } | undefined;
  let latest = 0;
  return (now, { share, stage, left }) => {
    if (begun === undefined || begun.stage !== stage || share < latest) begun = { time: now, share, stage };
    latest = share;
    if (left !== undefined) return left;
    const done = share - begun.share;
    return done > 0 ? ((now - begun.time) / 1000 / done) * (1 - share) : undefined;
  };
}

/** 3 h 5 min, 4 min 10 s, 12 s. */
export function duration(seconds: number): string {
  const whole = Math.round(seconds);
  if (whole >= 3600) return `${Math.floor(whole / 3600)} h ${Math.floor((whole % 3600) / 60)} min`;
  return whole >= 60 ? `${Math.floor(whole / 60)} min ${whole % 60} s` : `${whole} s`;
}
