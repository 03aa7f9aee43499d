/** Texts of the explanation. */
export const EXPLANATION = {
  title: 'How this answer came about',
  asked: (who: string, time: string) => `${who} asked at ${time}.`,
  somebody: 'Somebody without a sign-in',
  count: (all: number, allowed: number) =>
    `${all} ${all === 1 ? 'destination was' : 'destinations were'} looked at; the rules allow ${allowed}.`,
  toAsk: 'See the answer',
  seen: {
    title: 'What the rules saw',
    lead: 'The rules of the site decide from this alone.',
    none: 'none',
    notAsked: 'The ask was not understood, so the rules were not asked.',
    task: 'Task',
    user: 'Asked by',
    nobody: 'nobody in particular',
    roles: 'Roles',
    inputs: 'Inputs',
    otherJobs: 'Jobs of others',
    now: 'Time of the decision',
    all: 'Everything, as data',
  },
  requirements: {
    cores_min: 'Cores, at least',
    cores_max: 'Cores, at most',
    ram_min: 'Memory, MiB, at least',
    ram_max: 'Memory, MiB, at most',
    mem_min: 'Memory, GiB, at least',
    mem_max: 'Memory, GiB, at most',
    cuda_device_count_min: 'GPUs, at least',
    cuda_device_count_max: 'GPUs, at most',
  },
  verdicts: {
    title: 'Each destination, in the order in which it was tried',
    offered: 'offer',
    offeredText: (start: string) =>
      `The rules allow it and there was room: an offer that starts ${start}.`,
    fits: 'no offer',
    enough: 'The rules allow it. The answer had enough offers without this destination.',
    but: 'The rules allow it, but there is no offer:',
    unfit: 'not allowed',
    stopped: 'stopped',
    stoppedText: 'A rule of the site ended the decision here:',
    said: 'In the words of the rules:',
    choice: (rank: number) => `choice ${rank}`,
    score: (score: number) => `score ${score}`,
    free: (amounts: string) => `Free there during the first offer: ${amounts}.`,
    amounts: (cores: number, memory: number) => `${cores} cores, ${memory} GiB`,
  },
  general: 'Why it is a NO everywhere',
  order: {
    title: 'Why this order',
    one: 'At most one destination was tried, so there was nothing to order.',
    scores:
      'The destination with the highest score is tried first. Tags that the task and the ' +
      'destination prefer raise the score, and tags that they avoid lower it.',
    equal:
      'All scores are equal. Then the order is that of the rule files, which the operators of ' +
      'the site write.',
    own: 'A ranking function of the rule files chose this order; it need not follow the scores.',
  },
  replay: {
    title: 'Is it still so?',
    same: 'Yes: the same rules are in force, and deciding again took the same steps.',
    different: 'The same rules are in force, but deciding again took other steps.',
    'rules-changed': 'Not known: other rules are in force since.',
    'not-decided': 'The rules were not asked.',
    failed: 'Not known: the rules could not be evaluated just now.',
  },
  digest: 'Rule files:',
  trace: (count: number) => `Every step of the rules (${count})`,
  phases: {
    matching: 'Who and what was recognised',
    amounts: 'What the task needs',
    destinations: 'Which destinations the rules allow',
    order: 'In which order they are tried',
    pools: 'Shared budgets',
    end: 'What came of it',
  },
  steps: {
    tool: (tool: string, entity: string) => `The task ${tool} has the rules of ${entity}.`,
    role: (entity: string) => `The role has the rules of ${entity}.`,
    noRole: 'No role has rules.',
    user: (user: string, entity: string) => `${user} has the rules of ${entity}.`,
    noRules: (user: string) => `${user} has no rules.`,
    nobody: 'Nobody is signed in, so no rules of a user apply.',
    combined: (parts: string, amounts: string) => `${parts} together: ${amounts}.`,
    rule: (rule: string, condition: string, isTrue: boolean) =>
      `Rule ${rule} ${isTrue ? 'applies' : 'does not apply'}: ${condition}`,
    amounts: (amounts: string) => `Amounts: ${amounts}.`,
    fits: (destination: string) => `${destination} is allowed.`,
    refused: (destination: string, why: string) => `${destination} is not allowed: ${why}.`,
    ranked: (place: string, destination: string, score: string) =>
      `${place}. ${destination}, score ${score}`,
    evaluating: (destination: string) => `The rules of ${destination} are applied.`,
  },
  share: {
    title: 'Share this page',
    owner: 'Only you and the administrators of the site can open it.',
    anonymous: 'It was asked without a sign-in: whoever has the link and no sign-in can open it.',
    label: 'Link',
    copy: 'Copy the link',
    copied: 'The link is copied.',
    selected: 'The link is selected: copy it with the keyboard.',
  },
  stranger:
    'Only who asked and the administrators of the site can see how an answer came about. ' +
    'Are you signed in as the same person?',
} as const;
