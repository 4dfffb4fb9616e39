// The API reference covers the package: a page per entry point, and on it every public symbol. `npm run api` writes it.

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const { exports } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  exports: Record<string, string | { types: string }>;
};
const entries = Object.entries(exports).flatMap(([name, target]) =>
  typeof target === 'string' ? [] : [{ name: name.replace(/^\./, 'epsilens'), types: target.types }],
);

const sourceOf = (types: string): string => join(root, types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts'));

interface Exported {
  /** The name that people import. */
  readonly name: string;
  /** Its name in the file that declares it, or that lists it again. */
  readonly local: string;
  readonly file: string;
}

/** What a list of exports gives. */
const exportsOf = (file: string): Exported[] =>
  [...readFileSync(file, 'utf8').matchAll(/export (?:type )?\{([^}]*)\} from '([^']+)'/g)].flatMap(
    ([, list = '', from = '']) =>
      list.split(',').flatMap((item) => {
        const [, local, name = local] = /^(?:type )?(\w+)(?: as (\w+))?$/.exec(item.trim()) ?? [];
        if (local === undefined || name === undefined) return [];
        return [{ name, local, file: join(dirname(file), from.replace(/\.js$/, '.ts')) }];
      }),
  );

/** Whether the declaration has a doc comment, however many lists lie between. */
function isDocumented({ local, file }: Exported): boolean {
  const text = readFileSync(file, 'utf8');
  const declared = new RegExp(`^export (?:async )?(?:function\\*?|const|interface|type|class) ${local}\\b`, 'm').exec(
    text,
  );
  if (declared !== null) return text.slice(0, declared.index).endsWith('*/\n');
  const again = exportsOf(file).find(({ name }) => name === local);
  return again !== undefined && isDocumented(again);
}

describe('the API reference', () => {
  it.each(entries)('has every symbol of $name', ({ name, types }) => {
    const page = readFileSync(join(root, 'docs', 'api', `${name.replaceAll('/', '.')}.md`), 'utf8');
    const headings = new Set([...page.matchAll(/^### (?:abstract )?(\w+)/gm)].map(([, heading]) => heading as string));
    const symbols = exportsOf(sourceOf(types)).map((one) => one.name);
    expect(symbols.length).toBeGreaterThan(0);
    // Run npm run api where a symbol is new, or still on an old page.
    expect([...headings].sort()).toEqual(symbols.sort());
  });

  it.each(entries)('is made from doc comments, which no symbol of $name lacks', ({ types }) => {
    const bare = exportsOf(sourceOf(types)).filter((one) => !isDocumented(one));
    expect(bare.map(({ name }) => name)).toEqual([]);
  });

  it('would notice a symbol without a doc comment', () => {
    const file = join(root, 'src', 'data', 'batches.ts');
    expect(isDocumented({ name: 'lengthBuckets', local: 'lengthBuckets', file })).toBe(true);
    expect(isDocumented({ name: 'usualLengths', local: 'usualLengths', file })).toBe(false);
  });
});
