import { goQuote } from '@cni/types'

/** Names of Unix signals as Go prints them. Operators know these names from the logs of container runtimes. */
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

/** Maximum number of characters of a plugin's output in an error message. */
const QUOTE_LIMIT = 8192

/** Quotes a plugin's output on one line, cut after 8192 characters. */
export function quoteOutput(text: string): string {
  if (text.length <= QUOTE_LIMIT) return goQuote(text)
  return `${goQuote(text.slice(0, QUOTE_LIMIT))}… (${text.length} characters)`
}

/** Describes the end of a plugin's process in Go's words: `exit status 3`, `signal: killed`. */
export function exitText(end: { readonly exitCode: number | null; readonly signal: NodeJS.Signals | null }): string {
  if (end.signal !== null) return `signal: ${SIGNALS[end.signal] ?? end.signal}`
  return `exit status ${end.exitCode ?? 'unknown'}`
}
