// The order of test files. Those that start whole processes are spread among those that stay in one, since several of them
// at once are more than two cores have; the longest begins first, so that nothing is left to wait for it at the end.
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/** As much of a file as its place depends on. */
export type Placed = { moduleId: string; project: { name: string } };

const longest = 'tests/crash/torture.test.ts';
const manyProcesses = ['crash', 'e2e'];

/** Puts `few` among `many` at even distances, a first one before all; each keeps its own order. */
function spread<T>(few: readonly T[], many: readonly T[]): T[] {
  const placed = [
    ...few.map((file, index) => ({ file, at: index / few.length })),
    ...many.map((file, index) => ({ file, at: (index + 0.5) / many.length })),
  ];
  return placed.sort((a, b) => a.at - b.at).map(({ file }) => file);
}

/** Unit tests are last: short as they are, they end together. Among its own kind each file stays where it was. */
export function mixFiles<T extends Placed>(files: readonly T[]): T[] {
  const isLongest = ({ moduleId }: T) => moduleId.endsWith(longest);
  const first = files.filter(isLongest);
  const others = files.filter((file) => !isLongest(file));
  const heavy = others.filter(({ project }) => manyProcesses.includes(project.name));
  const unit = others.filter(({ project }) => project.name === 'unit');
  const light = others.filter((file) => !heavy.includes(file) && !unit.includes(file));
  return [...first, ...spread(heavy, light), ...unit];
}

export default class MixedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    return mixFiles(await super.sort(files));
  }
}
