// Which messages belong together: those that answer one another, share a subject, or repeat one another's words.

export interface ThreadLinks {
  readonly name: string;
  readonly id: string | undefined;
  readonly answers: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** So many words in a row are no accident: spam sends one text under many subjects, with a random word here and there. */
const sharedWords = 10;

/** The group of each message: the name of the first message of its thread (union-find over shared keys). */
export function groupThreads(messages: readonly ThreadLinks[]): string[] {
  const firstWith = new Map<string, number>();
  const parents = messages.map((_, index) => index);
  const find = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] as number] as number; // halves the way for the next one
      at = parents[at] as number;
    }
    return at;
  };
  messages.forEach((message, index) => {
    for (const key of linkKeys(message)) {
      const [one, other] = [find(index), find(firstWith.get(key) ?? index)];
      parents[Math.max(one, other)] = Math.min(one, other);
      if (!firstWith.has(key)) firstWith.set(key, index);
    }
  });
  return messages.map((_, index) => messages[find(index)]?.name as string);
}

function linkKeys({ id, answers, subject, text }: ThreadLinks): string[] {
  const keys = [...answers];
  if (id !== undefined) keys.push(id);
  const topic = lettersOf(subject).join(' ');
  if (topic !== '') keys.push(`subject ${topic}`);
  const words = lettersOf(text);
  if (words.length > 0) keys.push(`words ${words.slice(0, sharedWords).join(' ')}`);
  for (let start = 1; start + sharedWords <= words.length; start += 1) {
    keys.push(`words ${words.slice(start, start + sharedWords).join(' ')}`);
  }
  return keys;
}

/** Lower case, without digits and punctuation. */
const lettersOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
