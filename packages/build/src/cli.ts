#!/usr/bin/env node
import { runCli } from './run-cli.ts'

const stop = new AbortController()
// The compiler and what it made are in process groups of their own: a Ctrl-C reaches only us.
for (const [signal, status] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
  process.once(signal, () => {
    process.exitCode = status
    stop.abort(new Error(`stopped by ${signal}`))
  })
}

runCli(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  signal: stop.signal,
}).then(
  (code) => {
    process.exitCode ??= code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  },
)
