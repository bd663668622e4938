// Describes the app as an agent in Slack.

export type AgentView = {
  agent_description: string;
  suggested_prompts: { title: string; message: string }[];
};

export const agentView: AgentView = {
  agent_description:
    'Plans before it acts: nothing runs until you approve exactly the plan you were shown.',
  suggested_prompts: [
    { title: 'Write a note', message: 'Write "Standup at 9:30" to notes/standup.md' },
    { title: 'Remind me', message: 'Remind me tomorrow at 9:00: send the report' },
    { title: 'What waits for me?', message: 'What is waiting for me?' },
    { title: 'What can you do?', message: 'What can you do?' },
  ],
};
