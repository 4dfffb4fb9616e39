// Loads the bundled mail: extracted from the corpus once, then read from the cache.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from '../../platform/index.js';
import { cachedRows } from '../cached-rows.js';
import type { DataSet, Example, SplitName } from '../data-set.js';
import { corpusVersion } from './corpus.js';
import type { MailRow } from './extract.js';

/** Raise it with every change that alters a row. */
const cleaningVersion = 2;

const cacheKey = (): string => `mail-${corpusVersion()}-${cleaningVersion}`;
const cachePath = (): string => join(cacheFolder(), `${cacheKey()}.jsonl.gz`);

const loadRows = (): Promise<readonly MailRow[]> =>
  cachedRows(cachePath(), cacheKey(), async () => (await import('./extract.js')).extractMail());

/** Loads the SpamAssassin corpus: ham and spam, split by thread. The first call takes seconds, later ones milliseconds. */
export async function loadMail(): Promise<DataSet> {
  const parts: Record<SplitName, Example[]> = { train: [], validation: [], test: [] };
  const skipped: Partial<Record<SplitName, number>> = {};
  for (const { part, text, label, group } of await loadRows()) {
    if (text === '') skipped[part] = (skipped[part] ?? 0) + 1;
    else parts[part].push({ text, label, group });
  }
  return { name: 'mail', classes: ['ham', 'spam'], splits: parts, skipped };
}

/** Fills the cache if it is empty; returns the number of messages if it did. */
export async function prepareMail(): Promise<number | undefined> {
  return existsSync(cachePath()) ? undefined : (await loadRows()).length;
}
