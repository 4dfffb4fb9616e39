// Text from data, without what could act on a page or terminal by itself.

/** Control characters, halves of pairs and signs that turn the direction of text. */
const unsafe = /[^\P{Cc}\n\t]|\p{Cs}|[\u202a-\u202e\u2066-\u2069]/gu;

/** They are shown as a mark. */
export const safeText = (text: string): string => text.replace(unsafe, '\ufffd');
