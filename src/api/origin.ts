// Remembers where a model or data set was loaded from, because other processes and later runs must load it again.

/** A source, and the options it was loaded with. */
export interface Origin {
  readonly source: string;
  readonly options: Readonly<Record<string, unknown>>;
}

const origins = new WeakMap<object, Origin>();

/** Notes where an object was loaded from. */
export function remember<Loaded extends object>(loaded: Loaded, source: string, options: object): Loaded {
  const given = Object.entries(options).filter(([, value]) => value !== undefined);
  origins.set(loaded, { source, options: Object.fromEntries(given) });
  return loaded;
}

/** Where an object was loaded from; undefined for one made in memory. */
export const originOf = (loaded: object): Origin | undefined => origins.get(loaded);
