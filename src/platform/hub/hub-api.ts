// Doorway to @huggingface/hub: which commit a revision is, and what files it has. The package is loaded at first use. Files are
// transferred by hub-download.ts: the package's own downloads begin again after a cut, check no checksum, and write to the console.

import { FileError } from '../../checks/index.js';
import { type HubName, isCommit } from './hub-name.js';
import { HubError } from './hub-request.js';

/** A file of a repository, at one commit. */
export interface HubFile {
  readonly path: string;
  readonly size: number;
  /** SHA-1 of Git's object, which holds the file's length and content. */
  readonly oid: string;
  /** SHA-256 of the content; only of files in large-file storage, whose `oid` is that of a pointer to them. */
  readonly sha256?: string;
}

interface Access {
  readonly endpoint: string;
  readonly fetch: typeof fetch;
}

const mostFiles = 100_000;

/** The commit that a branch or tag stands for now. */
export async function findCommit(name: HubName, revision: string, { endpoint, fetch }: Access): Promise<string> {
  const { modelInfo, datasetInfo } = await import('@huggingface/hub');
  const known = { name: name.repository, revision, hubUrl: endpoint, fetch };
  const { sha } = await inWords(name, () =>
    name.kind === 'model'
      ? modelInfo({ ...known, additionalFields: ['sha'] })
      : datasetInfo({ ...known, additionalFields: ['sha'] }),
  );
  if (typeof sha === 'string' && isCommit(sha)) return sha;
  throw new HubError(`hf:${name.repository}: expected a commit from ${endpoint}, got none: check HF_ENDPOINT`);
}

/** All files of a commit. */
export async function listRepository(name: HubName, commit: string, { endpoint, fetch }: Access): Promise<HubFile[]> {
  const { listFiles } = await import('@huggingface/hub');
  const repo = { type: name.kind, name: name.repository } as const;
  const files: HubFile[] = [];
  await inWords(name, async () => {
    for await (const { type, path, size, oid, lfs } of listFiles({
      repo,
      revision: commit,
      recursive: true,
      hubUrl: endpoint,
      fetch,
    })) {
      if (type !== 'file') continue;
      files.push({ path, size, oid: oid ?? '', ...(lfs && { size: lfs.size, sha256: lfs.oid }) });
      if (files.length > mostFiles)
        throw new HubError(`hf:${name.repository}: more than ${mostFiles} files are not supported`);
    }
  });
  for (const file of files) checkFile(name, file);
  return files;
}

/** Refuses an entry that would be written elsewhere than below its snapshot, or could not be checked. */
export function checkFile({ repository }: HubName, file: HubFile): void {
  const { path, size, oid, sha256 } = file as Partial<HubFile>;
  const isInside =
    typeof path === 'string' &&
    path.length <= 1000 &&
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
    !/[\u0000-\u001f\\:]/.test(path) &&
    path.split('/').every((part) => part !== '' && part !== '.' && part !== '..');
  if (!isInside) {
    throw new FileError(
      `hf:${repository}: the Hub lists a file outside the repository, ${JSON.stringify(path)}: nothing was downloaded`,
    );
  }
  const isChecked = /^[0-9a-f]{40}$/.test(oid ?? '') && (sha256 === undefined || /^[0-9a-f]{64}$/.test(sha256));
  if (!isChecked || !Number.isSafeInteger(size) || (size as number) < 0) {
    throw new FileError(`hf:${repository}: the Hub lists ${path} without size and checksum: nothing was downloaded`);
  }
}

/** Turns what the package throws about an answer that it does not understand into a sentence. */
async function inWords<Result>({ repository }: HubName, work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof FileError) throw error;
    const reason = error instanceof Error ? error.message.split('\n', 1)[0] : String(error);
    throw new HubError(
      `hf:${repository}: the answer of the Hub cannot be read (${reason}): check HF_ENDPOINT, or try again`,
    );
  }
}
