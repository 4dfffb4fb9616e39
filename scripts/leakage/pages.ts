// Puts results where readers find them.

import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const page = join('docs', 'results.md');
const [begin, end] = ['<!-- npm run leakage -->', '<!-- end -->'];

/** Replaces what stands between the marks of the page. */
export function writeTables(tables: string): void {
  const text = readFileSync(page, 'utf8');
  const [from, to] = [text.indexOf(begin), text.indexOf(end)];
  if (from === -1 || to < from) throw new Error(`${page}: expected ${begin} and ${end} around the tables`);
  writeFileSync(page, `${text.slice(0, from + begin.length)}\n\n${tables}\n\n${text.slice(to)}`);
}

export function writeFigure(svg: string): void {
  const path = join('docs', 'figures', 'leakage.svg');
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, svg);
}
