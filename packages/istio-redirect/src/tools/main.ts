#!/usr/bin/env node
import { basename } from 'node:path'
import { commandMain } from '@cni/host/cli'
import { escapeUnsafeLines } from '@cni/types'
import { runTools } from './run-tools.ts'
import { machine } from './system.ts'

commandMain(
  'istio-redirect',
  (argv, io) =>
    // Uses `argv0`, because `argv[1]` of a compiled file is the name from the build.
    runTools(basename(process.argv0), argv, {
      env: io.env,
      stdout: io.stdout,
      stderr: io.stderr,
      colour: io.colour,
      // Getter, because reading `io.signal` installs handlers, and only commands that can roll back need them.
      get signal() {
        return io.signal
      },
      now: () => new Date(),
      system: machine,
    }),
  // Escapes unsafe characters, because an error message may contain text from a pod's files.
  { cleanStderr: escapeUnsafeLines },
)
