// The API reference covers the package: a page per entry point, and on it every public symbol. `npm run api` writes it.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>;
};
const entries = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [{ name: name.replace(/^\./, 'epsilens'), types: target.types }],
);

/** The names that a list of exports gives: those after `as` where they are renamed. */
function symbolsOf(types: string): string[] {
  const text = readFileSync(join(root, types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')), 'utf8');
  return [...text.matchAll(/export (?:type )?\{([^}]*)\}/g)].flatMap(([, list = '']) =>
    list.split(',').flatMap((item) => item.trim().match(/(\w+)$/)?.[1] ?? []),
  );
}

describe('the API reference', () => {
  it.each(entries)('has every symbol of $name', ({ name, types }) => {
    const page = readFileSync(join(root, 'docs', 'api', `${name.replaceAll('/', '.')}.md`), 'utf8');
    const headings = new Set([...page.matchAll(/^### (?:abstract )?(\w+)/gm)].map(([, heading]) => heading));
    const symbols = symbolsOf(types);
    expect(symbols.length).toBeGreaterThan(0);
    expect(symbols.filter((symbol) => !headings.has(symbol))).toEqual([]);
    // A symbol that is no longer exported is still on an old page.
    expect([...headings].filter((heading) => !symbols.includes(heading as string))).toEqual([]);
  });
});
