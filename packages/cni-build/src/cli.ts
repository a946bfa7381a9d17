#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCli } from './run-cli.ts'

// Ctrl-C does not reach the compiler and the started executables, because they have their own process groups. `runCli`
// ends these processes when the abort signal fires.
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
