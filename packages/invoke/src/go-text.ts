import { goQuote } from '@cni/types'

/** The names Go gives to signals; operators know them from the logs of their runtime. */
const SIGNALS: Readonly<Record<string, string>> = {
  SIGHUP: 'hangup',
  SIGINT: 'interrupt',
  SIGQUIT: 'quit',
  SIGILL: 'illegal instruction',
  SIGTRAP: 'trace/breakpoint trap',
  SIGABRT: 'aborted',
  SIGBUS: 'bus error',
  SIGFPE: 'floating point exception',
  SIGKILL: 'killed',
  SIGUSR1: 'user defined signal 1',
  SIGSEGV: 'segmentation fault',
  SIGUSR2: 'user defined signal 2',
  SIGPIPE: 'broken pipe',
  SIGALRM: 'alarm clock',
  SIGTERM: 'terminated',
}

/** More than this of a plugin's output says nothing more in an error message. */
const QUOTE_LIMIT = 8192

/** What a plugin printed, in double quotes on one line, cut where it says nothing more. */
export function quoteOutput(text: string): string {
  if (text.length <= QUOTE_LIMIT) return goQuote(text)
  return `${goQuote(text.slice(0, QUOTE_LIMIT))}… (${text.length} characters)`
}

/** How a process ended: `exit status 3`, `signal: killed`. */
export function exitText(end: { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }): string {
  if (end.signal !== null) return `signal: ${SIGNALS[end.signal] ?? end.signal}`
  return `exit status ${end.exitCode ?? 'unknown'}`
}
