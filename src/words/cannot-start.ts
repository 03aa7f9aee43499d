/**
 * Why a command cannot do its work, said to an operator who can change it:
 * printed as it is, without a stack.
 */
export class CannotStart extends Error {}
