/** Why a command cannot do its work. The operator reads it without a stack. */
export class CannotStart extends Error {}
