#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCli } from './run-cli.ts'

// Ctrl-C reaches only the `cni-build` process, because compiler and started executables have their own process groups.
// The abort signal makes `runCli` end them.
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
