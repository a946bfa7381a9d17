#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCli } from './run-cli.ts'

// Passes the abort signal on: Ctrl-C reaches only the `cni-build` process. The compiler and the started executables
// have their own process groups, so `runCli` has to end them.
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
