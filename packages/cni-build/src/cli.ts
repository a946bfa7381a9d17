#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCli } from './run-cli.ts'

// Ctrl-C signals only the `cni-build` process, because the compiler and the started executables have their own process
// groups.
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
