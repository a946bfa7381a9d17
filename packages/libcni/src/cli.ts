#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runCnitool } from './cnitool/run-cnitool.ts'

commandMain('cnitool', (argv, io) =>
  runCnitool(argv, {
    env: io.env,
    cwd: process.cwd(),
    stdout: io.stdout,
    stderr: io.stderr,
    pluginStderr: (chunk) => process.stderr.write(chunk),
    get colour() {
      return io.stderrColour
    },
    // Ctrl-C reaches only the `cnitool` process, because plugins have their own process groups.
    signal: io.signal,
  }),
)
