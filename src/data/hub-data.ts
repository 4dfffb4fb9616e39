// Data sets of the Hugging Face Hub: which Parquet files of a repository are a configuration's splits. The names of files say so:
// data/train-00000-of-00002.parquet, cola/test-00000-of-00001.parquet, or cola/train/0000.parquet, as the Hub itself converts them.

import { FileError } from '../checks/index.js';
import { type DownloadProgress, HubError, type HubRepository, openHubRepository } from '../platform/index.js';
import { type SplitName, splitNames } from './data-set.js';
import { partOf, partWords } from './folder.js';

/** How a data set is downloaded. */
export interface DownloadOptions {
  /** Called while files are downloaded. */
  readonly onProgress?: ((progress: DownloadProgress) => void) | undefined;
  /** Asks the Hub for the newest commit of the revision. Default: the one in the cache, if there is one. */
  readonly newest?: boolean;
}

/** Where the files of a data set are. */
export interface DataSetPlace {
  /** The repository, with the configuration where there are several. */
  readonly name: string;
  /** A source that means the same rows for ever: its revision is a commit. */
  readonly source: string;
  readonly folder: string;
  /** Paths in the folder, in order. */
  readonly parts: Readonly<Partial<Record<SplitName, readonly string[]>>>;
}

/** The branch of converted files that the Hub keeps of most data sets. */
const converted = 'refs/convert/parquet';

/** Finds a data set of the Hub, and downloads what is not in the cache. */
export async function placeDataSet(source: string, options: DownloadOptions = {}): Promise<DataSetPlace> {
  const repository = await openParquet(source, options);
  const { config, files, named } = chooseConfig(repository);
  const parts = Object.fromEntries(
    splitNames.flatMap((part) => {
      const chosen = filesOf(repository, part, files);
      return chosen.length > 0 ? [[part, chosen]] : [];
    }),
  );
  if (Object.keys(parts).length === 0) {
    const splits = [...new Set(files.map(({ split }) => split))].join(', ');
    throw new FileError(`${repository.source}: expected splits named train, validation or test, got ${splits}`);
  }
  const folder = await repository.get(Object.values(parts).flat());
  const { repository: name } = repository.name;
  return named
    ? { name: `${name}:${config}`, source: withConfig(repository, config), folder, parts }
    : { name, source: repository.source, folder, parts };
}

const withConfig = ({ name, commit }: HubRepository, config: string): string =>
  `hf:${name.repository}:${config}@${commit}`;

/** The repository at the revision that has Parquet files: the one that was named, or the Hub's own conversion. */
async function openParquet(source: string, options: DownloadOptions): Promise<HubRepository> {
  const given = await openHubRepository(source, 'dataset', options);
  if (isParquet(given)) return given;
  const lacks = (more: string) =>
    new FileError(`hf:${given.name.repository}: expected Parquet files, which the repository lacks${more}`);
  if (given.name.revision !== undefined) throw lacks(` at ${given.name.revision}: try @${converted}`);
  await given.get([]); // so that it need not be asked again
  const other = await openHubRepository(source, 'dataset', { ...options, revision: converted }).catch(
    (error: unknown) => {
      if (error instanceof HubError && error.status === 404) {
        throw lacks(', and the Hub has not converted it: download its files and give their folder');
      }
      throw error;
    },
  );
  if (isParquet(other)) return other;
  throw lacks(`, also at ${converted}: download its files and give their folder`);
}

const isParquet = ({ files }: HubRepository): boolean => files.some(({ path }) => path.endsWith('.parquet'));

interface PlacedFile {
  readonly path: string;
  readonly config: string;
  /** The name of the split, which may be none of ours. */
  readonly split: string;
}

/** What a path says. */
function placeFile(path: string): PlacedFile {
  const folders = path.split('/');
  const file = (folders.pop() as string).replace(/\.parquet$/, '');
  const split = file.replace(/-\d+-of-\d+(-[0-9a-f]+)?$/, '');
  // The name of the file is a number, or says nothing: its folder is the split.
  const last = folders.at(-1);
  const isFolder =
    last !== undefined && (/^\d+$/.test(file) || (partOf(split) === undefined && partOf(last) !== undefined));
  const around = isFolder ? folders.slice(0, -1) : folders;
  const named = around[0] === 'data' ? around.slice(1) : around;
  return { path, split: isFolder ? last : split, config: named.join('/') || 'default' };
}

/** The files of the configuration that was named, of the only one, or of the one called default. */
function chooseConfig(repository: HubRepository) {
  const { name } = repository;
  const placed = repository.files
    .filter(({ path }) => path.endsWith('.parquet'))
    .map(({ path }) => placeFile(path))
    .sort((a, b) => (a.path < b.path ? -1 : 1));
  const configs = [...new Set(placed.map(({ config }) => config))];
  const only = configs.length === 1 ? configs[0] : configs.find((one) => one === 'default');
  const config = name.config ?? only;
  const listed = configs.slice(0, 30).join(', ') + (configs.length > 30 ? ', …' : '');
  if (config === undefined) {
    throw new FileError(
      `hf:${name.repository}: the data set has several configurations: write hf:${name.repository}:${configs[0]}, or with another of ${listed}`,
    );
  }
  if (!configs.includes(config)) {
    throw new FileError(`hf:${name.repository}: there is no configuration ${config}: expected one of ${listed}`);
  }
  return { config, files: placed.filter((one) => one.config === config), named: configs.length > 1 };
}

/** The files of one split, all of them and of one kind: a lost or a doubled part would change the data unnoticed. */
function filesOf({ name }: HubRepository, part: SplitName, files: readonly PlacedFile[]): string[] {
  const fitting = files.filter(({ split }) => partOf(split) === part);
  const exact = fitting.filter(({ split }) => partWords[part].includes(split.toLowerCase()));
  const chosen = exact.length > 0 ? exact : fitting;
  const splits = [...new Set(chosen.map(({ split }) => split))];
  const wrong = (text: string) => new FileError(`hf:${name.repository}: ${text}`);
  if (splits.length > 1) {
    throw wrong(
      `expected one split for ${part}, got ${splits.join(' and ')}: download the files that you mean and give their folder`,
    );
  }
  if (splits[0]?.startsWith('partial-')) {
    throw wrong(
      `the Hub has converted only a part of its split ${part}: download the whole data set and give its folder`,
    );
  }
  const places = chosen.map(({ path }) => /(?:-(\d+)-of-(\d+)(?:-[0-9a-f]+)?|\/(\d+))\.parquet$/.exec(path) ?? []);
  const isWhole =
    chosen.length <= 1 && places[0]?.[2] === undefined
      ? true
      : places.every(
          ([, shard, of, piece], index) =>
            Number(shard ?? piece) === index && (of === undefined || Number(of) === chosen.length),
        );
  if (isWhole) return chosen.map(({ path }) => path);
  throw wrong(`expected all files of ${part} once, got ${chosen.map(({ path }) => path).join(', ')}`);
}
