// Messages that name options: each place writes its own names, and gives no advice that cannot be followed there.

import { describe, expect, it } from 'vitest';
import {
  ArgumentError,
  advice,
  FileError,
  inTermsOf,
  messageOf,
  option,
  positive,
  say,
  setting,
  writeMessage,
} from '../../src/checks/index.js';

const message = say`a.csv: no text${advice(say`; add ${setting('skipEmpty', true)}`, '; remove it')}, see ${option('textColumn')}`;

describe('a message', () => {
  it('has the names of the library', () => {
    expect(new FileError(message).message).toBe('a.csv: no text; add skipEmpty: true, see textColumn');
    expect(writeMessage(say`use ${setting('encoding', 'latin1')} or ${option('format', 'loadDataSet')}`)).toBe(
      "use encoding: 'latin1' or format of loadDataSet",
    );
  });

  it('has other names elsewhere, and only advice whose options exist there', () => {
    const flags = ({ option: name }: { option: string }) => (name === 'skipEmpty' ? '--skip-empty' : undefined);
    expect(writeMessage(message, flags)).toBe('a.csv: no text; add --skip-empty, see text column');
    expect(writeMessage(message, () => undefined)).toBe('a.csv: no text; remove it, see text column');
    expect(writeMessage(say`no${advice(say` ${option('x')}`)}.`, () => undefined)).toBe('no.');
  });

  it('is kept by errors, also by those of argument checks', () => {
    const error = new ArgumentError(message);
    expect(messageOf(error)).toEqual(message);
    expect(messageOf(new FileError('plain'))).toBe('plain');
    expect(structuredClone(messageOf(error))).toEqual(message);
    let thrown: unknown;
    try {
      positive({ clipNorm: -1 });
    } catch (caught) {
      thrown = caught;
    }
    expect(writeMessage(messageOf(thrown as Error), () => '--clip-norm')).toBe(
      'invalid --clip-norm: expected > 0, got -1',
    );
  });
});

describe('inTermsOf', () => {
  const fail = async () => {
    throw new FileError(message);
  };

  it('renames options and keeps the kind of the error', async () => {
    const work = inTermsOf((word) => ({ ...word, of: 'loadDataSet' }), fail);
    await expect(work).rejects.toThrow(
      'a.csv: no text; add skipEmpty: true in loadDataSet, see textColumn of loadDataSet',
    );
    await expect(work).rejects.toBeInstanceOf(FileError);
  });

  it('drops advice about options that the caller does not have', async () => {
    await expect(inTermsOf(() => undefined, fail)).rejects.toThrow('a.csv: no text; remove it, see textColumn');
  });

  it('leaves other errors and results alone', async () => {
    const other = new Error('other');
    await expect(
      inTermsOf(
        () => undefined,
        () => Promise.reject(other),
      ),
    ).rejects.toBe(other);
    expect(
      await inTermsOf(
        () => undefined,
        async () => 3,
      ),
    ).toBe(3);
  });
});
