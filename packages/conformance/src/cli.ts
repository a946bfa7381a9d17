#!/usr/bin/env node
import { commandMain } from '@cni/host/cli'
import { runConformance } from './cli/run-conformance.ts'

// Ctrl-C does not reach the tested plugins, because they run in process groups of their own.
commandMain('cni-conformance', runConformance, { crashed: 3 })
