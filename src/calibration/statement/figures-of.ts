// Results as figures in JSON: estimates without their single values, infinite numbers as text.

/** Plain data as it stands in a statement. */
export type Figures = string | number | boolean | null | readonly Figures[] | { readonly [key: string]: Figures };

/** The figures of a result. Of an estimate stay the mean, its interval and the number of values, not the values themselves. */
export function figuresOf(value: unknown): Figures {
  if (typeof value === 'number') return Number.isFinite(value) ? value : `${value}`;
  if (typeof value === 'string' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map(figuresOf);
  if (typeof value !== 'object' || value === null) return null;
  const { values, ...rest } = value as Readonly<Record<string, unknown>>;
  const isEstimate = Array.isArray(values) && typeof rest.mean === 'number';
  const kept = isEstimate ? { ...rest, count: values.length } : value;
  return Object.fromEntries(
    Object.entries(kept).flatMap(([key, inner]) => (inner === undefined ? [] : [[key, figuresOf(inner)]])),
  );
}
