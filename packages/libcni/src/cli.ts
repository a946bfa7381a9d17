#!/usr/bin/env node
import { stopOnSignals } from '@cni/host'
import { runCnitool } from './cnitool/run-cnitool.ts'

// Plugins are in process groups of their own: a Ctrl-C reaches only us.
const signal = stopOnSignals((name) => new Error(`cnitool received ${name}`))

runCnitool(process.argv.slice(2), {
  env: process.env,
  cwd: process.cwd(),
  stdout: (text) => process.stdout.write(text),
  stderr: (text) => process.stderr.write(text),
  pluginStderr: (chunk) => process.stderr.write(chunk),
  colour: process.stderr.isTTY === true && !process.env.NO_COLOR,
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
