#!/usr/bin/env node
import { basename } from 'node:path'
import { commandMain } from '@cni/host/cli'
import { escapeUnsafeLines } from '@cni/types'
import { runTools } from './run-tools.ts'
import { machine } from './system.ts'

commandMain(
  'istio-redirect',
  (argv, io) =>
    // a compiled file is known by its argv0; its argv[1] is the name it was built under
    runTools(basename(process.argv0), argv, {
      env: io.env,
      stdout: io.stdout,
      stderr: io.stderr,
      colour: io.colour,
      // Only for who asks, so that what was begun can be taken back: until then a signal ends the process as usual, also
      // one that waits for its input.
      get signal() {
        return io.signal
      },
      now: () => new Date(),
      system: machine,
    }),
  // what is said about a pod's or a node's files
  { cleanStderr: escapeUnsafeLines },
)
