#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// `commandMain` passes an abort signal to `runConformance`, because Ctrl-C reaches only the `cni-conformance` process.
// The tested plugins have their own process groups.
commandMain('cni-conformance', runConformance, { crashed: 3 })
