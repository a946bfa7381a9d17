#!/usr/bin/env node
import { stopOnSignals } from '@cni/host'
import { runCli } from './run-cli.ts'

// The compiler and what it made are in process groups of their own: a Ctrl-C reaches only us.
const signal = stopOnSignals((name) => new Error(`stopped by ${name}`))

runCli(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  signal,
}).then(
  (code) => {
    process.exitCode ??= code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 1
  },
)
