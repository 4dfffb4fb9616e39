// Groups messages into threads: those that answer one another, share a subject, or repeat one another's words.

/** The properties that link a message to others. */
export interface ThreadLinks {
  readonly name: string;
  readonly id: string | undefined;
  /** Ids of the messages it answers. */
  readonly answers: readonly string[];
  readonly subject: string;
  readonly text: string;
}

/** This many words in a row are no coincidence: spam sends one text under many subjects, with random words in between. */
const sharedWords = 10;

/** The thread of each message, named after its first message (union-find over shared keys). */
export function groupThreads(messages: readonly ThreadLinks[]): string[] {
  const firstWith = new Map<string, number>();
  const parents = messages.map((_, index) => index);
  const find = (index: number): number => {
    let at = index;
    while (parents[at] !== at) {
      parents[at] = parents[parents[at] as number] as number; // path halving
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

/** The words in lower case, without digits and punctuation. */
const lettersOf = (text: string): string[] => text.toLowerCase().match(/\p{L}+/gu) ?? [];
