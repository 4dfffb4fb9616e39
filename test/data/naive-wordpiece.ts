// A naive WordPiece trainer: words are lists of strings, and all pairs are counted again for every merge.

export interface NaivePlan {
  readonly size: number;
  readonly minFrequency: number;
  readonly alphabet: number;
}

export function trainNaively(
  words: Iterable<readonly [string, number]>,
  { size, minFrequency, alphabet }: NaivePlan,
): string[] {
  const list = [...words].map(([word, count]) => ({ characters: Array.from(word), word, count }));
  list.sort((a, b) => (a.word > b.word ? 1 : -1));

  const often: Record<string, number> = Object.create(null);
  for (const { characters, count } of list) for (const c of characters) often[c] = (often[c] ?? 0) + count;
  const order = (a: string, b: string) => Number(a.codePointAt(0)) - Number(b.codePointAt(0));
  const kept = Object.keys(often)
    .sort((a, b) => Number(often[b]) - Number(often[a]) || order(a, b))
    .slice(0, alphabet);
  const pieces = ['[PAD]', '[UNK]', '[CLS]', '[SEP]', '[MASK]', ...kept.sort(order)];

  let split = list.map(({ characters, count }) => ({
    count,
    parts: characters.map((c, i) => (kept.includes(c) ? (i > 0 ? `##${c}` : c) : '')).filter((part) => part !== ''),
  }));
  for (const { parts } of split) for (const part of parts) if (!pieces.includes(part)) pieces.push(part);

  while (pieces.length < size) {
    const counts = new Map<string, { left: string; right: string; count: number }>();
    for (const { parts, count } of split) {
      for (const [i, right] of parts.entries()) {
        if (i === 0) continue;
        const left = parts[i - 1] as string;
        const pair = counts.get(`${left} ${right}`) ?? { left, right, count: 0 };
        counts.set(`${left} ${right}`, { ...pair, count: pair.count + count });
      }
    }
    const rank = (piece: string) => pieces.indexOf(piece);
    const [best] = [...counts.values()].sort(
      (a, b) => b.count - a.count || rank(a.left) - rank(b.left) || rank(a.right) - rank(b.right),
    );
    if (best === undefined || best.count < minFrequency) break;
    const joined = best.left + best.right.slice(2);
    if (!pieces.includes(joined)) pieces.push(joined);
    split = split.map(({ parts, count }) => ({ count, parts: joinAll(parts, best.left, best.right, joined) }));
  }
  return pieces;
}

function joinAll(parts: readonly string[], left: string, right: string, joined: string): string[] {
  const [first, second, ...rest] = parts;
  if (first === undefined) return [];
  if (first === left && second === right) return [joined, ...joinAll(rest, left, right, joined)];
  return [first, ...joinAll(parts.slice(1), left, right, joined)];
}
