// A folder to which an attack writes its results batch by batch, and from which it resumes.

import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { ArgumentError, option, say } from '../../checks/index.js';
import { appendPrivate, makePrivateFolder, readJsonObject, writePrivateJson } from '../../platform/index.js';

export interface ResultsFolder<Line> {
  /** Results of an earlier run with the same settings. */
  readonly done: readonly Line[];
  readonly append: (line: Line) => Promise<void>;
  readonly finish: (report: object) => Promise<void>;
}

/** Opens the folder; without one, nothing is written. */
export async function openResultsFolder<Line>(
  folder: string | undefined,
  settings: object,
): Promise<ResultsFolder<Line>> {
  if (folder === undefined) return { done: [], append: async () => {}, finish: async () => {} };
  const [path, lines] = [join(folder, 'settings.json'), join(folder, 'batches.jsonl')];
  const known = existsSync(path);
  const plain = JSON.parse(JSON.stringify(settings));
  if (known && !isDeepStrictEqual(await readJsonObject(path), plain)) {
    throw new ArgumentError(
      say`${folder} holds results of other settings or of another version: choose another ${option('folder')}`,
    );
  }
  if (!known) {
    // It will hold private text, so only its owner may read it.
    await makePrivateFolder(folder);
    await writePrivateJson(path, plain);
  }
  return {
    done: known && existsSync(lines) ? readLines<Line>(lines) : [],
    append: (line) => appendPrivate(lines, `${JSON.stringify(line)}\n`),
    finish: (report) => writePrivateJson(join(folder, 'report.json'), report),
  };
}

/** Removes a line that a crash cut off; its batch is attacked again. */
function readLines<Line>(path: string): Line[] {
  const bytes = readFileSync(path);
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  if (whole.length < bytes.length) truncateSync(path, whole.length);
  const lines = whole.toString('utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line);
}
