// A folder in which an attack keeps its results line by line, and from which it goes on.

import { existsSync, readFileSync, truncateSync } from 'node:fs';
import { appendFile, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { ArgumentError } from '../checks/index.js';
import { writeJson } from '../platform/index.js';

interface OutFlags {
  readonly out?: string;
  readonly jobs?: number;
  readonly json?: boolean;
  readonly quiet?: boolean;
}

export interface Results<Line> {
  /** Of an earlier run with the same settings. */
  readonly done: readonly Line[];
  /** All or nothing, but for a crash in between. */
  readonly append: (...lines: readonly Line[]) => Promise<void>;
  readonly finish: (report: object) => Promise<void>;
}

/** Keeps nothing without `--out`. */
export async function openResults<Line>(flags: OutFlags, file = 'sentences.jsonl'): Promise<Results<Line>> {
  const { out, json: _, quiet: __, jobs: ___, ...settings } = flags;
  if (out === undefined) return { done: [], append: async () => {}, finish: async () => {} };
  const [path, lines] = [join(out, 'settings.json'), join(out, file)];
  const known = existsSync(path);
  if (known && JSON.stringify(JSON.parse(readFileSync(path, 'utf8'))) !== JSON.stringify(settings)) {
    throw new ArgumentError(`${out} holds results of other settings: use another folder`);
  }
  if (!known) {
    await mkdir(out, { recursive: true });
    await writeJson(path, settings);
  }
  return {
    done: known && existsSync(lines) ? readLines<Line>(lines) : [],
    append: (...added) => appendFile(lines, added.map((line) => `${JSON.stringify(line)}\n`).join('')),
    finish: (report) => writeJson(join(out, 'report.json'), report),
  };
}

/** A line cut off by a crash goes, and is done again. */
function readLines<Line>(path: string): Line[] {
  const bytes = readFileSync(path);
  const whole = bytes.subarray(0, bytes.lastIndexOf('\n') + 1);
  if (whole.length < bytes.length) truncateSync(path, whole.length);
  return whole
    .toString('utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Line);
}
