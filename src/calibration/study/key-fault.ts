// A key of a study with a value that does not fit the others.

/** A key, what is expected there, and what it has. */
export interface KeyFault {
  readonly path: readonly string[];
  readonly expected: string;
  readonly got: unknown;
}
