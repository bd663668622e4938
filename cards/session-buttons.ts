// Which buttons a planning session has where it stands. Each is bound to the turn and the digest that were shown.
import type { SessionCardFacts, SessionPress } from '#contracts/session-card.ts';
import { cleanLine, cutShown, showLine } from './plain.ts';
import type { Button, Form, SessionKind } from './view.ts';

type SessionButton = Button<SessionPress>;

const changesForm: Form = {
  fields: [],
  label: 'What should change?',
  placeholder: 'Test before the launch, and leave out the poster',
  required: true,
  missing: 'Say what should change.',
  submit: 'Send',
};

const patternForm: Form = { ...changesForm, placeholder: 'Call it a morning routine' };

const lessForm: Form = { ...changesForm, placeholder: 'Only the first phase' };

const otherForm: Form = { ...changesForm, placeholder: 'The review can be a week later' };

const rejectConfirm = {
  text: 'Planning stopped. Nothing ran.',
  submit: 'Reject',
};

const withoutConfirm = {
  text: 'I plan with the nearest known pattern instead.',
  submit: 'Do without it',
};

const answerForm: Form = {
  fields: [],
  label: 'Your answer',
  placeholder: '',
  required: true,
  missing: 'Write an answer.',
  submit: 'Answer',
};

const choicesAtMost = 5;
const labelAtMost = 60;
const choiceAtMost = 600;

export function viewSessionButtons(facts: SessionCardFacts, kind: SessionKind): SessionButton[] {
  const { run_id, turn, digest, offers, infeasible, decision, request } = facts;
  const button = (
    action: SessionPress['action'],
    label: string,
    extra: Partial<SessionButton> & { choice?: string } = {},
  ): SessionButton => {
    const { choice, ...rest } = extra;
    const press: SessionPress = { action, run_id, turn, digest };
    return {
      label,
      style: 'plain',
      press: choice === undefined ? press : { ...press, choice },
      form: null,
      confirm: null,
      ...rest,
    };
  };
  const approve = (label: string) => button('session_approve', label, { style: 'primary' });
  const changes = (form: Form) => button('session_changes', 'Propose changes', { form });
  const reject = (label: string) => button('session_reject', label, { confirm: rejectConfirm });
  /** A button stands for the whole of its words, or there is none: a cut wish would be another one. */
  const choices = (action: SessionPress['action'], all: { name: string; answer: string }[]) =>
    all
      .filter(({ name, answer }) => answer.length <= choiceAtMost && cleanLine(name) !== '')
      .slice(0, choicesAtMost)
      .map(({ name, answer }) =>
        button(action, cutShown(showLine(name, labelAtMost), labelAtMost), { choice: answer }),
      );
  switch (kind) {
    case 'outline':
    case 'roadmap':
    case 'schedule':
      return [approve('Approve'), changes(changesForm), reject('Reject')];
    case 'rfc':
      return [
        approve('Approve'),
        changes(patternForm),
        button('session_reject', 'Reject', { confirm: withoutConfirm }),
      ];
    case 'budget':
      return [approve('Go on'), changes(lessForm), reject('Stop')];
    case 'escalation':
      return [
        ...choices(
          'session_changes',
          (infeasible?.relaxations ?? []).map(({ text }) => ({ name: text, answer: text })),
        ),
        changes(otherForm),
        reject('Reject'),
      ];
    case 'questions':
      return [
        ...choices('session_answer', offers),
        button('session_answer', offers.length > 0 ? 'Something else' : 'Answer', {
          form: answerForm,
        }),
      ];
    case 'aborted':
      return decision.kind === 'reject' || request.length > choiceAtMost
        ? []
        : [button('session_answer', 'Try again', { choice: request })];
    case 'running':
    case 'plan':
    case 'answered':
      return [];
    default:
      return kind satisfies never;
  }
}
