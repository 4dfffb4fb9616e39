/** A source that gives the listed words and no more. */
export const scripted = (...words: number[]) => ({
  next: () => {
    const word = words.shift();
    if (word === undefined) throw new Error('drew more words than expected');
    return word;
  },
});

export const ONES = 2 ** 32 - 1;
