/** Milliseconds: a call without a `timeout` of its own; containerd and CRI-O give up after 60 s and more. */
export const DEFAULT_TIMEOUT = 50_000
