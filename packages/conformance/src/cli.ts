#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// The tested plugins have their own process groups, so Ctrl-C does not reach them. The function `runConformance` ends
// the plugins when the abort signal of `commandMain` fires.
commandMain('cni-conformance', runConformance, { crashed: 3 })
