// How often a property is tried: a part of the rounds in `npm test`, all of them in `npm run test:long`.

/** @param all the rounds of a long run */
export function rounds(all: number): number {
  return process.env.COUNTERSIGN_TEST_ROUNDS === 'all' ? all : Math.ceil(all / 10);
}
