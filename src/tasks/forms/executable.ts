import type { TaskForm } from '../task.ts';
import { COMMAND, ENVIRONMENT, PARALLEL } from './parts.ts';

/** How a program of the machine is asked for. */
export const executableForm: TaskForm = {
  title: 'Program of the machine',
  schema: {
    type: 'object',
    required: ['command'],
    properties: {
      command: { ...COMMAND, minItems: 1 },
      environment: ENVIRONMENT,
      parallel: PARALLEL,
    },
    additionalProperties: false,
  },
  example: () => ({
    command: ['sh', '-c', 'echo "hello $WHOM"; seq 3 > numbers.txt'],
    environment: { WHOM: 'world' },
  }),
};
