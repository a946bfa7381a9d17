#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCli } from './run-cli.ts'

// The compiler and the started executables have process groups of their own: Ctrl-C signals this process only.
commandMain('cni-build', (argv, io) =>
  runCli(argv, {
    stdout: io.stdout,
    stderr: io.stderr,
    stdin: process.stdin,
    get colour() {
      return io.colour
    },
    get signal() {
      return io.signal
    },
  }),
)
