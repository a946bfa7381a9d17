#!/usr/bin/env node
import { basename } from 'node:path'
import { stopOnSignals } from '@cni/host'
import { escapeUnsafeLines } from '@cni/types'
import { runTools } from './run-tools.ts'
import { machine } from './system.ts'

let stop: AbortSignal | undefined

// A reader that has seen enough, such as `head`, is no failure.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1))

// a compiled file is known by its argv0; its argv[1] is the name it was built under
runTools(basename(process.argv0), process.argv.slice(2), {
  env: process.env,
  stdout: (text) => process.stdout.write(text),
  // what is said about a pod's or a node's files
  stderr: (text) => process.stderr.write(escapeUnsafeLines(text)),
  colour: process.stdout.isTTY === true && !process.env.NO_COLOR,
  get signal() {
    // Only for who asks, so that what was begun can be taken back: until then a signal ends the process as usual, also
    // one that waits for its input.
    stop ??= stopOnSignals((name) => new Error(`istio-redirect received ${name}`))
    return stop
  },
  now: () => new Date(),
  system: machine,
}).then(
  (code) => {
    process.exitCode ??= code
  },
  (error: unknown) => {
    process.stderr.write(`${escapeUnsafeLines(String(error instanceof Error ? error.stack : error))}\n`)
    process.exitCode = 1
  },
)
