#!/usr/bin/env node
import { basename } from 'node:path'
import { commandMain } from '@cni/host/cli'
import { escapeUnsafeLines } from '@cni/types'
import { runTools } from './run-tools.ts'
import { machine } from './system.ts'

commandMain(
  'istio-redirect',
  (argv, io) =>
    // A compiled file is known by its argv0. Its argv[1] is the name it was built under.
    runTools(basename(process.argv0), argv, {
      env: io.env,
      stdout: io.stdout,
      stderr: io.stderr,
      colour: io.colour,
      // Read only by commands that can roll back. Reading it installs signal handlers. Other commands end at a signal
      // as usual, also while they wait for input.
      get signal() {
        return io.signal
      },
      now: () => new Date(),
      system: machine,
    }),
  // Messages may contain text from files of a pod or of the node.
  { cleanStderr: escapeUnsafeLines },
)
