// The pages people read: which there are, what they link to, and the examples in them.

import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';

const root = join(import.meta.dirname, '..', '..');

const markdownIn = (folder: string, recursive: boolean): string[] =>
  readdirSync(join(root, folder), { recursive, encoding: 'utf8' })
    .filter((name) => name.endsWith('.md'))
    .map((name) => posix.join(folder, name.replaceAll('\\', '/')));

/** Paths from the root of the repository. */
export const pages: readonly string[] = [
  ...markdownIn('.', false),
  ...markdownIn('docs', true),
  ...markdownIn('models', true),
];

const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Code is not prose: it may hold brackets that are no links and lines that are no headings. */
const prose = (page: string): string => read(page).replace(/^```.*?^```/gms, '');

export interface Link {
  readonly page: string;
  /** A file or folder, from the root. */
  readonly target: string;
  /** The heading within it; empty where there is none. */
  readonly anchor: string;
}

/** Links and pictures within the repository. */
export const linksOf = (page: string): Link[] =>
  [...prose(page).matchAll(/\]\(([^)\s]+)\)|(?:href|src)="([^"]+)"/g)].flatMap(([, inText, inTag]) => {
    const link = inText ?? inTag ?? '';
    if (/^[a-z]+:/.test(link)) return [];
    const [path = '', anchor = ''] = link.split('#');
    return [{ page, target: path === '' ? page : posix.join(posix.dirname(page), path), anchor }];
  });

const anchorsByPage = new Map<string, ReadonlySet<string>>();

/** The anchors of a page: those it sets itself, and its headings as GitHub names them. */
export function anchorsOf(page: string): ReadonlySet<string> {
  const known = anchorsByPage.get(page);
  if (known) return known;
  const own = [...prose(page).matchAll(/<a id="([^"]+)">/g)].map(([, id = '']) => id);
  const anchors = new Set([...own, ...headingAnchors(page)]);
  anchorsByPage.set(page, anchors);
  return anchors;
}

/** A second heading of the same words gets -1. */
function headingAnchors(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of prose(page).matchAll(/^#{1,6} (.*)$/gm)) {
    const slug = heading
      .trim()
      .toLowerCase()
      .replace(/[^\p{L}\p{M}\p{N}\p{Pc} -]/gu, '')
      .replaceAll(' ', '-');
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count++) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** Files that the text names in code style, as `src/attacks/attack.ts`. */
export const filesNamedIn = (page: string): string[] =>
  [...prose(page).matchAll(/`((?:src|test|scripts|docs|bench|studies|models)\/[\w./-]+)`/g)].map(
    ([, path = '']) => path,
  );

/** The TypeScript examples of a page, in order. Generated pages have signatures instead. */
export const examplesOf = (page: string): string[] =>
  page.startsWith('docs/api/') ? [] : [...read(page).matchAll(/^```ts\n(.*?)^```/gms)].map(([, code = '']) => code);

/** The README's program, which is also plain JavaScript, and what its comments say that it prints; … stands for any text. */
export function readmeProgram(): { readonly code: string; readonly prints: readonly RegExp[] } {
  const [code = ''] = examplesOf('README.md');
  const promised = [...code.matchAll(/^console\.log\(.*\);(?: |\n)\/\/ (.*)$/gm)].map(([, text = '']) => text);
  const literal = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return { code, prints: promised.map((text) => new RegExp(`^${text.split('…').map(literal).join('.*')}$`)) };
}
