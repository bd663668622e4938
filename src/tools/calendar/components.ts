// Groups the lines of an ICS file by component.
import type { BadLine, ContentLine, Lines } from './content-lines.ts';

export type Component = {
  kind: string;
  line: number;
  endAt: number | null;
  properties: ContentLine[];
  inside: Component[];
};

const maxDepth = 10;

export function readComponents({ lines, bad }: Lines): { top: Component[]; bad: BadLine[] } {
  const top: Component[] = [];
  const problems = [...bad];
  const open: Component[] = [];
  const abandon = (components: Component[]) => {
    for (const component of components) {
      const { kind, line } = component;
      const isCalendar = kind === 'VCALENDAR';
      if (isCalendar) top.push({ ...component, endAt: null });
      const outcome = isCalendar ? 'the file was cut off' : 'it was left out';
      problems.push({
        line,
        reason: `the ${kind} that begins here has no END:${kind}: ${outcome}`,
      });
    }
  };
  for (const one of lines) {
    if (one.name !== 'BEGIN' && one.name !== 'END') {
      open.at(-1)?.properties.push(one);
      continue;
    }
    const kind = one.value.trim().toUpperCase();
    const at = open.findLastIndex((outer) => outer.kind === kind);
    if (one.name === 'BEGIN') {
      if (at !== -1) abandon(open.splice(at));
      if (open.length < maxDepth)
        open.push({ kind, line: one.line, endAt: null, properties: [], inside: [] });
      else problems.push({ line: one.line, reason: 'it is nested too deep' });
    } else if (at === -1) problems.push({ line: one.line, reason: `END:${kind} closes nothing` });
    else {
      const [closed, ...lost] = open.splice(at);
      abandon(lost);
      if (closed !== undefined) (open.at(-1)?.inside ?? top).push({ ...closed, endAt: one.start });
    }
  }
  abandon(open);
  return { top, bad: problems };
}

export function propertyOf({ properties }: Component, name: string): ContentLine | null {
  return properties.find((one) => one.name === name) ?? null;
}

export function propertiesOf({ properties }: Component, name: string): ContentLine[] {
  return properties.filter((one) => one.name === name);
}
