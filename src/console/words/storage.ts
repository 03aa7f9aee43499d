/** Texts of the storage in the form, which load when somebody opens it. */
export const STORAGE = {
  scratch: 'Scratch space, GiB',
  scratchHint: (usual: string, most: string) =>
    `For files of the run, in its folder scratch. Without it ${usual} GiB; here at most ${most} GiB.`,
  kept: 'Folder that stays, GiB',
  keptHint: (most: string) => `Stays after the run. Here at most ${most} GiB.`,
  keptNowhere: 'No place here keeps folders of this type of task.',
  tooMuch: (most: string) => `More than there is: here at most ${most} GiB.`,
  folder: 'Its path',
  folderHint: 'Below the working folder of the job, unless it begins with /.',
  folderMissing: 'It needs a path, such as kept.',
  folderSteps: 'A path has no parts . or ..',
  days: 'Days that it stays',
  daysHint: (most: string) => `After the end of the run. Without it 1, here at most ${most}.`,
  tooLong: (most: string) => `Too long: here at most ${most} days.`,
} as const;
