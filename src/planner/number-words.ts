// Numbers from two on as people write them in words.

export const numberWords: Record<string, number> = {
  two: 2,
  three: 3,
  four: 4,
  five: 5,
  six: 6,
  seven: 7,
  eight: 8,
  nine: 9,
  ten: 10,
  eleven: 11,
  twelve: 12,
  thirteen: 13,
  fourteen: 14,
  fifteen: 15,
  sixteen: 16,
  seventeen: 17,
  eighteen: 18,
  nineteen: 19,
  twenty: 20,
};

/** Any of them, as a part of a pattern; longest first, so that "six" does not end "sixteen". */
export const numberForm = Object.keys(numberWords)
  .sort((a, b) => b.length - a.length)
  .join('|');
