import { describe, expect, test } from '@jest/globals';
import { troubleWithPods } from '../../../src/runners/kubernetes/refused-pod.ts';

function say(message: string | undefined) {
  return troubleWithPods({ complaint: async () => message }, ['one', 'two']);
}

describe('the reason in events why a Job has no pod:', () => {
  test('none', async () => {
    expect(await say(undefined)).toBeUndefined();
  });

  test.each([
    [
      'a quota',
      'Error creating: pods "one-x" is forbidden: exceeded quota: vo, requested: ' +
        'requests.memory=512Mi, used: requests.memory=0, limited: requests.memory=1Mi',
    ],
    [
      'a namespace without its account',
      'Error creating: pods "one-x" is forbidden: error looking up service account ' +
        'vo/default: serviceaccount "default" not found',
    ],
    [
      'a webhook that is away',
      'Error creating: Internal error occurred: failed calling webhook "x.example.org": connection refused',
    ],
  ])('%s is waited for', async (_what, message) => {
    expect(await say(message)).toEqual({
      code: 'queue-limit-exceeded',
      message: message.replace('Error creating: ', ''),
      final: false,
    });
  });

  test.each([
    [
      'pod security',
      'Error creating: pods "one-x" is forbidden: violates PodSecurity "restricted:latest": ' +
        'allowPrivilegeEscalation != false',
    ],
    [
      'a limit range',
      'Error creating: pods "one-x" is forbidden: maximum memory usage per Container is 1Mi, but limit is 512Mi',
    ],
    ['a webhook', 'Error creating: admission webhook "x.example.org" denied the request: no'],
  ])('%s is final', async (_what, message) => {
    expect(await say(message)).toEqual({
      code: 'runner-failed',
      message: `the cluster does not take the pod of the job: ${message.replace('Error creating: ', '')}`,
      final: true,
    });
  });
});
