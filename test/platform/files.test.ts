// Files are whole or absent, whatever goes wrong, and errors about JSON begin with the path.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { FileError } from '../../src/checks/index.js';
import {
  appendPrivate,
  makePrivateFolder,
  readJsonObject,
  writeJson,
  writePrivate,
  writePrivateJson,
  writeWhole,
} from '../../src/platform/index.js';

const root = mkdtempSync(join(tmpdir(), 'epsilens-files-'));
afterAll(() => rmSync(root, { recursive: true }));

/** A folder of its own for a test. */
function folder(name: string): string {
  const path = join(root, name);
  mkdirSync(path);
  return path;
}

describe('writing a file whole', () => {
  it('makes missing folders, and joins text and bytes', async () => {
    const path = join(root, 'made', 'on', 'the way', 'file');
    await writeWhole(path, 'é', Uint8Array.of(0, 255), '', 'end');
    expect(readFileSync(path)).toEqual(Buffer.from([0xc3, 0xa9, 0, 255, ...Buffer.from('end')]));
    expect(readdirSync(join(path, '..'))).toEqual(['file']);
  });

  it('writes an empty file from nothing', async () => {
    await writeWhole(join(root, 'empty'));
    expect(statSync(join(root, 'empty')).size).toBe(0);
  });

  it('replaces a longer file', async () => {
    const path = join(root, 'replaced');
    await writeWhole(path, 'long before');
    await writeWhole(path, 'now');
    expect(readFileSync(path, 'utf8')).toBe('now');
  });

  it('leaves the old file as it was when a piece cannot be written', async () => {
    const inside = folder('broken');
    await writeWhole(join(inside, 'file'), 'before');
    await expect(writeWhole(join(inside, 'file'), 'begun', 7 as unknown as string)).rejects.toThrow('data');
    expect(readFileSync(join(inside, 'file'), 'utf8')).toBe('before');
    expect(readdirSync(inside)).toEqual(['file']);
  });

  it('leaves nothing behind when the file cannot be renamed', async () => {
    const inside = folder('taken');
    const path = join(inside, 'name');
    mkdirSync(join(path, 'inner'), { recursive: true });
    await expect(writeWhole(path, 'text')).rejects.toThrow(path);
    expect(readdirSync(inside)).toEqual(['name']);
    expect(readdirSync(path)).toEqual(['inner']);
  });

  it('names the path where a folder cannot be made', async () => {
    writeFileSync(join(root, 'plain'), '');
    await expect(writeWhole(join(root, 'plain', 'file'), 'x')).rejects.toThrow(
      new FileError(
        `${join(root, 'plain', 'file')}: expected a folder, or a place for one, got a file: choose another path`,
      ),
    );
    await expect(writeWhole(join(root, 'plain', 'deep', 'file'), 'x')).rejects.toThrow(
      /^.*plain\/deep\/file: a part of this path is a file where a folder is expected: check the path$/,
    );
  });

  it('gives a whole file when several write at once', async () => {
    const inside = folder('several');
    const texts = Array.from({ length: 8 }, (_, i) => `${i}`.repeat(50_000));
    await Promise.all(texts.map((text) => writeWhole(join(inside, 'file'), text)));
    expect(texts).toContain(readFileSync(join(inside, 'file'), 'utf8'));
    expect(readdirSync(inside)).toEqual(['file']);
  });
});

describe('JSON files', () => {
  it('are read as they were written, and are readable by people', async () => {
    const path = join(root, 'value.json');
    await writeJson(path, { steps: 3, inner: { text: 'ε' } });
    expect(readFileSync(path, 'utf8')).toBe('{\n  "steps": 3,\n  "inner": {\n    "text": "ε"\n  }\n}\n');
    expect(await readJsonObject(path)).toEqual({ steps: 3, inner: { text: 'ε' } });
  });

  it.each([
    ['[]', 'expected a JSON object'],
    ['null', 'expected a JSON object'],
    ['3', 'expected a JSON object'],
    ['"text"', 'expected a JSON object'],
    ['{"a": 1', 'not JSON: '],
    ['', 'not JSON: '],
  ])('of %j are refused', async (text, message) => {
    const path = join(root, 'wrong.json');
    writeFileSync(path, text);
    const read = readJsonObject(path);
    await expect(read).rejects.toThrow(FileError);
    await expect(read).rejects.toThrow(`${path}: ${message}`);
  });

  it('that cannot be read are named in the error', async () => {
    await expect(readJsonObject(join(root, 'none.json'))).rejects.toThrow(
      new FileError(`${join(root, 'none.json')}: no such file`),
    );
    await expect(readJsonObject(root)).rejects.toThrow(
      new FileError(`${root}: expected a file, got a folder: give the path of a file`),
    );
  });
});

describe.skipIf(process.platform === 'win32')('private files', () => {
  const modeOf = (path: string) => (statSync(path).mode & 0o777).toString(8);

  it('and their folders are their owner’s alone; other files have the usual mode', async () => {
    const before = process.umask(0o022);
    try {
      const inside = join(root, 'private');
      await writePrivate(join(inside, 'deep', 'whole'), 'x');
      await writePrivateJson(join(inside, 'json'), {});
      await appendPrivate(join(inside, 'lines'), 'x\n');
      await makePrivateFolder(join(inside, 'folder'));
      await writeWhole(join(inside, 'public', 'usual'), 'x');
      const found = ['', 'deep', 'deep/whole', 'json', 'lines', 'folder', 'public', 'public/usual'].map((name) =>
        modeOf(join(inside, name)),
      );
      expect(found).toEqual(['700', '700', '600', '600', '600', '700', '755', '644']);
      // A file that everybody could read becomes private when it is written again.
      await writePrivate(join(inside, 'public', 'usual'), 'y');
      expect(modeOf(join(inside, 'public', 'usual'))).toBe('600');
    } finally {
      process.umask(before);
    }
  });
});
