#!/usr/bin/env node
import { escapeUnsafeLines } from '@cni/types'
import { openWriter } from './log/writers.ts'
import { runInstallCni } from './run-install-cni.ts'

/** Deadline in milliseconds for stopping the agent, because a system call may block for ever. */
const STOP_MS = 900

const stop = new AbortController()

/** Returns an unexpected error's stack trace, with unsafe characters escaped for a terminal. */
const stackOf = (error: unknown): string =>
  escapeUnsafeLines(error instanceof Error ? (error.stack ?? error.message) : String(error))

/** Ends the agent's process after stdout and stderr are flushed, at the latest after 50 ms. */
function exit(code: number): void {
  setTimeout(() => process.exit(code), 50).unref()
  process.stdout.write('', () => process.stderr.write('', () => process.exit(code)))
}

let limit: NodeJS.Timeout | undefined
const endWithin = (ms: number): void => {
  clearTimeout(limit)
  limit = setTimeout(() => {
    process.stderr.write(`install-cni: clean-up did not end within ${ms} ms and was abandoned\n`)
    exit(0)
  }, ms).unref()
}

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) exit(1)
    endWithin(STOP_MS)
    stop.abort(new Error(`install-cni received ${signal}`))
  })
}
// The agent ignores SIGHUP until it has registered its handler. The signal's default action would end the process.
process.on('SIGHUP', () => {})
// A closed output pipe must not end the agent, because pods still need the plugin.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})

// An unexpected error is printed and does not end the agent. The plugin stays installed.
for (const event of ['uncaughtException', 'unhandledRejection'] as const) {
  process.on(event, (error: unknown) => {
    process.stderr.write(`install-cni: internal error: ${stackOf(error)}\n`)
  })
}

runInstallCni(process.argv.slice(2), {
  env: process.env,
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  openLog: openWriter,
  signal: stop.signal,
  needTime: (ms) => endWithin(ms + STOP_MS),
  onHangup: (listener) => void process.on('SIGHUP', listener),
}).then(exit, (error: unknown) => {
  process.stderr.write(`install-cni: ${stackOf(error)}\n`)
  exit(1)
})
