#!/usr/bin/env node
import { runCnitool } from './cnitool/run-cnitool.ts'

const stop = new AbortController()
// Plugins are in process groups of their own: a Ctrl-C reaches only us.
for (const [signal, status] of [['SIGINT', 130] as const, ['SIGTERM', 143] as const, ['SIGHUP', 129] as const]) {
  process.once(signal, () => {
    process.exitCode = status
    stop.abort(new Error(`cnitool received ${signal}`))
  })
}

runCnitool(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  pluginStderr: (chunk) => process.stderr.write(chunk),
  colour: process.stderr.isTTY === true && !process.env.NO_COLOR,
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
