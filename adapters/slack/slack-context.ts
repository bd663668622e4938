// Dependencies of the Slack adapter's parts.
import type { ChatContext } from '#chat/platform.ts';
import type { ChatPort } from '#domain/chat/chat.ts';
import type { UserGroupReader } from '#domain/people/user-groups.ts';
import type { People } from './people/people.ts';
import type { Reach } from './people/reach.ts';
import type { Respond } from './port/respond.ts';
import type { ClientOf } from './workspaces.ts';

export type SlackContext = ChatContext & {
  clientOf: ClientOf;
  people: People;
  userGroups: Pick<UserGroupReader, 'list'>;
  port: ChatPort;
  reach: Reach;
  respond: Respond;
};
