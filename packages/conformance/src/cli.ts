#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// Ctrl-C signals only the `cni-conformance` process, because the tested plugins have their own process groups.
commandMain('cni-conformance', runConformance, { crashed: 3 })
