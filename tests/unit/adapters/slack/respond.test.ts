// Where answers to commands and presses may be sent: to Slack, and nowhere else.
import { expect, test } from 'vitest';
import { isSlackAddress } from '#adapters/slack/port/respond.ts';

test.each([
  ['https://hooks.slack.com/commands/T1/2/3', true],
  ['https://hooks.slack-gov.com/actions/T1/2/3', true],
  ['http://hooks.slack.com/commands/T1/2/3', false],
  ['https://hooks.slack.com:8443/commands/T1/2/3', false],
  ['https://hooks.slack.com.example.com/commands', false],
  ['https://hooks.slack.com@example.com/', false],
  ['https://user@hooks.slack.com/', false],
  ['https://example.com/?https://hooks.slack.com/', false],
  ['http://169.254.169.254/latest', false],
  ['http://127.0.0.1:3978/api/plans', false],
  ['file:///etc/passwd', false],
  ['no address', false],
])('%s: %s', (url, ours) => {
  expect(isSlackAddress(url, undefined)).toBe(ours);
});

test('where Slack is stood in for, the addresses of that count, and no other port of its machine', () => {
  const apiUrl = 'http://127.0.0.1:4000/api/';
  expect(isSlackAddress('http://127.0.0.1:4000/actions/1', apiUrl)).toBe(true);
  expect(isSlackAddress('http://127.0.0.1:4001/actions/1', apiUrl)).toBe(false);
  expect(isSlackAddress('https://127.0.0.1:4000/actions/1', apiUrl)).toBe(false);
});
