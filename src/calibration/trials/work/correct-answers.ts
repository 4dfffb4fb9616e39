// Which test examples a model classifies correctly, one bit each: they tell how much of a difference between models is due to the
// choice of the test examples.

/** Packs one answer per example into text. */
export function packAnswers(correct: readonly boolean[]): string {
  const bytes = Buffer.alloc(Math.ceil(correct.length / 8));
  for (const [place, isCorrect] of correct.entries()) {
    if (isCorrect) bytes[place >> 3] = (bytes[place >> 3] as number) | (1 << (place & 7));
  }
  return bytes.toString('base64');
}

/** The share of correct answers for each example over several models: 1 where all of them are right. */
export function shareOfCorrect(packed: readonly string[], examples: number): Float64Array {
  const shares = new Float64Array(examples);
  for (const text of packed) {
    const bytes = Buffer.from(text, 'base64');
    for (let place = 0; place < examples; place++) {
      const bit = ((bytes[place >> 3] as number) >> (place & 7)) & 1;
      shares[place] = (shares[place] as number) + bit / packed.length;
    }
  }
  return shares;
}
