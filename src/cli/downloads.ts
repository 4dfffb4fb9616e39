// Downloads what a command names on the Hugging Face Hub before it begins, with its progress. Ctrl-C still ends the command at once
// here, and the next one continues.

import type { OptionSchema } from '../checks/index.js';
import { placeDataSet } from '../data/index.js';
import { placeModel } from '../models/index.js';
import { type DownloadProgress, isHubSource } from '../platform/index.js';
import type { Progress } from './progress.js';

/** What a command names; anything else than names of the Hub is left alone. */
interface Named {
  readonly model?: string | undefined;
  readonly data?: string | undefined;
  /** Whether the Hub is asked for newer revisions of the data. */
  readonly pull?: boolean | undefined;
  /** Options that may name models too. */
  readonly options?: readonly [OptionSchema, Readonly<Record<string, unknown>>];
}

export async function downloadNamed(
  { model, data, pull = false, options: [schema, values] = [{}, {}] }: Named,
  progress: Progress,
) {
  const others = Object.entries(values).flatMap(([key, value]) => (schema[key]?.type === 'model' ? [value] : []));
  for (const source of [model, ...others]) {
    if (typeof source === 'string' && isHubSource(source))
      await placeModel(source, { onProgress: showDownload(progress) });
  }
  if (data !== undefined && isHubSource(data))
    await placeDataSet(data, { newest: pull, onProgress: showDownload(progress) });
}

/** Shows a download on the line of progress. */
export const showDownload =
  (progress: Progress) =>
  ({ source, file, done, all }: DownloadProgress): void =>
    progress.show(`downloading ${source}: ${file}, ${megabytes(done)} of ${megabytes(all)} MB`, {
      share: all === 0 ? 1 : done / all,
      stage: `download of ${source}`,
    });

const megabytes = (bytes: number): string => (bytes / 1e6).toFixed(bytes < 1e7 ? 1 : 0);
