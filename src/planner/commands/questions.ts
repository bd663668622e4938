// The questions that a command leaves open, in words.
import { shorten } from '#domain/words.ts';
import type { Question } from './command.ts';
import type { TextProblem } from './texts.ts';

export function ask(id: string, takes: 'value' | 'command' | 'too long', text: string): Question {
  return { id, takes: takes === 'value' ? 'value' : 'command', text };
}

export function describeProblem(
  { kind, words }: TextProblem,
  clause: string,
  timezone: string,
): string {
  const said = `"${shorten(words, 80)}"`;
  switch (kind) {
    case 'exact':
      return `Is ${said} only text, or is there more to do? Say it again with the exact text in quotation marks.`;
    case 'whole':
      return `Where is ${words}? Say it again with the whole path of each file.`;
    case 'content':
      return `What is meant by ${said} in "${shorten(clause, 80)}"? Say it again with the text in quotation marks.`;
    case 'hour':
      return `Is ${said} in the morning or in the afternoon? Say it again, such as 15:00.`;
    case 'date':
      return `Which day is ${said}? Say it again, such as 1 December.`;
    case 'zone':
      return `When is ${said} in ${timezone}? Say it again with the time there, such as 15:00.`;
    case 'past':
      return `${said} is past. When should it be instead? Say it again with another time.`;
    case 'time':
      return `Is ${said} the time to do it, or part of the text? Say it again with the text in quotation marks.`;
    default:
      return kind satisfies never;
  }
}
