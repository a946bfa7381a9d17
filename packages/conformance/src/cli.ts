#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// Ctrl-C does not reach the tested plugins, because they have their own process groups.
commandMain('cni-conformance', runConformance, { crashed: 3 })
