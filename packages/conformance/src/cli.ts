#!/usr/bin/env node
import { runConformance } from './cli/run-conformance.ts'

const stop = new AbortController()
// Plugins are in process groups of their own: a Ctrl-C reaches only us.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.on(signal, () => stop.abort(new Error(`cni-conformance received ${signal}`)))
}

runConformance(process.argv.slice(2), {
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  progress: process.stderr.isTTY === true,
  signal: stop.signal,
}).then(
  (code) => {
    process.exitCode = code
  },
  (error: unknown) => {
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`)
    process.exitCode = 3
  },
)
